"""What a unit word means in both languages: the base unit of its kind, and the factor to it.

A month has no fixed number of seconds, so months and days are two kinds; so is every currency, and so are
degrees Celsius and Fahrenheit.
"""

from __future__ import annotations

import re

_TABLE = """
m | 1 | m metre metres meter meters 米 公尺
m | 1000 | km kilometre kilometres kilometer kilometers 公里 千米
m | 0.01 | cm centimetre centimetres centimeter centimeters 厘米
m | 0.001 | mm millimetre millimetres millimeter millimeters 毫米
m | 1e-6 | µm μm micrometre micrometres micron microns 微米
m | 1e-9 | nm nanometre nanometres nanometers 纳米
m | 1609.344 | mile miles mi 英里
m | 1852 | 海里
m | 0.3048 | foot feet ft 英尺
m | 0.0254 | inch inches 英寸
g | 1 | g gram grams 克
g | 1000 | kg kilogram kilograms kilo kilos 千克 公斤
g | 500 | 斤
g | 0.001 | mg milligram milligrams 毫克
g | 1e-6 | µg μg mcg microgram micrograms 微克
g | 1e6 | t tonne tonnes 吨 公吨
g | 453.59237 | lb lbs
g | 28.349523125 | oz ounce ounces 盎司
s | 1 | s sec second seconds 秒 秒钟
s | 0.001 | ms millisecond milliseconds 毫秒
s | 60 | min mins minute minutes 分钟
s | 3600 | h hr hrs hour hours 小时 个小时 个钟头
s | 86400 | day days 天 日 个工作日 工作日
s | 604800 | week weeks 周 星期 个星期 礼拜
month | 1 | month months 个月
month | 3 | quarters 个季度
month | 6 | 半年
month | 12 | year years yr yrs 年 岁 周岁 周年 载
month | 120 | decade decades
month | 1200 | century centuries 个世纪
m2 | 1 | m² m2 sqm 平方米 平米
m2 | 1e6 | km² km2 平方公里 平方千米
m2 | 0.09290304 | sqft 平方英尺
m2 | 10000 | ha hectare hectares 公顷
m2 | 4046.8564224 | acre acres 英亩
m2 | 666.6666667 | 亩
m3 | 1 | m³ m3 立方米
m3 | 0.001 | L l litre litres liter liters 升
m3 | 1e-6 | ml mL millilitre millilitres milliliter milliliters 毫升
m3 | 0.158987294928 | bbl barrel barrels 桶
J | 1 | J joule joules 焦耳
J | 1000 | kJ 千焦
J | 1e6 | MJ 兆焦
J | 3.6e6 | kWh 千瓦时 度电
J | 3.6e9 | MWh 兆瓦时
J | 3.6e12 | GWh 吉瓦时
J | 4184 | kcal 千卡 大卡
W | 1 | W watt watts 瓦
W | 1000 | kW kilowatt kilowatts 千瓦
W | 1e6 | MW megawatt megawatts 兆瓦
W | 1e9 | GW gigawatt gigawatts 吉瓦
A | 1 | A amp amps 安培
A | 0.001 | mA 毫安
Ah | 1 | Ah 安时
Ah | 0.001 | mAh 毫安时
V | 1 | V volt volts 伏特 伏
V | 1000 | kV 千伏
Hz | 1 | Hz 赫兹
Hz | 1e3 | kHz 千赫
Hz | 1e6 | MHz 兆赫
Hz | 1e9 | GHz 吉赫
N | 1 | N newton newtons 牛顿
Pa | 1 | Pa 帕
Pa | 1e3 | kPa 千帕
Pa | 1e6 | MPa 兆帕
Pa | 1e5 | bar 巴
celsius | 1 | °C ℃ 摄氏度
fahrenheit | 1 | °F ℉ 华氏度
bit | 1 | bit bits 比特
bit | 8 | byte bytes 字节
bit | 8e3 | kB KB
bit | 8e6 | MB
bit | 8e9 | GB
bit | 8e12 | TB
dB | 1 | dB decibel decibels 分贝
percent | 1 | % ％ percent pct
percent | 0.1 | ‰
percentage_point | 1 | 个百分点 百分点 pp
percentage_point | 0.01 | bps bp 个基点 基点
times | 1 | 倍 fold
USD | 1 | $ US$ USD dollar dollars 美元 美金
EUR | 1 | € EUR euro euros 欧元
GBP | 1 | £ GBP pound pounds 英镑
CNY | 1 | ¥ CNY RMB yuan renminbi 人民币元 元人民币 元 块钱
JPY | 1 | JPY yen 日元 日圆
HKD | 1 | HK$ HKD 港元 港币
TWD | 1 | NT$ TWD 新台币
AUD | 1 | A$ AU$ AUD 澳元
CAD | 1 | C$ CAD 加元
SGD | 1 | S$ SGD 新加坡元 新元
CHF | 1 | CHF 瑞士法郎 瑞郎
INR | 1 | ₹ INR rupee rupees 卢比
KRW | 1 | ₩ KRW 韩元
RUB | 1 | RUB rouble roubles ruble rubles 卢布
"""
_ROWS = [[part.strip() for part in line.split("|")] for line in _TABLE.strip().splitlines()]
KNOWN: dict[str, tuple[str, float]] = {
    word: (base, float(factor)) for base, factor, words in _ROWS for word in words.split()
} | {
    "percentage point": ("percentage_point", 1.0), "percentage points": ("percentage_point", 1.0),
    "per cent": ("percent", 1.0), "basis point": ("percentage_point", 0.01),
    "basis points": ("percentage_point", 0.01), "square metres": ("m2", 1.0), "square meters": ("m2", 1.0),
    "square kilometres": ("m2", 1e6), "square kilometers": ("m2", 1e6), "square feet": ("m2", 0.09290304),
    "square miles": ("m2", 2589988.110336), "cubic metres": ("m3", 1.0), "cubic meters": ("m3", 1.0),
    "degrees Celsius": ("celsius", 1.0), "degrees Fahrenheit": ("fahrenheit", 1.0),
    "light years": ("m", 9.4607e15), "working days": ("s", 86400.0), "business days": ("s", 86400.0),
    "working day": ("s", 86400.0), "business day": ("s", 86400.0), "calendar days": ("s", 86400.0),
}  # fmt: skip
"""Unit word → base unit, factor to it."""
CURRENCIES = frozenset(base for base, _, _ in _ROWS if len(base) == 3 and base.isupper())
_SIGNS = sorted((word for word in KNOWN if word[-1] in "$€£¥₹₩"), key=len, reverse=True)
_SUFFIXES = sorted((word for word in KNOWN if word not in _SIGNS), key=len, reverse=True)
_LATIN = [word for word in _SUFFIXES if word[0].isascii() and word[0].isalpha()]
_TIGHT = frozenset("A J N V W t s l L".split())
"""Read only where they touch their number: ``5 A`` begins a noun more often than it is a current."""
_LONG = "|".join(re.escape(w) for w in _LATIN if len(w) > 2)
_SHORT = "|".join(re.escape(w) for w in _LATIN if len(w) < 3 and w not in _TIGHT)
_OTHER = "|".join(re.escape(w) for w in _SUFFIXES if w not in _LATIN)
_NO_UNIT_IN = ("元旦首帅月素老件", "日本前常益报程元圆", "周边围期", "天然津气", "米兰饭")
"""A unit, then what follows where it is part of another word: 元旦, 日本, 天津."""
_OTHER_GUARDED = rf"(?:(?:{_OTHER}){''.join(f'(?<!{one[0]}(?=[{one[1:]}]))' for one in _NO_UNIT_IN)})"
ONE = (
    rf"(?:\s?(?:(?i:{_LONG})|{_SHORT})(?![A-Za-z\d])|(?:{'|'.join(_TIGHT)})(?![A-Za-z\d])|"
    rf"\s?{_OTHER_GUARDED})"
)
UNIT = rf"[\s-]?{ONE}(?:\s?(?:/|per |a |an |每)\s?{ONE})?"
"""Pattern of a unit after a number: ``km``, ``km/h``, ``litres per second``, 元."""
PREFIX = rf"(?:{'|'.join(map(re.escape, _SIGNS))}|\b(?:{'|'.join(sorted(CURRENCIES))}|RMB)|人民币)"
"""Pattern of a currency before a number."""
_QUOTIENT = re.compile(r"\s?(?:/|\bper\b|\ban?\b|每)\s?")


def unit_of(word: str) -> tuple[str, float]:
    """Return the base unit that a word or a quotient of words means and the factor to it; ("", 1) if none."""
    word = word.strip(" -").replace("￥", "¥")
    if word in KNOWN:
        return KNOWN[word]
    if word in ("人民币",):
        return KNOWN["元"]
    lower = word.lower()
    if lower in KNOWN:
        return KNOWN[lower]
    over, *under = _QUOTIENT.split(word, maxsplit=1)
    if under:
        top, bottom = unit_of(over), unit_of(under[0])
        if top[0] and bottom[0]:
            return f"{top[0]}/{bottom[0]}", top[1] / bottom[1]
        return top
    return "", 1.0
