"""Secrets in commands, SQL and files of logins, where no name is before them."""

import re
from collections.abc import Iterator

from core.features.learning.masks.names import Grade, grade
from core.features.learning.masks.spans import Hints, SecretSpan
from core.features.learning.masks.values import Value, is_secret, quoted_value

_OPTIONS = {
    r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane)[^\n|;]{0,60}\slogin": "-p",
    r"redis-cli|redis-benchmark|keydb-cli|valkey-cli": "-a",
    r"mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli": "-p=",
    r"sshpass|hydra|medusa|ncrack|patator|crackmapexec|netexec|nxc|evil-winrm|impacket-\w+|smbmap|xprobe": "-p",
    r"ssh-keygen": "-N -P",
    r"mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport": "-p",
    r"az|twine|psexec(?:\.exe)?|rdesktop|ncftp\w*|heketi-cli|cqlsh|influx|wrangler|pscp|plink"
    r"|putty": "-p -pw -password",
    r"sqlcmd|bcp|isql|mosquitto_(?:pub|sub)|ipmitool|osql|zip|unzip": "-P",
    r"ldap(?:search|add|modify|passwd|whoami|delete)": "-w",
    r"snmp\w+": "-A -X -c",
    r"openssl": "-k -K",
    r"7z[ar]?|rar|unrar": "-p= -hp=",
    r"xfreerdp\d?|wfreerdp": "/p:=",
    r"cmdkey|net|runas": "/pass:=",
    r"useradd|usermod": "-p",
}
"""The options of commands that a password follows, or (`=`) in which it goes on."""
_VALUE = r"(?P<value>\"[^\"\n]{1,1000}\"|'[^'\n]{1,1000}'|[^\s\"'|;]{1,1000})"


def _command(names: str, options: str) -> re.Pattern[str]:
    flags = "|".join(
        re.escape(entry[:-1]) if entry.endswith("=") else f"{re.escape(entry)}(?:[ \t]{{1,4}}|=)?"
        for entry in options.split()
    )
    return re.compile(
        rf"(?<![\w./-])(?:[\w./-]{{0,80}}/)?(?:{names})(?:\.exe)?(?=\s)(?:[^\n|;]{{0,300}}?\s)(?:{flags}){_VALUE}",
        re.ASCII,
    )


