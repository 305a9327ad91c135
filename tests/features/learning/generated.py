"""Texts with secrets and look-alikes of secrets by the thousand: names in shapes in what logs put around them."""

import html
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from tests.features.learning.corpus import Shape, maker

_LEAST = 4
"""Characters of a secret in a row that are a part of it."""
_NAMES = (
    "password passwd DB_PASSWORD dbPassword db.password spring.datasource.password REDIS_PASS smtp_pwd user-password"
    " client_secret clientSecret app-secret CLIENT_SECRET webhook_secret SECRET_KEY api_key apiKey X-Api-Key API_KEY"
    " access_token accessToken ACCESS_TOKEN auth_token authToken refresh_token bot_token aws_secret_access_key"
    " private_key encryption_key passphrase gpg.passphrase ldap_bind_password adminPassword root_pw rootPassword"
).split()
_CHINESE_NAMES = "密码 口令 密钥 令牌 访问令牌 数据库密码 管理员密码 登录口令 初始密码".split()
_NAMED = (
    "{name}={secret}",
    "{name} = {secret}",
    "{name}: {secret}",
    "{name}='{secret}'",
    '{name} = "{secret}"',
    '"{name}": "{secret}"',
    '{"user": "ada", "{name}": "{secret}"}',
    "--{name} {secret}",
    "--{name}={secret}",
    "export {name}={secret}",
    "<{name}>{secret}</{name}>",
    "GET /login?user=ada&{name}={secret}&next=home",
    "{name} changed to {secret}",
    "{name} is {secret}",
    "the {name} was reset to {secret}",
)
_CHINESE_NAMED = (
    "{name}：{secret}",
    "{name}改为 {secret}",
    "{name}是{secret}",
    "{name}为 {secret}",
    "{name}={secret}",
    "新的{name}已改成 {secret}",
    "root 的{name}重置为{secret}",
    "账号 ada，{name} {secret}",
)
_PLAIN = (
    "//npm.example.org/:_auth={b64}",
    "_auth={b64}",
    "Driver={ODBC Driver 18};UID=sa;PWD={{pw}};Encrypt=yes",
    "Server=db;User Id=sa;Password={pw};Encrypt=yes",
    "ada@example.org / {pw}",
    "ada@example.org:{pw}",
    "ada@example.org----{pw}",
    "_auth={b64_short}",
    "echo {pw} | kinit ada",
    "printf '%s' {pw} | docker login -u bot --password-stdin",
    "password changed to {pw}",
    "your new password is now {pw}",
    "A temporary password is generated for root@localhost: {pw}",
    "clone https://bob:{alnum}@git.example.org/x.git failed",
    "connect postgres://app:{alnum}@db:5432/orders",
    "db.example.org:5432:orders:app:{alnum}",
    "a001 LOGIN ada {pw}",
    "AUTH {alnum}",
    "PASS {pw}",
    "curl -u ada:{pw} https://api.example.org",
    "mysql -uroot -p{pw} orders",
    "sshpass -p {pw} ssh root@web1",
    "redis-cli -h cache -a {pw} ping",
    "Authorization: Bearer {mixed40}",
    "Authorization: Basic {b64}",
    "Cookie: session={mixed32}; theme=dark",
    "X-Vault-Token: hvs.{mixed24}",
    "ALTER USER app IDENTIFIED BY '{pw}'",
    "jdbc:mysql://db/orders?user=app&password={alnum}&useSSL=false",
    "sqlplus scott/{alnum}@ORCL",
    "requirepass {pw}",
    "machine git.example.org login ada password {pw}",
    "push with ghp_{mixed36} refused",
    "key AKIA{up16} is not active",
    "sent by xoxb-{fig11}-{fig12}-{mixed24}",
    "rejected {jwt} at once",
    "got {mixed32} from the caller",
    "login with {hex40}, then retried",
)
_OF_LINES = (
    "apiVersion: v1\nkind: Secret\nstringData:\n  plain: {pw}\n  dsn: {pw2}\n",
    'Content-Disposition: form-data; name="password"\n\n{pw}\n--XyZ\n',
    "password:\n  {pw}\n",
    "| user | password |\n|---|---|\n| ada | {pw} |\n",
    "$ cat ~/.pgpass\ndb.example.org:5432:orders:app:{alnum}\n",
)
_NUMERIC = {ord(sign): f"&#{ord(sign)};" for sign in "\"'<>&@:/="}
_UNICODE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\"'<>&@:/="}
_WRAPPINGS: tuple[Callable[[str], str], ...] = (
    str,
    "`{}`".format,
    '"{}"'.format,
    "'{}'".format,
    "({})".format,
    "**{}**".format,
    "- {}".format,
    "  * `{}`".format,
    "3. {}".format,
    "> {}".format,
    "| 7 | {} | done |".format,
    "<code>{}</code>".format,
    "see `{}`, then ask Bob.".format,
    'he wrote "{}" yesterday'.format,
    "日志里写着：{}，请尽快修改。".format,
    "执行“{}”之后失败".format,
    "2026-03-01 10:00:00,123 ERROR [main] api - {}".format,
    "Nov  2 10:11:12 web1 deploy[991]: {}".format,
    "time=2026-03-01T10:00:00Z level=info msg={}".format,
    lambda text: json.dumps({"level": "error", "msg": text}, ensure_ascii=False),
    lambda text: json.dumps({"level": "error", "msg": text}),
    lambda text: json.dumps({"log": json.dumps({"msg": text})}),
    lambda text: json.dumps({"msg": text}).replace("/", "\\/"),
    lambda text: '{"msg": "' + text.translate(_UNICODE) + '"}',
    lambda text: f"GET /log?text={quote(text, safe='')}&level=3 HTTP/1.1",
    lambda text: f"GET /log?text={quote_plus(text)}&level=3 HTTP/1.1",
    lambda text: f"<li>{html.escape(text)}</li>",
    lambda text: f"<li>{text.translate(_NUMERIC)}</li>",
)
_ALIKE = (
    "commit {hex40}",
    "HEAD is now at {hex7} Add the index of notes",
    "merge {hex40} into main",
    "trace_id={hex32} span_id={hex16}",
    '"traceId": "{hex32}"',
    "traceparent: 00-{hex32}-{hex16}-01",
    "request_id={uuid} took 12 ms",
    "X-Request-Id: {uuid}",
    "correlation id {uuid}",
    "sha256:{hex64}",
    "sha256sum: {hex64}  disk.iso",
    "MD5 ({hex7}.iso) = {hex32}",
    "checksum {hex32} matches",
    'ETag: "{hex32}"',
    "digest: sha256:{hex64} size: 1570",
    "integrity sha512-{b64_88}",
    "resolved in v0.0.0-20261102101112-{hex12}",
    "upgraded numpy 1.26.4 to 2.1.{fig2}",
    "Chrome/131.0.{fig4}.85 Safari/537.36",
    "data:image/png;base64,iVBORw0KGgo{b64_88}",
    "/usr/lib/python3.11/site-packages/sqlalchemy/engine/base.py line {fig3}",
    "C:\\Program Files\\Tessera\\app-{fig2}\\run.exe",
    "tests/api/test_orders_{fig2}.py::test_that_an_order_is_paid",
    "pod api-7d9f8b6c5-x2k4q restarted {fig2} times",
    "at com.example.auth.PasswordEncoderFactory.create(PasswordEncoderFactory.java:{fig2})",
    "the password is too short, at least {fig2} characters",
    "password must contain a digit and a letter",
    "Invalid password for user ada",
    "forgot your password? ask Bob",
    "the password was changed yesterday",
    "reset the password, then log in again",
    "wrong password, {fig2} attempts left",
    "the token has expired",
    "the secret of good coffee is fresh water",
    "password_min_length={fig2} token_ttl=3600",
    "max_tokens={fig4} usage",
    "password = settings.db_password",
    "if not check(password): raise LoginError",
    "def login(user: str, password: str) -> Session:",
    "self.password = password",
    'os.environ["DB_PASSWORD"]',
    "password=${DB_PASSWORD}",
    "const token = await getToken();",
    "KeyError: 'password'",
    "the field password is required",
    "密码错误，请重试 {fig2} 次",
    "密码不能为空",
    "请输入密码后再登录",
    "令牌已过期，请刷新",
    "忘记密码怎么办",
    "修改密码的入口在设置里",
    "worker {fig2} took {fig4} ms on 10.0.0.12:5432",
    "GET /api/notes/{fig4}?page=2&sort=key HTTP/1.1 200",
    "mac 00:1a:2b:3c:4d:5e joined",
    "diff {hex7}..{hex7}",
    "index {hex7}..{hex7} 100644",
    "container {hex12} exited with 137",
    "SHA256 fingerprint of the host: {fig2}:AB:CD",
    "build 2026.11.{fig2}+{hex7} passed",
    "cache key notes:list:{fig4} expired",
)


