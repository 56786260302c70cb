"""Expressions and the results they must give, one a line: ``expression => result`` or ``=> ! part of the refusal``."""

ARITHMETIC = """
1 + 2 => 3
7 - 10 => -3
6 * 7 => 42
1 / 4 => 0.25
2 / 3 => 0.67
-5 + 2 => -3
--5 => 5
+5 => 5
-(3 + 4) => -7
(1 + 2) * 3 => 9
1 + 2 * 3 => 7
2 * (3 + (4 - 1)) => 12
10 / 2 / 5 => 1
10 - 2 - 5 => 3
0.1 + 0.2 => 0.3
0.1 + 0.2 == 0.3 => True
1.005 * 1000 => 1,005
1/3*3 == 1 => True
1/3 + 1/3 + 1/3 == 1 => True
100 × 3 => 300
100 ÷ 8 => 12.5
10 − 4 => 6
10 – 4 => 6
（1 + 2） × 3 => 9
[1 + 2] * 3 => 9
1,234 + 1 => 1,235
1,234,567.89 + 0.11 => 1,234,568
12,34,567 + 0 => 1,234,567
１２３ + １ => 124
.5 * 4 => 2
0 * 5 => 0
0 / 5 => 0
1000000 * 1000000 => 1,000,000,000,000
5 - 5 => 0
3 * -2 => -6
8 / -2 => -4
0.001 * 1 => 0.001
0.00012 * 1 => 0.00012
1 / 8 = => 0.13
2.675 * 1 => 2.68
-2.675 * 1 => -2.68
(11,604 - 10,671) => 933
9,200-8,569 => 631
(-2,935-1,758)/1,758*100 => -266.95
-66 - (-223) => 157
"""
FUNCTIONS = """
sum(1, 2, 3) => 6
sum(1,234, 5,678) => 6,912
sum(0.1, 0.2, 0.3) => 0.6
total(4, 5) => 9
mean(2, 4) => 3
average(1, 2, 4) => 2.33
avg(10, 20, 30, 40) => 25
min(3, 1, 2) => 1
max(3, 1, 2) => 3
min(-3, -1) => -3
abs(-4) => 4
abs(4) => 4
abs(1 - 3) => 2
round(2.5) => 3
round(-2.5) => -3
round(3.14159, 2) => 3.14
round(2.345, 2) => 2.35
round(5, 2) => 5.00
round(1234.5, -2) => 1,200
round(2 / 3, 4) => 0.6667
count(5, 6, 7) => 3
change(100, 130) => 30
change(130, 100) => -30
growth(100, 130) => 30%
growth(130, 100) => -23.08%
growth(-40, -20) => -50%
difference(10, 4) => 6
ratio(3, 4) => 0.75
ratio(10, 4) => 2.5
share(1, 4) => 25%
percentage(45, 60) => 75%
cagr(100, 121, 2) => 10%
cagr(100, 100, 5) => 0%
cagr(1000, 2000, 10) => 7.18%
cagr(200, 100, 1) => -50%
SUM(1, 2) => 3
Mean(1, 3) => 2
sum (1, 2) => 3
max(sum(1, 2), 4) => 4
mean(sum(1, 2), 5) => 4
round(growth(3, 4), 1) => 33.3%
round(cagr(100, 150, 3), 2) => 14.47%
sum(1; 2; 3) => 6
sum(1，2) => 3
abs(1,234) => 1,234
"""
UNITS = """
5 km + 300 m => 5.3 km
1 km - 100 m => 0.9 km
3 km * 2 => 6 km
10 km / 2 => 5 km
10 km / 2 km => 5
10 km / 500 m => 20
1 mile + 0 mile => 1 mile
5 km > 3 miles => True
100 cm == 1 m => True
1 kg + 500 g => 1.5 kg
2 tonnes - 500 kg => 1.5 tonnes
1 t == 1000 kg => True
90 min + 30 min => 120 min
2 hours + 30 minutes => 2.5 hours
1 day - 12 hours => 0.5 day
2 weeks + 1 day => 2.14 weeks
3 years - 6 months => 2.5 years
2 years > 23 months => True
14 days - 10 days => 4 days
3 kW * 5 h / 15 kWh => 1
1 kWh == 3.6 MJ => True
2 MWh + 500 kWh => 2.5 MWh
1 GW - 250 MW => 0.75 GW
5 GB + 500 MB => 5.5 GB
8 bits == 1 byte => True
20 °C - 15 °C => 5°C
1 ha == 10000 m2 => True
3 m² + 2 m² => 5 m2
2 L + 500 ml => 2.5 L
12 V + 0 V => 12 V
1 MPa == 1000 kPa => True
1 mile == 1.609344 km => True
12 inches == 1 foot => True
3 英里 > 4 公里 => True
5公里 + 300米 => 5.3公里
3千克 + 500克 => 3.5千克
2吨 - 500公斤 => 1.5吨
14天 - 10天 => 4天
2小时 + 30分钟 => 2.5小时
3年 - 6个月 => 2.5年
15亩 == 10000平方米 => True
5千瓦 * 2小时 == 10千瓦时 => True
20摄氏度 - 5摄氏度 => 15摄氏度
max(1 km, 900 m) => 1 km
min(1 km, 900 m) => 900 m
sum(1 km, 500 m) => 1.5 km
mean(1 h, 30 min) => 0.75 h
growth(2 km, 3 km) => 50%
share(500 g, 2 kg) => 25%
ratio(1 km, 250 m) => 4
5 km + 3 kg => ! measure different things
5 km > 3 h => ! measure different things
30 days + 1 month => ! measure different things
20 °C + 68 °F => ! measure different things
5 km + $3 => ! measure different things
"""
MONEY = """
$5 + $3 => $8
$5.50 - $1.25 => $4.25
$ 5 + $ 3 => $8
US$5 + $3 => US$8
£4.5 million + £5 million => £9.5 million
£336.0 million - £128.6 million => £207.4 million
€1.2bn - €200m => €1,000,000,000
$5m + $3m => $8m
HK$3.5bn + HK$0.5bn => HK$4bn
EUR 5 million + EUR 1 million => EUR 6 million
5 million euros - 1 million euros => 4 million euros
$100 * 3 => $300
$100 / 4 => $25
$100 / $25 => 4
$3,000 - $5,000 => -$2,000
-$1.11 - -$0.40 => -$0.71
$-5 + $2 => -$3
(-$1.11-(-$0.40))/-$0.40*100 => 177.5%
($90,253-$67,510)/$67,510*100 => 33.69%
growth($67,510, $90,253) => 33.69%
share($607.5, $962.6) => 63.11%
10.500亿元 - 8.680亿元 => 1.82亿元
1.2亿元 + 3000万元 => 150,000,000元
5000万元 - 2000万元 => 3,000万元
125.0百万元 + 25百万元 => 150百万元
3千万元 + 2千万元 => 5千万元
人民币5亿元 - 人民币2亿元 => 3亿元
RMB 5 million + RMB 1 million => RMB 6 million
¥500 + ¥200 => ¥700
￥500 + ￥200 => ¥700
50港元 - 20港元 => 30港元
100美元 - 40美元 => 60美元
$100 * 7.1 CNY/USD => CNY 710
$100 * 7.1 CNY/USD + 50 CNY => CNY 760
710 CNY / 7.1 CNY/USD => USD 100
€200 * 1.1 USD/EUR => USD 220
100美元 * 7.1元/美元 => CNY 710
max($5, $7, $6) => $7
mean($5, $7) => $6
sum($1, $2, $3) => $6
round($5.678, 1) => $5.7
round(£5.234 million, 1) => £5.2 million
abs($3 - $5) => $2
$5 > $3 => True
$5m == $5 million => True
$5 + €3 => ! exchange rate
$5 - £3 => ! exchange rate
$5 > €3 => ! exchange rate
$5 / €3 => ! exchange rate
$5 * $3 => ! no amount of money
sum($1, €2) => ! exchange rate
mean(5元, 3美元) => ! exchange rate
growth($5, €6) => ! exchange rate
5亿元 + 3亿美元 => ! exchange rate
HK$5 + $5 => ! exchange rate
A$5 + $5 => ! exchange rate
$100 / 7.1 CNY/USD => ! no amount of money
"""
SCALES = """
5.2 million - 3.1 million => 2.1 million
(5.2 million - 3.1 million) / 3.1 million * 100 => 67.74%
1 billion - 200 million => 800,000,000
60.3 million + 32,137 thousand => 92,437,000
5 thousand + 3 thousand => 8 thousand
2 trillion + 1 trillion => 3 trillion
3 lakh + 2 lakh => 5 lakh
1 crore == 10 million => True
1bn == 1000 million => True
1 mn == 1000 thousand => True
260万 - 380万 => -120万
1.2亿 - 9000万 => 30,000,000
1亿 == 10000万 => True
3千 + 2千 => 5千
1万亿 == 10000亿 => True
１．５亿 + ０．５亿 => 2亿
5萬 + 3萬 => 8万
2億 - 1億 => 1亿
10十万 == 1百万 => True
5 million * 3 => 15 million
15 million / 3 => 5 million
15 million / 5 million => 3
mean(4 million, 6 million) => 5 million
sum(1亿, 2亿) => 3亿
max(1亿, 9000万) => 1亿
round(2.3456 million, 2) => 2.35 million
round(1.23456亿, 3) => 1.235亿
"""
PERCENTS = """
12% + 3% => 15%
73.2% - 72.2% => 1%
mean(2.9%, 3.8%) => 3.35%
50% * 50% => 25%
53% * $23,406 => $12,405.18
$23,406 * 53% => $12,405.18
10亿元 * 9.1% => 0.91亿元
200 * 15% => 30
15% * 200 => 30
1 + 5% => 1.05
1 - 5% => 0.95
$200 * (1 + 5%) => $210
30% / 60% => 0.5
30% / 3 => 10%
60 / 50% => 120
$60 / 50% => $120
5% > 4% => True
5% > 50 bps => True
25 bps + 75 bps => 1%
2 percentage points + 1 percentage point => 3 percentage points
1.5个百分点 + 1个百分点 => 2.5个百分点
１２％ + ３％ => 15%
growth(50%, 60%) => 20%
max(12%, 9%) => 12%
5% + $3 => ! measure different things
"""
DATES = """
2019-03-31 - 2019-03-01 => 30 days
2020-03-01 - 2020-02-01 => 29 days
2019-03-01 - 2019-02-01 => 28 days
31 March 2019 - 1 March 2019 => 30 days
March 31, 2019 - March 1, 2019 => 30 days
2019年3月31日 - 2019年3月1日 => 30 days
'2019-03-31' - "2019-03-01" => 30 days
2019/03/31 - 2019/03/01 => 30 days
days(2019-01-31, 2020-03-01) => 395 days
days(2020-03-01, 2019-01-31) => -395 days
days(2019年1月1日, 2019年12月31日) => 364 days
months(2019-01-31, 2019-02-28) => 1 months
months(2019-01-15, 2019-03-14) => 1 months
months(2019-01-15, 2020-01-15) => 12 months
years(2000-02-29, 2019-02-28) => 19 years
years(1998-05-12, 2019-05-11) => 20 years
years(1998-05-12, 2019-05-12) => 21 years
years(1998, 2005) => 7 years
2019-03-31 + 45 days => 2019-05-15
2019-01-31 + 1 month => 2019-02-28
2020-02-29 + 1 year => 2021-02-28
2019-05-15 - 45 days => 2019-03-31
2019-01-31 + 2周 => 2019-02-14
2019-01-31 + 5 => 2019-02-05
2019-03-31 > 2019-03-30 => True
2019-03-31 == 31 March 2019 => True
12 May 1998 < May 13, 1998 => True
2019-02-30 - 2019-01-01 => ! no day of the calendar
31 June 2020 - 1 June 2020 => ! no day of the calendar
days(5, 6) => ! two dates
sum(2019-01-01, 2019-01-02) => ! not dates
2019-01-01 * 2 => ! a date stands where a number should
9999-12-31 + 1 day => ! outside the calendar
2019-01-31 + 0.5 days => ! part of a day
"""
COMPARISONS = """
1 < 2 => True
2 < 1 => False
2 <= 2 => True
3 >= 4 => False
3 ≥ 3 => True
3 ≤ 2 => False
1 == 1.0 => True
1 != 2 => True
1 + 1 == 2 => True
£5.2 million > £3.1 million => True
1.2亿 > 1.3亿 => False
1 < 2 < 3 => ! only
"""
REFUSED = """
1 / 0 => ! division by zero
5 / (3 - 3) => ! division by zero
growth(0, 5) => ! division by zero
ratio(1, 0) => ! division by zero
cagr(0, 5, 2) => ! division by zero
cagr(-5, 5, 2) => ! positive amounts
cagr(5, 6, 0) => ! positive amounts
cagr(5, 6, 501) => ! positive amounts
10 ** 9 => ! powers
2 ^ 8 => ! powers
10² => ! powers
9**9**9 => ! powers
999999999999 trillion * 999999999999 trillion => ! too large
99999999999999999999999999999999999999999 + 1 => ! too many digits
__import__('os') => ! cannot compute
open('/etc/passwd') => ! cannot compute
open("secret.txt").read() => ! cannot compute
exec('1') => ! cannot compute
eval('1 + 1') => ! cannot compute
().__class__ => ! cannot compute
(1).real => ! cannot
(1).__class__.__bases__ => ! cannot
sum.__globals__ => ! cannot compute
lambda: 1 => ! cannot compute
x + 1 => ! cannot compute
a0 + 1 => ! cannot compute
r1 + 1 => ! cannot compute
pi * 2 => ! cannot compute
os.system('ls') => ! cannot compute
import os => ! cannot compute
[x for x in (1, 2)] => ! cannot compute
{'a': 1} => ! cannot compute
'abc' => ! cannot compute
"hello" * 99 => ! cannot compute
f"{1}" => ! cannot compute
1 if 2 else 3 => ! cannot
1 and 2 => ! cannot
not 1 => ! cannot compute
1 := 2 => ! cannot compute
1 = 2 => ! cannot compute
1; 2 => ! only
1 // 2 => ! cannot read
1 % 2 => ! cannot
1 @ 2 => ! cannot compute
1 << 2 => ! cannot
1 & 2 => ! cannot compute
~1 => ! cannot compute
sum(*(1, 2)) => ! only
sum(x=1) => ! cannot compute
max(1, 2)[0] => ! only
(1, 2) => ! only
( => ! cannot read
1 + => ! cannot read
) => ! cannot read
() => ! only
* 5 => ! cannot read
max(100,200) => ! at least two operands
mean(5) => ! at least two operands
sum() => ! 
abs(1, 2) => ! takes 1 numbers
growth(1) => ! takes 2 numbers
cagr(1, 2) => ! takes 3 numbers
round(1.5, 0.5) => ! whole number of decimals
round(1.5, 99) => ! cannot round
round(1, 2, 3) => ! takes 2 numbers
{1} + 1 => ! result 1 holds no number
5 + (1 > 2) => ! a comparison stands where a number should
"""
ALL = "".join((ARITHMETIC, FUNCTIONS, UNITS, MONEY, SCALES, PERCENTS, DATES, COMPARISONS, REFUSED))
CASES = [tuple(line.split(" => ", 1)) for line in ALL.splitlines() if line.strip()]