_COMMANDS = tuple(
    (re.findall(r"(?:^|\||\?:)([\w-]+)", names), _command(names, options)) for names, options in _OPTIONS.items()
)
_PLACES = tuple(
    (tuple(hints.split()), re.compile(regex, re.IGNORECASE))
    for hints, regex in (
        (
            "-u --user --proxy",
            rf"(?<![^\s\"'`(=\[,])(?:-u|--user|--proxy-user|-U|--digest -u)["
            rf" =]{{0,3}}[\"']?[\w.@+\\-]{{1,100}}:(?!//){_VALUE}",
        ),
        (
            "-u -U lftp smbclient",
            rf"\b(?:lftp|smbclient|winexe|rpcclient)\b[^\n|;]{{0,200}}?-u[ ]{{0,2}}[\"']?[\w.\\/-]{{1,60}}[,%]{_VALUE}",
        ),
        (
            "sqlplus expdp impdp rman sqlldr",
            r"\b(?:sqlplus|expdp|impdp|rman|sqlldr)\b[^\n|;]{0,100}?\s[\w.]{1,40}/(?P<value>[^\s@/]{2,200})(?=@|\s|$)",
        ),
        ("jdbc:oracle", r"jdbc:oracle:\w{1,10}:[\w.]{1,40}/(?P<value>[^\s@]{2,200})@"),
        ("user:", rf"\bnet\s+use\s[^\n]{{0,200}}?/user:\S+\s+{_VALUE}"),
        ("user", rf"\bnet\s+user\s+[\w.-]+\s+(?!/){_VALUE}"),
        ("htpasswd", rf"\bhtpasswd\s+(?:-\w+\s+)*\S+\s+\S+\s+{_VALUE}"),
        ("openssl -pass", rf"-pass(?:in|out)?[ \t]+[\"']?pass:{_VALUE}"),
        (
            "chpasswd passwd --stdin -stdin sudo -s su",
            r"\becho\s+(?:-[ne]+\s+)*[\"']?(?:[\w.-]{1,40}:)?(?P<value>[^\s\"'|][^\"'"
            r"|\n]{1,200}?)[\"']?\s*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:chpasswd|passwd|sudo\b|su\b|cryptsetup|gpg"
            r"|kinit|smbpasswd|ecryptfs\S*|docker|podman|\S+ [^\n|]{0,80}--?(?:password|token|with-token)\S*)",
        ),
        ("chpasswd", rf"\bchpasswd\b[^\n]{{0,40}}<<<\s*[\"']?[\w.-]{{1,40}}:{_VALUE}"),
        ("vault login", rf"\bvault\s+login\s+(?:-\S+\s+)*(?![-/]){_VALUE}"),
        ("vault kv", rf"\bvault\s+kv\s+(?:put|patch)\s+(?:-\S+\s+)*\S+\s+[\w-]{{1,60}}={_VALUE}"),
        (
            "aws_secret aws_session authtoken password set config env",
            rf"\b(?:config|configure|set|setx|env|define|export|append|add|secret|setenv)\s+(?:set\s+"
            rf"|--\w+\s+)*(?P<name>[/\w.:@-]{{3,100}})[ \t]+{_VALUE}",
        ),
        ("convertto-securestring", rf"ConvertTo-SecureString\s+(?:-String\s+)?{_VALUE}"),
        (
            "cryptsetup gpg openssl passwd su kinit",
            rf"\b(?:cryptsetup|gpg|openssl|passwd|sudo|su|kinit)\b[^\n]{{0,200}}<<<\s*{_VALUE}",
        ),
        ("alias set", rf"\bmc\s+(?:alias|config host)\s+(?:set|add)\s+\S+\s+\S+\s+\S+\s+{_VALUE}"),
        ("rclone", rf"\brclone\b[^\n]{{0,200}}?\spass\s+{_VALUE}"),
        (
            "add_user authenticate_user",
            rf"\brabbitmqctl\s+(?:-\S+\s+\S+\s+)*(?:add|authenticate)_user\s+\S+\s+{_VALUE}",
        ),
        ("sp_addlogin sp_password", rf"\bsp_(?:addlogin|password|addlinkedsrvlogin)\b[^\n,]{{0,100}},\s*N?{_VALUE}"),
        (
            ".auth( .login( .authenticate(",
            rf"\.(?:auth|login|authenticate|log_in|sign_in)\(\s*[\"'][^\"'\n]{{1,100}}[\"']\s*,\s*{_VALUE}",
        ),
        ("user ", r"(?m)(?:^|ftp> ?|> ?)user\s+[\w.@-]{1,60}\s+(?P<value>[^\s\"':,]{3,200})\s*$"),
        ("wpa_passphrase", rf"\bwpa_passphrase\s+\S+\s+{_VALUE}"),
        ("nmcli", rf"\bnmcli\b[^\n]{{0,200}}?\s(?:password|wifi-sec\.psk)\s+{_VALUE}"),
        (
            "identified",
            rf"\bIDENTIFIED\s+(?:WITH\s+[\"'`]?\w+[\"'`]?\s+)?(?:BY|AS)\s+(?:(?:PASSWORD|VALUES)\s+)?{_VALUE}",
        ),
        (
            "password",
            r"\b(?:(?:ENCRYPTED|UNENCRYPTED|WITH|USER|ROLE|LOGIN)\b[^\n;]{0,80}?\s)PASSWORD\s+(?P<value>\\?'(?:[^"
            r"'\n]|''){1,400}\\?'|\"[^\"\n]{1,400}\")",
        ),
        ("set password", rf"\bSET\s+PASSWORD\b[^\n=;]{{0,100}}=\s*(?:PASSWORD\s*\(\s*)?{_VALUE}"),
        ("password(", r"(?<![\w.])(?:OLD_)?PASSWORD\s?\(\s*(?P<value>'[^'\n]{1,400}'|\"[^\"\n]{1,400}\")"),
        ("dblink crypt(", r"\bcrypt\(\s*(?P<value>'[^'\n]{1,400}')"),
        (
            "auth",
            r"(?m)(?:^|[>$\"'\]] ?)AUTH\s+(?:(?!PLAIN|LOGIN|CRAM)[\w.-]{1,40}\s+)?(?!failed|error|required"
            r"|plain\b|login\b|cram|success|ok\b)(?P<value>[^\s\"':,]{3,400})[\"']?\s*$",
        ),
        ("auth", r"\bAUTH(?:ENTICATE)?\s+(?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5)\s+(?P<value>[\w+/=]{6,2000})"),
        ("pass", r"(?m)(?:^|[>:<-]\s{0,3}|\bC: )PASS\s+(?P<value>(?![./\[]|test|\w+::|\S*[/.]\S*\.\w+)\S{3,200})\s*$"),
        ("login", rf"(?:^|[>:<-]\s{{0,3}})\w{{1,10}}\s+LOGIN\s+[\"']?[\w.@+-]{{1,100}}[\"']?\s+{_VALUE}"),
        (
            "machine login default",
            r"\blogin\s+\S{1,100}\s+(?:account\s+\S{1,100}\s+)?password\s+(?P<value>\"[^\"\n]{1,400}\"|\S{1,400})",
        ),
        ("machine password", r"\bmachine\s+\S{1,200}\s+password\s+(?P<value>\S{1,400})"),
        ("requirepass masterauth", rf"\b(?:requirepass|masterauth|masteruser)[\"']?[ \t]+{_VALUE}"),
        (
            "community",
            rf"\b(?:community|enable secret|enable password|key-string|secret \d|password"
            rf" [057])\s+(?:[0579]\s+)?{_VALUE}",
        ),
        (
            "pgpass :",
            r"(?m)(?<![^\s\"'])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<value>[^\s:]{2,200})\s*$",
        ),
        (
            "/",
            r"(?i)(?:账号|帐号|用户名?|account|login|credentials?|user(?:name)?)(?:[ /&和]{1,3}(?:密码|口令"
            r"|password|pass|pwd))[ \t]{0,4}[:=是为]{0,2}[ \t]{0,4}[\"'`]?[\w.@+-]{1,60}[ \t]{0,3}[/:|,]["
            r" \t]{0,3}(?P<value>[^\s\"'`,;|。]{3,200})",
        ),
        ("smb user", r"(?i)\b(?:username|user)=[^,\s]{1,60},pass(?:word)?=(?P<value>[^\s\"']{1,200})"),
    )
)
_INSERT = re.compile(r"\bINSERT\s+INTO\s+[^\s(]{1,100}\s*\((?P<columns>[^()]{1,2000})\)\s*VALUES\s*", re.IGNORECASE)
_ITEM = re.compile(
    r"\s*(?P<value>[NEnebx]?'(?:[^'\\]|''|\\.){0,2000}'|\"[^\"\n]{0,2000}\"|[^,()'\"]{1,400}"
    r"|\w+\([^()]{0,400}\))\s*(?P<end>[,)])"
)


