"""Find personal numbers, and secrets with a known form or in a known command, SQL statement, header or file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.base.frozen import Texts
from core.features.learning.masks.spans import Regex, Secrets, SecretSpan
from core.features.learning.masks.values import Grade, Value, grade, is_placeholder, is_secret, quoted_value


class Pattern(NamedTuple):
    """A pattern for a kind of secret. If it has a group `value`, only that group is the secret.

    If there are `hints`, text is skipped unless it contains at least one of them in lower case. If `guessed` is True,
    a value counts as a secret only if `is_secret` says so. A group `name` must match the name of a secret. To keep
    matching fast, nested repetitions must be bounded.
    """

    kind: str
    hints: Texts
    regex: Regex
    guessed: bool = False


_VALUE = r"(?P<value>\"[^\"\n]{1,1000}\"|'[^'\n]{1,1000}'|[^\s\"'`|;，。”]{1,1000})"
# Parts of the patterns below.
_PARTS = {
    "VALUE": _VALUE,
    # The start and end of an entry on a line of its own, in quotes, in a table cell, or after the head of a log line.
    "FROM": r"(?:^|(?<=[\"'`>(|*\[“:=])|(?<=[-:>|*.\]] ))",
    "TO": r"(?=\\?[\"'`*)\]}|<,;，。”]|[ \t]*(?:$|[|]|&\w+=))",
    "URL": r"[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}",
    "VENDORS": (
        r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|gl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent|oas|wt"
        r"|ffct)-[\w-]{16,}"
        r"|sk-[\w-]{16,}|(?:sk|rk|pk)_(?:live|test|prod)_\w{10,}|whsec_[\w+/=]{16,}|xox[a-z]{1,2}-[\w.-]{10,}"
        r"|xapp-[\w-]{10,}"
        r"|(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA|AIPA)[A-Z0-9]{12,}|AIza[\w-]{30,}|ya29\.[\w.-]{20,}"
        r"|1//0[\w-]{20,}|GOCSPX-[\w-]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|hf_[A-Za-z0-9]{20,}"
        r"|rubygems_[a-f0-9]{20,}"
        r"|SG\.[\w-]{16,}\.[\w-]{16,}|do[oprt]_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{20,}"
        r"|dckr_[a-z]{3}_[\w-]{16,}"
        r"|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{13,}|age-secret-key-1[a-z0-9]{40,}|AGE-SECRET-KEY-1[A-Z0-9]{40,}"
        r"|(?:bot)?\d{8,10}:AA[\w-]{30,}|hv[sbr]\.[\w.-]{20,}|[sb]\.[A-Za-z0-9]{24}(?!\w)"
        r"|dp\.[a-z]{2,6}\.(?:[\w-]{2,40}\.)?[\w-]{20,}"
        r"|ATATT3x[\w=-]{20,}|ATCTT3x[\w=-]{20,}|ATBB[\w=]{20,}|lin_(?:api|oauth)_\w{20,}|ntn_\w{20,}"
        r"|figd_[\w-]{20,}|fig[ou]_[\w-]{20,}"
        r"|pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|sq0[a-z]{3}-[\w-]{20,}|EAA[A-Za-z0-9]{30,}|(?:AC|SK"
        r"|PK)[a-f0-9]{32}|key-[a-f0-9]{32}"
        r"|[a-f0-9]{32}-us\d{1,2}|PMAK-[\w-]{20,}|sntry[su]_[\w+/=-]{20,}|dapi[a-f0-9]{32}(?:-\d)?|gl(?:c"
        r"|sa)_[\w=+/-]{20,}"
        r"|pscale_[a-z]{2,6}_[\w.-]{20,}|tf[ep]_[\w-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"
        r"|FLWSECK[\w-]{12,}|shippo_\w{20,}"
        r"|NR(?:AK|II|JS|BR|SP)-[\w-]{12,}|ph[cx]_\w{20,}|sbp_[a-f0-9]{20,}|sb_(?:secret"
        r"|publishable)_[\w-]{20,}|FlyV1 fm\d_[\w+/=,-]{20,}"
        r"|fo1_[\w-]{20,}|fm[12]_[\w+/=-]{20,}|r8_[A-Za-z0-9]{20,}|gsk_\w{20,}|xai-\w{20,}|pplx-\w{20,}"
        r"|nvapi-[\w-]{20,}|tvly-[\w-]{16,}"
        r"|lsv2_[a-z]{2}_\w{20,}|ops_eyJ[\w-]{20,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5,6}){3,4}"
        r"|[\w~.-]{3}\dQ~[\w~.-]{30,}"
        r"|[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,}|dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|oy2[a-z0-9]{43}"
        r"|AQVN[\w-]{35,}"
        r"|EZ[AT]K\w{40,}|xkeysib-[a-f0-9]{40,}(?:-\w+)?|CFPAT-[\w-]{40,}|(?:live|test)_[A-Za-z0-9]{30,}"
        r"|v1\.0-[a-f0-9]{20,}-[a-f0-9]{100,}"
        r"|cio_?[a-z]?[A-Za-z0-9]{32,}|crates?io[A-Za-z0-9]{32,}|HRKU-[\w-]{30,}|PRVK-[\w-]{20,}"
        r"|bkua_[a-f0-9]{40}|ory_[a-z]{2}_[\w-]{20,}"
        r"|p8e-[a-z0-9]{32}|(?i:clojars)_[a-z0-9]{60}|fio-u-[\w-]{40,}|api_org_[A-Za-z]{34}|nfp_\w{36}"
        r"|API-[A-Z0-9]{26}|rdme_[a-z0-9]{60,}"
        r"|access-(?:sandbox|development|production)-[\da-f-]{36}|pnu_[a-z0-9]{36}|pul-[a-f0-9]{40}"
        r"|sq[upa]_[a-z0-9]{40}"
        r"|sgp_[\w-]{40,}|sm_[a-z]{3}_\w{16}|dnkey-[a-z0-9-]{60,}"
    ),
    "HASHES": (
        r"\$(?:2[abxy]?\$\d\d|[156y7]|gy|apr1|md5|sha1|scrypt|argon2(?:id|i|d)|pbkdf2[\w-]*|P|H|S"
        r"|bcrypt-sha256)\$[^\s\"':;<>|]{8,}"
        r"|\$[PHS]\$[./A-Za-z0-9]{20,}|\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[^\s\"',;<>|]{12,}"
        r"|(?:pbkdf2|scrypt|bcrypt|argon2)(?:_sha\d+|:[\w:]{1,100})?\$[^\s\"',;<>|]{16,}"
        r"|pbkdf2:sha\d+:\d+\$[^\s\"',;<>|]{16,}"
        r"|\*[0-9A-F]{40}(?!\w)|(?<![\w])[a-f0-9]{32}:[a-f0-9]{32}(?=:|\W|$)|SCRAM-SHA-\d+\$[^\s\"',;<>|]{16,}"
    ),
}
# Each entry consists of a kind and hints, followed by a pattern.
_SHAPES = r"""
key: private key
    (?s)-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}.*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5}|\Z)
