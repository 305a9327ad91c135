"""Parse numbers with units, written in digits, English words or Chinese numerals."""

import re
from fractions import Fraction

# One unit per line: its base unit, its size in base units, and its names. `_` means a space.
_NAMES = """
s 1 s sec secs second seconds 秒 秒钟
s 1/1000 ms msec millisecond milliseconds 毫秒
s 1/1000000 µs μs us microsecond microseconds 微秒
s 1/1000000000 ns nanosecond nanoseconds 纳秒
s 60 min mins minute minutes 分钟
s 3600 h hr hrs hour hours 小时 个小时 钟头 个钟头
s 86400 d day days 天 日
s 604800 week weeks 周 星期 个星期 礼拜 个礼拜
month 1 month months 个月 月
month 12 year years 年
bit 1 bit bits 比特 位
byte 1 byte bytes 字节
kbit 1 kbit kbits kbps
mbit 1 mbit mbits mbps
gbit 1 gbit gbits gbps
kb 1 kb kilobyte kilobytes
mb 1 mb megabyte megabytes
gb 1 gb gigabyte gigabytes
tb 1 tb terabyte terabytes
kib 1 kib
mib 1 mib
gib 1 gib
tib 1 tib
% 1 % percent 百分点
% 10 成
px 1 px pixel pixels 像素
mm 1 mm millimetre millimetres millimeter millimeters 毫米
mm 10 cm centimetre centimetres centimeter centimeters 厘米
mm 1000 m metre metres meter meters 米
mm 1000000 km kilometre kilometres kilometer kilometers 公里 千米
m2 1 m2 sqm square_metre square_metres square_meter square_meters 平方米 平米 ㎡
m3 1 m3 cubic_metre cubic_metres cubic_meter cubic_meters 立方米 ㎥
inch 1 inch inches 英寸
inch 12 ft foot feet 英尺
mile 1 mile miles 英里
mg 1 mg milligram milligrams 毫克
mg 1000 g gram grams 克
mg 1000000 kg kilo kilos kilogram kilograms 公斤 千克
mg 500000 斤
mg 1000000000 t tonne tonnes ton tons 吨
oz 1 oz ounce ounces 盎司
lb 1 lb lbs 磅
ml 1 ml millilitre millilitres milliliter milliliters 毫升
ml 1000 l litre litres liter liters 升
cup 1 cup cups 杯
tbsp 1 tbsp tablespoon tablespoons 汤匙 大勺
tsp 1 tsp teaspoon teaspoons 茶匙 小勺
° 1 ° degree degrees 度
°c 1 °c celsius degree_celsius degrees_celsius 摄氏度 ℃
°f 1 °f fahrenheit degree_fahrenheit degrees_fahrenheit 华氏度 ℉
hz 1 hz
hz 1000 khz
hz 1000000 mhz
hz 1000000000 ghz
v 1 v volt volts 伏
w 1 w watt watts 瓦
w 1000 kw kilowatt kilowatts 千瓦
mw 1 megawatt megawatts 兆瓦
kwh 1 kwh
ah 1/1000 mah
psi 1 psi
bar 1 bar bars
kcal 1 kcal 千卡 大卡
km/h 1 km/h kph
mph 1 mph
rpm 1 rpm
fps 1 fps
db 1 db
$ 1 $ dollar dollars usd 美元
€ 1 € euro euros eur 欧元
£ 1 £ pound pounds gbp 英镑
¥ 1 ¥ yuan rmb cny 元 块钱
chf 1 chf francs
token 1 token tokens 词元
line 1 line lines 行
page 1 page pages 页
character 1 character characters 字 字符
time 1 time times 次 倍
"""
UNIT = {
    name.replace("_", " "): (base, Fraction(factor))
    for base, factor, *names in (line.split() for line in _NAMES.split("\n") if line)
    for name in names
}
# Unit names that differ from another unit's name only in case.
CASED = {"Mb": "mbit", "Gb": "gbit", "Kb": "kbit", "MW": "megawatt"}
# Units for countable items. Text may use another noun for the same number: "3 times" or "3 retries".
COUNTED_UNITS = frozenset(("token", "line", "page", "character", "time", "bit"))
# Temperature units that notes may use interchangeably.
DEGREES = {"°c": ("°",), "°f": ("°",), "°": ("°c", "°f")}
_LATIN_UNITS, CHINESE_UNITS = (
    "|".join(re.escape(item) for item in sorted(UNIT, key=len)[::-1] if bool(re.match("[!-~°µμ€£¥]", item)) is latin)
    for latin in (True, False)
)
CHINESE_UNITS = CHINESE_UNITS.replace("成", "成(?![员功为本绩果熟立就人品不])")
UNIT_AFTER = rf"[ -]?(?:(?:{_LATIN_UNITS})(?![a-z\d])|{CHINESE_UNITS})"

SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "千": 1000, "万": 10**4, "亿": 10**8}
SCALES |= {"k": 1000, "m": 10**6}
WORDS = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety dozen".split(),
        [*range(20), *range(20, 100, 10), 12],
        strict=True,
    )
)
MULTIPLES = ("hundred", "thousand", "million", "billion")
SPELLED = "|".join([*WORDS, *MULTIPLES])
_DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS = {"亿": 10**8, "万": 10**4, "千": 1000, "百": 100, "十": 10}
COUNTED = "".join({*_DIGITS, *_POWERS})
# Chinese numerals that are usually plain words rather than numbers.
PLAIN = frozenset("一 十 百 千 万 亿 零 万一 千万 一一 百万".split())
# Maximum length of a number in characters.
_LONGEST = 100
NUMBER = re.compile(
    rf"(?i)(?P<sign>(?<![\w.)\]%])[-−])?(?P<before>[$€£¥]\s?)?"
    rf"(?:(?<![A-Za-z_\d.])(?P<figures>\d+(?:[.,:]\d+)*|\.\d+)(?![A-Za-z_]*\d)"
    rf"|\b(?P<word>(?:{SPELLED})(?:(?:[ -]|(?<=hundred)\sand\s|(?<=thousand)\sand\s)(?:{SPELLED}))*)\b"
    rf"|(?P<chinese>(?<![{COUNTED}])[{COUNTED}]+))"
    rf"(?:[ -]?(?P<scale>hundred|thousand|million|billion|[千万亿]|(?-i:[kM]))(?![a-zA-Z]))?"
    rf"(?P<unit>{UNIT_AFTER})?\s?(?P<classifier>[个台条种名份块只张篇件项组批人轮步章把根本家间层级套棵片颗粒瓶盒包袋对双])?",
)


def read_number(text: str | None) -> Fraction | None:
    """Return the number written in digits, English words or Chinese numerals, or None for any other text."""
    if not text or len(text) > _LONGEST:
        return None
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    if re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", text):
        return Fraction(text)
    if set(text) <= {*COUNTED}:
        return Fraction(_chinese(text))
    total = current = 0
    for word in re.split(r"[ -]", text.lower()):
        if word in MULTIPLES:
            current = (current or 1) * SCALES[word]
            total, current = (total + current, 0) if word != "hundred" else (total, current)
        elif word != "and":
            if word not in WORDS:
                return None
            current += WORDS[word]
    return Fraction(total + current)


def _chinese(text: str) -> int:
    for sign, power in _POWERS.items():
        if sign in text:
            head, _, tail = text.partition(sign)
            return (_chinese(head) or 1) * power + _chinese(tail)
    return int("".join(str(_DIGITS[item]) for item in text) or 0)