_ALL = (*_COMMANDS, *_PLACES)
_HINTS = Hints(hints for hints, _ in _ALL)


def commands(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the secrets in commands, SQL and files of logins."""
    for place in _HINTS.places(lower):
        regex = _ALL[place][1]
        for match in regex.finditer(text):
            if "name" in regex.groupindex and grade(match["name"]) is Grade.NONE:
                continue
            value = _unquoted(text, match)
            if is_secret(text[value.start : value.end], Grade.ANY, quoted=value.quoted):
                yield SecretSpan(value.start, value.end, "password")
    if "insert" in lower:
        yield from _inserted(text)


def _unquoted(text: str, match: re.Match[str]) -> Value:
    start, end = match.span("value")
    inside = quoted_value(text, start) if match["value"][0] in "\"'" or match["value"].startswith("\\'") else None
    return inside or Value(start, end, quoted=False)


def _inserted(text: str) -> Iterator[SecretSpan]:
    """Yield the values that SQL writes into columns of secrets."""
    for match in _INSERT.finditer(text):
        secret = [grade(column.strip(' `"[]\n')) is Grade.ANY for column in match["columns"].split(",")]
        at = match.end()
        while any(secret) and text.startswith("(", at):
            at += 1
            for is_one in secret:
                item = _ITEM.match(text, at)
                if not item:
                    break
                if is_one and is_secret(item["value"].strip("'\""), Grade.ANY, quoted=item["value"][-1] in "'\""):
                    yield SecretSpan(*item.span("value"), "password")
                at = item.end()
            while text[at : at + 1] in (",", " ", "\n") and at < len(text):
                at += 1
