"""The units this product computes with: a pint definition each, and what both languages call it.

A month has no fixed number of days, so months and days are two dimensions; so is every currency.
One line each: name | pint definition | words.
"""

from __future__ import annotations

DEFINITIONS = """
meter | [length] | m metre metres meters 米 公尺
kilometer | 1000 meter | km kilometre kilometres kilometers 公里 千米
centimeter | meter / 100 | cm centimetre centimetres centimeters 厘米
millimeter | meter / 1000 | mm millimetre millimetres millimeters 毫米
micrometer | meter / 1000000 | µm μm um micrometre micrometres micron microns 微米
nanometer | meter / 1000000000 | nm nanometre nanometres nanometers 纳米
mile | 1609.344 meter | mile miles mi 英里
yard | 0.9144 meter | yard yards yd 码
foot | 0.3048 meter | foot feet ft 英尺
inch | 0.0254 meter | inch inches 英寸
gram | [mass] | g gram grams 克
kilogram | 1000 gram | kg kilogram kilograms 千克 公斤
milligram | gram / 1000 | mg milligram milligrams 毫克
microgram | gram / 1000000 | µg μg microgram micrograms 微克
tonne | 1000000 gram | t tonne tonnes 吨 公吨
pound_mass | 453.59237 gram | lb lbs
ounce | 28.349523125 gram | oz ounce ounces 盎司
second | [time] | s sec second seconds 秒 秒钟
millisecond | second / 1000 | ms millisecond milliseconds 毫秒
minute | 60 second | min minute minutes 分钟
hour | 3600 second | h hr hrs hour hours 小时 个小时
day | 86400 second | day days 天 日
week | 604800 second | week weeks 周 星期 个星期
month | [calendar] | month months 个月
quarter_year | 3 month | quarters 个季度
year | 12 month | year years yr yrs 年
square_meter | meter ** 2 | m² m2 sqm 平方米 平米
square_kilometer | 1000000 meter ** 2 | km² km2 平方公里 平方千米
square_foot | 0.09290304 meter ** 2 | sqft 平方英尺
hectare | 10000 meter ** 2 | ha hectare hectares 公顷
acre | 4046.8564224 meter ** 2 | acre acres 英亩
mu_area | 2000 / 3 meter ** 2 | 亩
cubic_meter | meter ** 3 | m³ m3 立方米
liter | meter ** 3 / 1000 | l L litre litres liter liters 升
milliliter | liter / 1000 | ml mL millilitre millilitres 毫升
barrel | 0.158987294928 meter ** 3 | bbl barrel barrels 桶
joule | 1000 gram * meter ** 2 / second ** 2 | J joule joules 焦耳
kilojoule | 1000 joule | kJ 千焦
megajoule | 1000000 joule | MJ 兆焦
watt | joule / second | W watt watts 瓦
kilowatt | 1000 watt | kW kilowatt kilowatts 千瓦
megawatt | 1000000 watt | MW megawatt megawatts 兆瓦
gigawatt | 1000000000 watt | GW gigawatt gigawatts 吉瓦
watt_hour | 3600 joule | Wh 瓦时
kilowatt_hour | 3600000 joule | kWh 千瓦时 度电
megawatt_hour | 3600000000 joule | MWh 兆瓦时
gigawatt_hour | 3600000000000 joule | GWh 吉瓦时
ampere | [current] | A amp amps 安培
milliampere | ampere / 1000 | mA 毫安
volt | watt / ampere | V volt volts 伏特 伏
kilovolt | 1000 volt | kV 千伏
hertz | 1 / second | Hz 赫兹
kilohertz | 1000 hertz | kHz 千赫
megahertz | 1000000 hertz | MHz 兆赫
gigahertz | 1000000000 hertz | GHz 吉赫
newton | 1000 gram * meter / second ** 2 | N newton newtons 牛顿
pascal | newton / meter ** 2 | Pa 帕
kilopascal | 1000 pascal | kPa 千帕
megapascal | 1000000 pascal | MPa 兆帕
bar | 100000 pascal | bar 巴
degree_celsius | [celsius] | °C ℃ 摄氏度
degree_fahrenheit | [fahrenheit] | °F ℉ 华氏度
bit | [data] | bit bits 比特
byte | 8 bit | byte bytes 字节
kilobyte | 1000 byte | kB KB
megabyte | 1000000 byte | MB
gigabyte | 1000000000 byte | GB
terabyte | 1000000000000 byte | TB
percent | [percent] | % 个百分点 percent pp
basis_point | percent / 100 | bps bp 个基点 基点
USD | [currency_USD] | $ US$ USD dollar dollars 美元 美金
EUR | [currency_EUR] | € EUR euro euros 欧元
GBP | [currency_GBP] | £ GBP pound pounds 英镑
CNY | [currency_CNY] | ¥ CNY RMB yuan 人民币 人民币元 元 元人民币
JPY | [currency_JPY] | JPY yen 日元 日圆
HKD | [currency_HKD] | HK$ HKD 港元 港币
TWD | [currency_TWD] | NT$ TWD 新台币
AUD | [currency_AUD] | A$ AU$ AUD 澳元
CAD | [currency_CAD] | C$ CAD 加元
NZD | [currency_NZD] | NZ$ NZD 新西兰元
SGD | [currency_SGD] | S$ SGD 新加坡元 新元
CHF | [currency_CHF] | CHF 瑞士法郎 瑞郎
INR | [currency_INR] | ₹ INR Rs rupee rupees 卢比
KRW | [currency_KRW] | ₩ KRW won 韩元
RUB | [currency_RUB] | RUB 卢布
BRL | [currency_BRL] | R$ BRL 雷亚尔
MXN | [currency_MXN] | MXN 墨西哥比索
SEK | [currency_SEK] | SEK 瑞典克朗
NOK | [currency_NOK] | NOK 挪威克朗
DKK | [currency_DKK] | DKK 丹麦克朗
ZAR | [currency_ZAR] | ZAR 南非兰特
"""