token: eyj
    (?<![A-Za-z0-9])eyJ[\w-]{8,}(?:\.[\w-]*){1,4}
token:
    (?<![A-Za-z0-9])(?=[\w.~/+ -]{16}|\d{8,10}:AA)(?:<VENDORS>)(?:[.~]?[\w+/=-])*+
password: $ {s {m {c {p {a * scram :
    (?<![A-Za-z0-9])(?:<HASHES>)
password: :
    (?m)^[a-z_][\w.-]{0,31}\$?:(?P<value>[!*]{0,2}(?:\$[^:\s]{8,}|[./A-Za-z0-9]{13}))(?=:(?:\d*:){2,6})
token: hooks.slack.com discord /hook webhook.office logic.azure
    (?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/
    |/open-apis/bot/v2/hook/|/webhookb2/|hooks\.zapier\.com/hooks/catch/|hook\.\w+\.make\.com/|webhook\.site/)
    (?P<value>[^\s\"'<>)\]]{8,})
token: webhook/send?key=
    (?i)webhook/send\?key=(?P<value>[\w-]{16,})
token: api.telegram.org/bot
    api\.telegram\.org/(?:file/)?bot(?P<value>[^\s/\"']{16,})
cookie: cookie
    (?i)\b(?:set-)?cookie2?\b\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?(?P<value>[^\s\"'=;]{1,200}=[^\"'\r\n]*+)
token: authorization
    (?i)authorization\b\\{0,3}[\"']?[ \t]*(?:[:=,]|=>)[ \t]*\\{0,3}[\"']?(?:(?:bearer|basic|token|apikey|api-key
    |key|negotiate|ntlm|digest|aws4-hmac-sha256|oauth|hawk|signature|sharedkey|bot|jwt|sso-key|splunk
    |genie[kK]ey|private-token)[ \t]+)?+(?!(?:bearer|basic)\b)(?P<value>(?<=digest )[^\r\n]+|(?<=oauth )[^\r\n]+
    |(?<=sha256 )[^\r\n]+|(?<=hawk )[^\r\n]+|(?<=signature )[^\r\n]+|[^\s\"',;<>]{2,}+)
token: bearer basic
    (?i)\b(?:bearer|basic)[ \t]+(?![A-Za-z_]+=\S)(?P<value>(?=[^\s\"']{0,200}[\d=+/._~-])[\w.~+/=-]{8,}+)
password: ://
    (?i)<URL>[^\s/:@\"'<>]{0,200}:(?!\d{1,5}(?:[/?#]|$)[^@]*+@[^/]*(?:$|[\s,]))(?P<value>[^\s\"'<>]{1,2000})@
    (?=[\w.\[%{$-])
token: ://
    (?i)<URL>(?P<value>(?=[a-z_-]*\d)[\w~.-]{16,400})@
password: @
    (?<![\w:/.@-])[\w.+-]{1,60}:(?!//)(?P<value>(?=[^\s@]{0,60}[A-Za-z!#$%^&*])
    (?=[^\s@]{0,60}[\d!#$%^&*])[^\s:@\"'/,]{4,200})@(?:[\w-]{1,60}\.){0,6}[A-Za-z][\w-]{0,60}(?=:\d
    |[.\w]*\.[a-z])
token: code verif 验 驗
    (?i)(?<![\w.-])(?P<value>(?:[A-Z]-)?\d{4,8})(?=[ ,]{0,3}(?:(?:is|as|为|是)[ ]?)(?:your|the|您|你)[^\n.。]{0,40}
    (?:code|otp|验证码|驗證碼|动态码|校验码))
card: cv security 安全码 c码
    (?i)(?<![A-Za-z0-9])(?:cvv2?|cvc2?|cvn2?|security code|安全码)[^\w\n]{1,4}(?:is )?(?P<value>\d{3,4})(?!\d)
email: @
    (?i)<URL>[^\s\"'<>@]{0,300}@|(?P<value>(?<![\w.+-])(?!git@)[\w.+-]{1,64}@
    (?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])|[\u4e00-\u9fff]{1,8}@
    (?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-]))
host: .local .lan .home
    (?i)(?:(?<=//)|(?<=@)|(?<=\\\\)|(?<![\w.-])(?!threading\.)(?=[\w.-]{1,200}:(?:22|25|53|80|\d{3,5})(?![\w.:])))
    (?:[a-z\d][\w-]{0,62}\.){1,6}(?-i:local(?:domain)?|lan|home(?:\.arpa)?)(?![\w-]|\.\w)(?::\d{2,5}(?!\d))?
token: contribsys
    (?i)contribsys__com[=:]\s?(?P<value>[a-f\d]{8}:[a-f\d]{8})
token: adafruit algolia asana beamer bitbucket cloudflare codecov coinbase dropbox etsy fastly finnhub kraken nytimes
    (?i)(?:adafruit|algolia|asana|beamer|bitbucket|cloudflare|codecov|coinbase|dropbox|etsy|fastly|finnhub
    |kraken|nytimes)[\w.-]{0,20}[\"']?\s?[=:]\s?[\"']?(?P<value>(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{15,64})
    (?![\w.-])
password: seed mnemonic phrase bip39 助记词
    (?i)(?:seed|mnemonic|phrase|bip-?39|助记词)[^\n]{0,30}?(?<![\w-])(?P<value>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})
password: answer maiden 密保 安全问题
    (?i)(?:security\s(?:question|answer)|maiden\sname|密保|安全问题)[^\n]{0,80}?(?:\banswer|\bname|答案)[^\n.。:：是]{0,30}?
    (?:[:=：是为]|\bis\b|\bwas\b)\s{0,3}<VALUE>
id: 护照 通行证 passport
    (?i)(?:护照|通行证|passport)(?:号码?|[ ](?:no\.?|number))?\s{0,4}[:：是为]?\s{0,4}(?P<value>[A-Z]{1,2}\d{7,8})
    (?![A-Za-z0-9])
"""
# Commands and their options that take a password. If an option ends in `=`, the password is part of it.
_OPTIONS = r"""
(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane)[^\n|;]{0,60}\slogin  -p
redis-cli|redis-benchmark|keydb-cli|valkey-cli  -a
mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli  -p=
sshpass|hydra|medusa|ncrack|patator|crackmapexec|netexec|nxc|evil-winrm|impacket-\w+|smbmap|xprobe  -p
ssh-keygen  -N -P
mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport  -p
az|twine|psexec(?:\.exe)?|rdesktop|ncftp\w*|heketi-cli|cqlsh|influx|wrangler|pscp|plink|putty  -p -pw -password
sqlcmd|bcp|isql|mosquitto_(?:pub|sub)|ipmitool|osql|zip|unzip  -P
ldap(?:search|add|modify|passwd|whoami|delete)  -w
snmp\w+  -A -X -c
openssl  -k -K
7z[ar]?|rar|unrar  -p= -hp=
xfreerdp\d?|wfreerdp  /p:=
cmdkey|net|runas  /pass:=
schtasks  /rp /p
useradd|usermod  -p
ipa(?:-[\w-]+)?  -p -a -w
"""


def _command(names: str, option: str) -> Regex:
    flag = re.escape(option[:-1]) if option.endswith("=") else f"{re.escape(option)}(?:[ \t]{{1,4}}|=)?"
    return re.compile(
        rf"(?a)(?<![\w./-])(?:[\w./-]{{0,80}}/)?(?:{names})(?:\.exe)?(?=\s)(?:[^\n|;]{{0,300}}?\s){flag}{_VALUE}"
    )


_COMMANDS = tuple(
    Pattern("password", tuple(re.findall(r"(?:^|\||\?:)([\w-]+)", names)), _command(names, option), guessed=True)
    for names, *options in map(str.split, _OPTIONS.strip().split("\n"))
    for option in options
)
# Each entry consists of hints, followed by a pattern. A value is a secret unless it clearly isn't one.
_PLACES = r"""
-u --user --proxy
    (?<![^\s\"'`(=\[,])(?:-u|--user|--proxy-user|-U|--digest -u)[ =]{0,3}[\"']?[\w.@+\\-]{1,100}:(?!//)<VALUE>
-u
    \b(?:lftp|smbclient|winexe|rpcclient|net|pth-\w+)\b[^\n|;]{0,200}?-u[ ]{0,2}[\"']?[\w.\\/-]{1,60}[,%]<VALUE>
sqlplus expdp impdp rman sqlldr
    \b(?:sqlplus|expdp|impdp|rman|sqlldr)\b[^\n|;]{0,100}?\s[\w.]{1,40}/(?P<value>[^\s@/]{2,200})(?=@|\s|$)
jdbc:oracle
    jdbc:oracle:\w{1,10}:[\w.]{1,40}/(?P<value>[^\s@]{2,200})@
user:
    \bnet\s+use\s[^\n]{0,200}?/user:\S+\s+<VALUE>
net use
    \bnet\s+use\s+\S{1,200}\s+(?:\\\S{1,200}\s+)?(?![/\\*])<VALUE>(?=\s+/|[ \t]*$)
encrypt_string
    \bencrypt_string\s+(?:-\S+\s+)*<VALUE>
wlan wireless wifi wi-fi ssid content
    \b(?:(?:wlan|wireless|wi-?fi|ssid)\b[^\n]{0,120}\bkey|key content)[ \t]*[:=][ \t]*<VALUE>
user
    \bnet\s+(?:rpc\s+|ads\s+)?user\s+(?:add\s+)?[\w.-]+\s+(?!/)<VALUE>
htpasswd
    \bhtpasswd\s+(?:-\w+\s+)*\S+\s+\S+\s+<VALUE>
openssl -pass
    -pass(?:in|out)?[ \t]+[\"']?pass:<VALUE>
echo printf
    \b(?:echo|printf)\s+(?:-[ne]+\s+|[\"']?%s(?:\\n)?[\"']?\s+)*[\"']?(?:[\w.-]{1,40}:)?(?P<value>[^\s\"'|][^\"'
    |\n]{1,200}?)[\"']?\s*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:chpasswd|passwd|sudo\b|su\b|cryptsetup|gpg|kinit
    |smbpasswd|ecryptfs\S*|docker|podman|\S+ [^\n|]{0,80}--?\S{0,20}(?:passw|passphrase|token|secret|key)\S*)
chpasswd
    \bchpasswd\b[^\n]{0,40}<<<\s*[\"']?[\w.-]{1,40}:<VALUE>
vault login
    \bvault\s+login\s+(?:-\S+\s+)*(?![-/])<VALUE>
vault kv
    \bvault\s+kv\s+(?:put|patch)\s+(?:-\S+\s+)*\S+\s+[\w-]{1,60}=<VALUE>
set config env define export append add secret option
    \b(?:config|configure|option|set|setx|env|define|export|append|add|secret|setenv)\s+(?:set\s+|--\w+\s+)*
    (?P<name>[/\w.:@-]{3,100})[ \t]+<VALUE>
convertto-securestring
    ConvertTo-SecureString\s+(?:-String\s+)?<VALUE>
cryptsetup gpg openssl passwd su kinit
    \b(?:cryptsetup|gpg|openssl|passwd|sudo|su|kinit)\b[^\n]{0,200}<<<\s*<VALUE>
alias set
    \bmc\s+(?:alias|config host)\s+(?:set|add)\s+\S+\s+\S+\s+\S+\s+<VALUE>
rclone
    \brclone\b[^\n]{0,200}?\spass\s+<VALUE>
add_user authenticate_user
    \brabbitmqctl\s+(?:-\S+\s+\S+\s+)*(?:add|authenticate)_user\s+\S+\s+<VALUE>
sp_addlogin sp_password
    \bsp_(?:addlogin|password|addlinkedsrvlogin)\b[^\n,]{0,100},\s*N?<VALUE>
.auth( .login( .authenticate(
    \.(?:auth|login|authenticate|log_in|sign_in)\(\s*[\"'][^\"'\n]{1,100}[\"']\s*,\s*<VALUE>
user
    (?:(?P<ftp>ftp> ?)|^|> ?)user\s+[\w.@-]{1,60}\s+(?P<value>[^\s\"'`:,，<|)]{3,200})(?(ftp)<TO>|\s*$)
disarm unlock 解锁
    (?:disarm\w*|unlock\w*|解锁)[^\n.,]{0,30}?(?:\bwith\s|\bby\s|用)(?:\w{1,10}\s){0,3}(?P<value>\d{4,8})(?!\w)
pdo( connect( connection( mysqli(
    (?:PDO|connect|connection|mysqli)\((?=[^()\n]{0,200}[\"'])[^()\n]{1,200}?,\s?[\"'][\w.@-]{1,60}[\"'],\s?<VALUE>
isakmp authentication-key
    \b(?:isakmp\s+key|authentication-key)\s+(?:\d+\s+)?(?:md5\s+|sha\S*\s+|[067]\s+)?<VALUE>
nickserv chanserv
    \b(?:nick|chan)serv\b[^\n]{0,20}\b(?:identify|register|ghost|recover)[ ]+(?:\S+[ ]+)?(?P<value>\S{3,100})[ ]*$
用 with as
    (?:用|\bwith\s|\bas\s)\s?[\w.@+-]{2,60}\s?(?:和|and\s|/)\s?["'“「]?(?P<value>[^\s"'”」,;，。\u4e00-\u9fff]{4,60})["'”」]?\s?
    (?:登[录陆]|进入|to\s(?:log|sign)\s?in)
wpa_passphrase
    \bwpa_passphrase\s+\S+\s+<VALUE>
nmcli
    \bnmcli\b[^\n]{0,200}?\s(?:password|wifi-sec\.psk)\s+<VALUE>
identified
    \bIDENTIFIED\s+(?:WITH\s+[\"'`]?\w+[\"'`]?\s+)?(?:BY|AS)\s+(?:(?:PASSWORD|VALUES)\s+)?<VALUE>
password
    \b(?:(?:ENCRYPTED|UNENCRYPTED|WITH|USER|ROLE|LOGIN)\b[^\n;]{0,80}?\s)PASSWORD\s+(?P<value>\\?'(?:[^'\n]
    |''){1,400}\\?'|\"[^\"\n]{1,400}\")
set password
    \bSET\s+PASSWORD\b[^\n=;]{0,100}=\s*(?:PASSWORD\s*\(\s*)?<VALUE>
password(
    (?<![\w.])(?:OLD_)?PASSWORD\s?\(\s*(?P<value>'[^'\n]{1,400}'|\"[^\"\n]{1,400}\")
dblink crypt(
    \bcrypt\(\s*(?P<value>'[^'\n]{1,400}')
auth
    (?:<FROM>|\$ ?)AUTH[\"']?\s+[\"']?(?:(?!PLAIN|LOGIN|CRAM)[\w.-]{1,40}(?:\s+|[\"']\s+[\"']))?(?!failed|error
    |required|plain\b|login\b|cram|success|ok\b)(?P<value>[^\s\"'`:,;|<)，。]{3,400})<TO>
auth
    \bAUTH(?:ENTICATE)?\s+(?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5)\s+(?P<value>[\w+/=]{6,2000})
pass
    <FROM>PASS\s+(?P<value>(?![./\[]|test|\w+::|\S*[/.]\S*\.\w+)[^\s\"'`|<,;)，。]{3,200})<TO>
login
    (?:<FROM>\w{1,10}|(?<![\w.-])[a-z]{0,4}\d{1,8})\s+LOGIN\s+[\"']?[\w.@+-]{1,100}[\"']?\s+<VALUE>
login
    \"login\",\s?\"args\":\s?\[\"[^\"\n]{1,100}\",\s?<VALUE>
@
    (?<![\w.+-])(?!git@)[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,6}[a-z]{2,24}(?:[ \t]?[/;][ \t]?|:|-{4})
    (?![\w.~-]*[/:]|\d+[-/.]\d)(?P<value>(?=[^\s@]{0,199}[A-Za-z])(?=[^\s@]{0,199}[\d!#$%^&*+=?~])[^\s\"'`
    |/<>,;)，。”]{6,200})
@ admin root 管理员
    (?<![\w.+-])(?:(?!git@)[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,6}[a-z]{2,24}|(?:admin(?:istrator)?|root|管理员)
    (?:[ \t]?[/|:,：，])?)[ \t]{1,8}(?P<value>(?=\D{0,60}\d)(?:(?=[\w!#$%^&*.?~+=-]{8,60}<TO>)(?-i:
    (?=[^\sA-Z]{0,60}[A-Z])(?=[^\sa-z]{0,60}[a-z]))|(?=[^\s!#$%^*?~+]{1,60}[!#$%^*?~+]\w))(?![\w.-]{1,60}(?:=
    |%[0-9A-F]{2}|#\d{1,9}(?!\w)))[^\s\"'`|/<>,;:()，。”]{6,60}(?![/:(]))
<<<
    (?:passw|passwd|secret|token|_key|pass)\w{0,40}[^\n|;]{0,80}<<<\s*<VALUE>
secret
    secret[ _-]?id[\"']?\s{0,4}[:=]?\s{0,16}[\"']?(?P<value>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})
*
    <FROM>[\"']?[\w.@*-]{1,80}[\"']?[ \t]+\S{0,80}[^\s:][ \t]+\"(?P<value>[^\"\n]{1,200})\"[ \t]+\*
setuser
    \bSETUSER\s[^\n>]{1,200}><VALUE>
argc=
    \ba\d=\"-(?:p|-password|-pass)\" a\d+=<VALUE>
assword:
    assword:?\S?[\"']\s*[{;]?\s*send\s+(?:--\s+)?<VALUE>
http-basic
    \bhttp-basic\.[\w.-]{1,60}\s+\S{1,100}\s+<VALUE>
_auth
    \b_auth\s?=\s?<VALUE>
pwd={ password={
    \b(?:PWD|PASSWORD)=\{(?P<value>(?=[^}\n]{0,200}[^\w}]|[^}\n]{0,200}\d)[^}\n]{1,200})\}
machine login default
    \blogin\s+\S{1,100}\s+(?:account\s+\S{1,100}\s+)?password\s+(?P<value>\"[^\"\n]{1,400}\"|\S{1,400})
machine password
    \bmachine\s+\S{1,200}\s+password\s+(?P<value>\S{1,400})
requirepass masterauth
    \b(?:requirepass|masterauth|masteruser)[\"']?[ \t]+<VALUE>
community enable key-string
    \b(?:community|enable secret|enable password|key-string)\s+(?:[0579]\s+)?<VALUE>
secret password key
    \b(?:secret|password|key) [0579]\s+(?=\S{0,200}\d)<VALUE>
:
    (?<![A-Za-z0-9.*-])(?<![A-Za-z0-9]:)(?!(?:[0-9a-fA-F]{2}:){3})[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:
    (?P<value>[^\s\"'`|<,;)，。”]{2,200})<TO>
:p: p:
    \bWIFI:(?=T:|S:)[^\n]{0,200}?(?<=[:;])P:(?P<value>(?:[^;\\\n]|\\.){1,200});
/
    (?i)(?:账号|帐号|用户名?|account|login|credentials?|user(?:name)?)(?:[ /&和]{0,3}(?:密码|口令|password|pass
    |pwd))[ \t]{0,4}[:=是为]{0,2}[ \t]{0,4}[\"'`]?[\w.@+-]{1,60}[ \t]{0,3}[/:|,][ \t]{0,3}(?P<value>[^\s\"'`,;
    |。]{3,200})
log sign cred account 登 账 帐 凭
    (?:\b(?:log[ -]?(?:ged )?in|sign[ -]?in|cred(?:ential)?s?|account)\b|登[录陆]|[账帐][号户]|凭[证据])
    [^\n;。]{0,40}?(?<![\w.@+-])[\w.@+-]{2,60}[ \t,，、)）'\"”]{0,3}
    (?:(?:and|then|with|plus|和|跟|以及)\s{0,2}|[/|][ \t]{0,3}){1,2}
    [('\"“‘「]?(?P<value>(?=[^\s,;，。]{0,60}\d)(?=[^\s,;，。]{0,60}[A-Za-z]{3})[A-Za-z][^\s\"'`,;|/，。)”<>=\\]{5,60})
use try enter type with 用 填 输入
    (?:\b(?:us(?:e|ing)|try|enter|type|with)\s|[用填入]\s?)[\"'“‘「`]?(?P<value>(?=[^\s作当]{0,60}\d)(?=[^\s作当]{0,60}[A-Za-z]{3})
    [^\s\"'`”’」,;，。作当]{6,60})[\"'”’」`]?\s?(?:as|for|作为?|当作?)\s?(?:(?:the|your|my|our|a|an|new|temporary|initial|新)\s?){0,3}
    (?P<name>[\w-]{2,40}(?:\s[\w-]{2,20})?)
smb user
    (?i)\b(?:username|user)=[^,\s]{1,60},pass(?:word)?=(?P<value>[^\s\"']{1,200})
"""


def _read(table: str, flags: str) -> Iterator[tuple[str, Regex]]:
    """Yield the first line of each entry in a table, and the pattern compiled from the lines below it."""
    for entry in re.split(r"\n(?=\S)", table.strip()):
        first, *rest = entry.split("\n    ")
        pattern = re.sub("<([A-Z]+)>", lambda part: _PARTS[part[1]], "".join(rest))
        yield first, re.compile(f"(?{flags}){pattern}")


# Patterns for all kinds of secrets, most certain first.
PATTERNS = (
    *(
        Pattern(kind, tuple(hints.split()), regex)
        for first, regex in _read(_SHAPES, "a")
        for kind, _, hints in (first.partition(":"),)
    ),
    *_COMMANDS,
    *(Pattern("password", tuple(hints.split()), regex, guessed=True) for hints, regex in _read(_PLACES, "im")),
)
_INSERT = re.compile(r"(?i)\bINSERT\s+INTO\s+[^\s(]{1,100}\s*\((?P<columns>[^()]{1,2000})\)\s*VALUES\s*")
_ITEM = re.compile(
    r"\s*(?P<value>[NEnebx]?'(?:[^'\\]|''|\\.){0,2000}'|\"[^\"\n]{0,2000}\"|[^,()'\"]{1,400}"
    r"|\w+\([^()]{0,400}\))\s*(?P<end>[,)])"
)
# A private key that spans several lines. Its end may be missing.
_KEY = re.compile(
    r"(?a)-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?![^\n]*(?:-{4,5} ?END |\\n))[^\n]*"
    r"(?:\n(?![^\n]*-{4,5} ?END )[ \t\w+/=:,.\"\\|-]*+(?=\n|\Z))*+(?:\n[^\n]*?-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5})?",
)
# A field in a multipart form: its headers, an empty line, and its value.
_PART = re.compile(
    r"\bname=\"?(?P<name>[\w.-]{1,80})\"?[^\n]*\n(?:[A-Z][\w-]{1,60}:[^\n]*\n){0,3}[ \t>]*\n[ \t>]*"
    r"(?P<value>[^\n]{1,400})"
)
# A name at the end of a line, with its value on the next line, as in YAML blocks.
_BELOW = re.compile(
    r"(?m)(?<![\w$.-])(?P<name>[\w$.-]{2,100}+)[\"'`]?[ \t]*+(?:[:=]|(?<=[ \t])is:?)[ \t]*(?:"
    r"(?:[|>][+-]?|\\|<<-?[\"']?\w{1,20}[\"']?)[ \t]*\n[ \t]*(?!\S*[:=](?:\s|$))(?P<block>[^\s:#|<>{}\[\]-][^\n]*)"
    r"|\n[ \t]*(?!\S*[:=]$)(?P<value>[^\s:#|<>{}\[\]-]\S*)[ \t]*$)",
)
# A secret on a line of its own, after a command that prints it or a line that ends with the name of a secret.
_PRINTED = re.compile(
    r"(?m)^[ \t]*+(?P<name>[$#>%][ ][^\n]{0,400}\b(?:secrets?|pass|op|password|token|print-\w+|base64)\b[^\n]{0,400}"
    r"|[^\n]{0,400}(?<![A-Za-z])(?:(?i:password|secret|token)|base64 --?\w{1,8}))\n"
    r"(?P<value>(?=\S{0,200}[\d!#$%^&*+=?~])[^\s/:]{6,200})$",
)
_MANIFEST = re.compile(
    r"(?m)^(?P<indent>[ \t]*)(?:stringData|data):[ \t]*\n(?:(?P=indent)[ \t]+[^\n]*(?:\n|\Z)){1,500}"
    r"|\"(?:stringData|data)\":\s?\{[^{}]{1,20000}\}",
)
_OF_SECRET = re.compile(r"stringData|\bkind\"?:[ ]?\"?Secret\b")
# An entry in a Kubernetes Secret's data, in YAML or JSON. Its value is secret regardless of its name.
_ENTRY = re.compile(r"(?m)^[ \t]+(?:[\w.-]{1,100}:[ \t]+)?(?P<value>[^\s\"][^\n]*)|:[ \t]?\"(?P<quoted>[^\"\n]+)")
# Maximum distance, in characters, between the `data` of a Kubernetes Secret and its `kind`.
_ABOUT = 2_000


def known_secrets(text: str, lower: str) -> Secrets:
    """Yield the secrets that match a pattern. `lower` is the text in lower case."""
    for kind, hints, regex, guessed in PATTERNS:
        for match in regex.finditer(text) if not hints or any(hint in lower for hint in hints) else ():
            if "value" not in regex.groupindex:
                yield SecretSpan(*match.span(), kind)
            elif match["value"] and ("name" not in regex.groupindex or grade(match["name"])):
                is_quoted = match["value"].lstrip("\\").startswith(("'", '"'))
                inside = is_quoted and quoted_value(text, match.start("value"))
                start, end, quoted = inside or Value(*match.span("value"), quoted=False)
                if (
                    is_secret(text[start:end], Grade.ANY, quoted=quoted)
                    if guessed
                    else kind == "email" or not is_placeholder(text[start:end])
                ):
                    yield SecretSpan(start, end, kind)
    if "insert" in lower:
        yield from _inserted(text)


def blocks(text: str) -> Secrets:
    """Yield secrets that span several lines, in private keys, forms, YAML blocks, and Kubernetes Secrets."""
    yield from (SecretSpan(*match.span(), "key") for match in _KEY.finditer(text))
    for regex in (_PART, _PRINTED, _BELOW):
        for field in regex.finditer(text):
            sure = grade(field["name"])
            group = field.lastgroup or ""
            if sure > Grade.RANDOM and is_secret(field[group], sure):
                yield SecretSpan(*field.span(group))
    for block in _MANIFEST.finditer(text):
        if _OF_SECRET.search(text, max(0, block.start() - _ABOUT), block.end() + _ABOUT):
            for entry in _ENTRY.finditer(text, block.start() + block[0].index(":"), block.end()):
                name = entry.lastgroup or ""
                if not is_placeholder(entry[name].rstrip("|>-+")):
                    yield SecretSpan(*entry.span(name))


def _inserted(text: str) -> Secrets:
    """Yield the values that SQL inserts into columns with the name of a secret."""
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
                    yield SecretSpan(*item.span("value"))
                at = item.end()
            while text.startswith((",", " ", "\n"), at):
                at += 1


# Each entry consists of a kind, followed by a pattern: for phone numbers, US social security numbers, or Chinese
# identity numbers (15 digits until 1999).
_NUMBERS = r"""
id
    (?<![A-Za-z0-9])(?<!\d[.-])(?:<REGION>\d{4}[ -]?(?:19|20)\d\d<DAY>[ -]?\d{3}[\dXx]|<REGION>\d{6}<DAY>\d{3})
    (?![A-Za-z0-9])(?![.-]\d)
id
    <BEFORE>(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])
phone
    (?<![\w.+])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,5}(?:[ .-]?\d{2,5}){1,4}(?![\w.]\d)
phone
    <BEFORE>(?:\(?(?:\+|00)?86\)?[ -]?)?1[3-9]\d(?:[ .-]?\d{4}){2}<AFTER>
phone
    <BEFORE>1[3-9]\d(?:[ -]?\d{2}){4}<AFTER>
phone
    (?<![\w.-])(?:\(0\d{2,3}\) ?|0\d{2,3}-)\d{7,8}(?![\w-])
phone
    (?<![\w.(-])(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}(?![\w-])
"""
_DAY = r"(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d|3[01])"
_PARTS |= {
    "BEFORE": r"(?<![A-Za-z0-9])(?<!\d[.:-])",
    "AFTER": r"(?![A-Za-z0-9])(?![.:-]\d)",
    "REGION": r"(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91)",
    "DAY": _DAY,
}
_PLAIN_NUMBERS = tuple(_read(_NUMBERS, "a"))
_EIGHTEEN = re.compile(r"(?<![A-Za-z0-9.])\d{17}[\dXx](?![A-Za-z0-9])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
# First digits of card numbers. Numbers that begin with 1 or 20 are usually timestamps.
_ISSUER = re.compile(r"2[2-7]|[3-6]|8[1-9]|9[1-9]")
# Card numbers in groups of two digits, grouped as on a card, or without spaces.
_CARDS = tuple(
    re.compile(rf"(?<![A-Za-z0-9])(?<!\d:)(?=({form})(?![A-Za-z0-9]))".replace("_", "[ .-]"))
    for form in (
        r"\d\d(?:_\d\d){5,8}(?:_?\d{1,3})?",
        r"\d{4}(?:_\d{4}){3}_\d{1,3}",
        r"\d{4}(?:_\d{4}){3}",
        r"\d{4}_\d{6}_\d{4,5}",
        r"\d{4}(?:_\d{4}){2}_\d{1,3}",
        r"\d{6}_\d{10,13}",
        r"\d{13,19}",
    )
)
_IBAN = re.compile(r"(?i)(?<![A-Za-z0-9])(?<![0-9a-f]-)[A-Z]{2}\d\d(?:[ -]?[A-Z0-9]){11,30}")


def numbers(text: str) -> Secrets:
    """Yield the personal numbers in text, such as phone numbers and card numbers."""
    if not re.search(r"\d", text):
        return
    yield from (SecretSpan(*match.span(), "id") for match in _EIGHTEEN.finditer(text) if _is_citizen(match[0]))
    for regex in _CARDS:
        yield from (SecretSpan(*match.span(1), "card") for match in regex.finditer(text) if _is_card(match[1]))
    yield from _accounts(text)
    for kind, regex in _PLAIN_NUMBERS:
        yield from (SecretSpan(*match.span(), kind) for match in regex.finditer(text))


def _is_citizen(text: str) -> bool:
    """Return whether an identity number has the correct check digit (ISO 7064) and a valid date of birth."""
    total = sum(weight * int(figure) for weight, figure in zip(_WEIGHTS, text, strict=False))
    return "10X98765432"[total % 11] == text[-1].upper() and bool(re.fullmatch(r"(?:19|20)\d\d" + _DAY, text[6:14]))


def _is_card(text: str) -> bool:
    """Return whether a number has the first digits, the length and the check digit (Luhn) of a card number."""
    figures = [int(item) for item in text if item.isdigit()]
    doubled = [sum(divmod(2 * figure, 10)) for figure in figures[-2::-2]]
    return (
        bool(_ISSUER.match(text))
        and 13 <= len(figures) <= 19
        and len(set(figures)) > 1
        and sum(figures[::-2] + doubled) % 10 == 0
    )


def _accounts(text: str) -> Secrets:
    """Yield IBANs. In a valid IBAN, the number leaves a remainder of 1 when divided by 97."""
    for match in _IBAN.finditer(text):
        for end in range(match.end(), match.start() + 14, -1):
            compact = re.sub("[ -]", "", text[match.start() : end]).upper()
            figures = "".join(str(int(item, 36)) for item in compact[4:] + compact[:4])
            if len(compact) >= 15 and int(figures) % 97 == 1 and not text[end : end + 1].isalnum():
                yield SecretSpan(match.start(), end, "account")
                break