class Text(NamedTuple):
    """A text, what it was made of, and the secrets in it."""

    text: str
    template: str
    secrets: tuple[str, ...]

    def left_in(self, masked: str) -> bool:
        """Return whether a part of a secret that isn't elsewhere in the text is still there."""
        around = self.text
        runs = [run for secret in self.secrets for run in re.findall(rf"[A-Za-z0-9]{{{_LEAST},}}", secret)]
        for run in runs:
            around = around.replace(run, "\n")
        parts = (run[at : at + _LEAST] for run in runs for at in range(len(run) - _LEAST + 1))
        return any(part in masked and part not in around for part in parts)


def secret_texts(n: int, seed: int = 70) -> Iterator[Text]:
    """Yield texts with secrets: each shape in each wrapping in turn, some in two."""
    chance = random.Random(seed)
    shapes: list[tuple[str, Sequence[str]]] = [(shape, ()) for shape in _PLAIN]
    shapes += [(shape, _NAMES) for shape in _NAMED] + [(shape, _CHINESE_NAMES) for shape in _CHINESE_NAMED]
    for number in range(n):
        if number % 25 == 0:
            shape = _OF_LINES[number // 25 % len(_OF_LINES)]
            yield _filled(shape, chance, str)
            continue
        shape, names = shapes[number % len(shapes)]
        wrap = _WRAPPINGS[number // len(shapes) % len(_WRAPPINGS)]
        if names:
            secret = chance.choice(("{pw}", "{pw}", "{alnum}", "{mixed24}", "{hex32}", "{b64}"))
            shape = shape.replace("{name}", chance.choice(names)).replace("{secret}", secret)
        yield _filled(shape, chance, wrap)


def lookalikes(n: int, seed: int = 71) -> Iterator[Text]:
    """Yield texts that hold no secret, though they look or speak like some that do."""
    chance = random.Random(seed)
    for number in range(n):
        shape = _ALIKE[number % len(_ALIKE)]
        yield _filled(shape, chance, _WRAPPINGS[number // len(_ALIKE) % len(_WRAPPINGS)])


def in_wrappings(shapes: Sequence[Shape]) -> Iterator[str]:
    """Yield the text of each shape, in the wrappings in turn where it is a line."""
    for number, shape in enumerate(shapes):
        yield shape.text if "\n" in shape.text else _WRAPPINGS[number % len(_WRAPPINGS)](shape.text)


def _filled(template: str, chance: random.Random, wrap: Callable[[str], str]) -> Text:
    """Return a text with what the names in its template make."""
    secrets: list[str] = []

    def made(match: re.Match[str]) -> str:
        make = maker(match[1])
        if make is None:
            return match[0]
        secrets.append(make(chance))
        return secrets[-1]

    return Text(wrap(re.sub(r"\{(\w+)\}", made, template)), template, tuple(secrets))
