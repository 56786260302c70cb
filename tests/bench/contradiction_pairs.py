"""Pairs of passages in both languages, half contradictory, half harmless look-alikes; own text, no
training data.

Each row gives a statement, a contradicting one, and harmless ones: another period, scope, entity or
metric, the
same figure converted or rounded, a paraphrase.
"""

from __future__ import annotations

import random

import msgspec

TITLES = {
    "en": (
        "Briefing of the day",
        "Reader's digest of rules",
        "Overview",
        "Intranet article",
        "Circular 14",
        "Fact sheet",
    ),
    "zh": ("每日简报", "规定摘编", "概述", "内网文章", "第14号通函", "资料页"),
}


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One passage."""

    title: str
    text: str
    published: str = ""
    authority: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """Two passages and what is right to say of them."""

    language: str
    kind: str
    one: Side
    other: Side
    contradictory: bool
    decided_by: str = ""
    right: int = 0
    """The side that holds, where something decides."""


EN: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    ("The Corran bridge is 412 metres long.", ("The Corran bridge has a length of 385 m.",),
     (("unit", "The length of the Corran bridge is 0.412 km."), ("entity", "The Tessel bridge is 385 metres long."))),
    ("Velmar Tea sold 3.2 million boxes in 2021.", ("In 2021 Velmar Tea sold 2.7 million boxes.", "Box sales of Velmar Tea in 2021: 4,100,000."),
     (("period", "In 2022 Velmar Tea sold 2.7 million boxes."), ("rounding", "Velmar Tea sold 3,214,880 boxes in 2021."),
      ("part of a period", "In the third quarter of 2021 Velmar Tea sold 0.9 million boxes."))),
    ("Tickets for the Aldous museum cost £14.", ("The Aldous museum charges £18 for a ticket.",),
     (("scope", "Tickets for children at the Aldous museum cost £7."), ("scope", "Group tickets for the Aldous museum cost £11 per adult, school tickets £6."))),
    ("Refunds are paid within 14 days of the request.", ("Refunds are paid within 30 days of the request.",),
     (("unit", "Refunds are paid within two weeks of the request."), ("metric", "Complaints are answered within 30 days of receipt."))),
    ("The pump draws 750 W in normal mode.", ("The pump draws 900 W in normal mode.",),
     (("unit", "In normal mode the pump draws 0.75 kW."), ("scope", "In eco mode the pump draws 400 W."))),
    ("The lake held 61% of its capacity in May 2023.", ("In May 2023 the lake stood at 48 percent of capacity.",),
     (("period", "In August 2023 the lake stood at 48 percent of capacity."), ("rounding", "The lake stood at 60.8% of capacity in May 2023."))),
    ("The Ostrava line carries 18,000 passengers a day.", ("Daily ridership on the Ostrava line is 25,000 passengers.",),
     (("scope", "The Ostrava line carries 2,100 passengers a day at weekends in winter, against 1,900 on the Brno line."),
      ("metric", "The Ostrava line employs 250 people."))),
    ("Kessel Airlines flew 61 aircraft at the end of 2022.", ("At the end of 2022 the fleet of Kessel Airlines counted 54 aircraft.",),
     (("period", "At the end of 2019 the fleet of Kessel Airlines counted 54 aircraft."), ("entity", "Marlow Airlines flew 54 aircraft at the end of 2022."))),
    ("The trial PANTHER randomised 318 patients.", ("The trial PANTHER randomised 381 patients.",),
     (("scope", "Of the patients in PANTHER, 159 received placebo."), ("entity", "The trial LYNX randomised 381 patients."))),
    ("Net profit of Ibis Foods for 2020 was $48 million.", ("Ibis Foods made a net profit of $39 million in 2020.",),
     (("unit", "Ibis Foods made a net profit of $0.048 billion in 2020."), ("metric", "Ibis Foods made an operating profit of $66 million in 2020."),
      ("planned", "The budget of Ibis Foods foresaw a net profit of $55 million for 2020."))),
    ("Deposits earn 2.4% interest.", ("The interest on deposits is 3.1%.",),
     (("metric", "The interest on loans is 6.1%."), ("change", "Deposits grew by 3.1%."))),
    ("The vaccine is stored at 5 °C.", ("The vaccine is stored at minus 20 °C.",),
     (("metric", "The vaccine is shaken for 20 seconds before use."), ("paraphrase", "Storage of the vaccine is at 5 degrees Celsius."))),
    ("The festival drew 42,000 visitors in 2018.", ("Attendance at the festival in 2018 was 31,000 visitors.",),
     (("period", "Attendance at the festival in 2017 was 31,000 visitors."), ("rounding", "The festival drew about 42,300 visitors in 2018."))),
    ("The quake killed 87 people.", ("The death toll of the quake is 132.",),
     (("metric", "The quake injured 132 people."), ("bound", "More than 80 people were killed in the quake."))),
    ("Grant M-77 pays €120,000 over three years.", ("Grant M-77 amounts to €90,000.",),
     (("unit", "Grant M-77 amounts to €0.12 million."), ("entity", "Grant M-78 amounts to €90,000."))),
    ("The Dorado sensor lasts 9 months.", ("The life of the Dorado sensor is 15 months.",),
     (("version", "The second-generation Dorado sensor lasts 15 months; the first-generation one 9 months."), ("entity", "The Orsa sensor lasts 15 months."))),
    ("Employees may carry over unused leave.", ("Employees may not carry over unused leave.", "Carrying over unused leave is prohibited."),
     (("paraphrase", "Unused leave may be carried over by employees."), ("other topic", "Employees may not sell their parking space."))),
    ("The Harbour Act was repealed.", ("The Harbour Act remains in force.",),
     (("other topic", "The Fishing Act remains in force."), ("paraphrase", "Parliament repealed the Harbour Act."))),
    ("Zelpan significantly reduced fatigue in the trial.", ("Zelpan had no significant effect on fatigue.",),
     (("other topic", "Zelpan had no significant effect on sleep."), ("paraphrase", "In the trial, fatigue fell significantly with Zelpan."))),
    ("The council approved the cycle lane.", ("The council rejected the cycle lane.",),
     (("other topic", "The council rejected the tram stop."), ("paraphrase", "The cycle lane was approved by the council."))),
    ("The app encrypts all messages.", ("The app does not encrypt messages.",),
     (("other topic", "The app does not store passwords."), ("paraphrase", "All messages are encrypted by the app."))),
    ("A visa is required for a stay of one week.", ("No visa is required for a stay of one week.",),
     (("other topic", "No vaccination is required for a stay of one week."), ("paraphrase", "A stay of one week requires a visa."))),
    ("The mushrooms from the valley are safe to eat.", ("The mushrooms from the valley are unsafe to eat.",),
     (("other topic", "The berries from the ridge are unsafe to eat."), ("paraphrase", "Mushrooms from the valley can be eaten safely."))),
    ("The north ferry terminal is open.", ("The north ferry terminal is closed.",),
     (("scope", "The south ferry terminal is closed."), ("period", "The north ferry terminal was closed in 2016."))),
    ("Rents in Pelham rose last spring.", ("Rents in Pelham fell last spring.",),
     (("entity", "Rents in Carrick fell last spring."), ("other topic", "Crime in Pelham fell last spring."))),
    ("Lab tests confirmed the batch is contaminated.", ("Lab tests found the batch is not contaminated.",),
     (("other topic", "Lab tests found that the label is not legible."), ("paraphrase", "The batch is contaminated, laboratory tests showed."))),
)  # fmt: skip
ZH: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    ("柯岚大桥全长412米。", ("柯岚大桥的长度为385米。",), (("unit", "柯岚大桥全长0.412公里。"), ("entity", "泰塞大桥全长385米。"))),
    ("维玛茶业2021年销售320万盒。", ("2021年，维玛茶业共销售270万盒。", "维玛茶业2021年销量为410万盒。"),
     (("period", "2022年，维玛茶业共销售270万盒。"), ("rounding", "维玛茶业2021年销售3,201,500盒。"), ("part of a period", "2021年第三季度，维玛茶业销售90万盒。"))),
    ("阿道博物馆门票为60元。", ("阿道博物馆门票价格为80元。",), (("scope", "阿道博物馆儿童门票为30元。"), ("scope", "阿道博物馆老年人门票为25元。"))),
    ("退款在申请后14天内支付。", ("退款在申请后30天内支付。",), (("unit", "退款在申请后两周内支付。"), ("metric", "投诉在收到后30天内答复。"))),
    ("水泵在标准模式下功率为750瓦。", ("水泵在标准模式下功率为900瓦。",), (("unit", "标准模式下水泵功率为0.75千瓦。"), ("scope", "水泵在节能模式下功率为400瓦。"))),
    ("2023年5月，该湖蓄水率为61%。", ("2023年5月该湖蓄水率为48%。",), (("period", "2023年8月该湖蓄水率为48%。"), ("rounding", "2023年5月，该湖蓄水率为60.8%。"))),
    ("奥斯线每天运送乘客1.8万人。", ("奥斯线日均客流为2.5万人。",), (("entity", "布尔线每天运送乘客2.5万人。"), ("metric", "奥斯线有员工250人。"))),
    ("2022年末，凯瑟航空有飞机61架。", ("凯瑟航空2022年末机队规模为54架。",), (("period", "凯瑟航空2019年末机队规模为54架。"), ("entity", "马罗航空2022年末有飞机54架。"))),
    ("PANTHER试验随机入组318名患者。", ("PANTHER试验随机入组381名患者。",), (("entity", "LYNX试验随机入组381名患者。"), ("scope", "PANTHER试验安慰剂组有159名患者。"))),
    ("鹮牌食品2020年净利润为4,800万元。", ("2020年鹮牌食品实现净利润3,900万元。",),
     (("unit", "鹮牌食品2020年净利润为0.48亿元。"), ("metric", "鹮牌食品2020年营业利润为6,600万元。"), ("planned", "鹮牌食品2020年预算净利润为5,500万元。"))),
    ("存款利率为2.4%。", ("存款的利率是3.1%。",), (("metric", "贷款利率为6.1%。"), ("change", "存款同比增长3.1%。"))),
    ("疫苗应在5℃保存。", ("疫苗应在零下20℃保存。",), (("paraphrase", "疫苗的保存温度为5摄氏度。"), ("metric", "疫苗使用前应摇匀20秒。"))),
    ("2018年该节庆吸引游客4.2万人。", ("2018年该节庆游客人数为3.1万人。",), (("period", "2017年该节庆游客人数为3.1万人。"), ("rounding", "2018年该节庆吸引游客约4.23万人。"))),
    ("地震造成87人死亡。", ("地震死亡人数为132人。",), (("metric", "地震造成132人受伤。"), ("bound", "地震造成超过80人死亡。"))),
    ("M-77项目资助金额为120万元。", ("M-77项目的资助金额为90万元。",), (("unit", "M-77项目资助金额为1,200,000元。"), ("entity", "M-78项目的资助金额为90万元。"))),
    ("多拉传感器可使用9个月。", ("多拉传感器的使用寿命为15个月。",), (("version", "第二代多拉传感器可使用15个月，第一代为9个月。"), ("entity", "奥萨传感器可使用15个月。"))),
    ("员工可以结转未休年假。", ("员工不可以结转未休年假。", "公司禁止结转未休年假。"), (("paraphrase", "未休年假可以由员工结转。"), ("other topic", "员工不可以转让车位。"))),
    ("《港口条例》已废止。", ("《港口条例》继续有效。",), (("other topic", "《渔业条例》继续有效。"), ("paraphrase", "《港口条例》已被废止。"))),
    ("试验中泽盼显著减轻疲劳。", ("泽盼对疲劳没有显著效果。",), (("other topic", "泽盼对睡眠没有显著效果。"), ("paraphrase", "使用泽盼后疲劳显著减轻。"))),
    ("市议会批准了自行车道方案。", ("市议会否决了自行车道方案。",), (("other topic", "市议会否决了电车站方案。"), ("paraphrase", "自行车道方案已获市议会批准。"))),
    ("该应用对所有消息加密。", ("该应用不对消息加密。",), (("other topic", "该应用不保存密码。"), ("paraphrase", "所有消息都由该应用加密。"))),
    ("停留一周需要签证。", ("停留一周无需签证。",), (("other topic", "停留一周无需接种疫苗。"), ("paraphrase", "停留一周必须办理签证。"))),
    ("山谷里的蘑菇可以安全食用。", ("山谷里的蘑菇有毒，不可食用。",), (("other topic", "山脊上的浆果有毒。"), ("paraphrase", "山谷里的蘑菇食用安全。"))),
    ("北侧渡轮码头开放。", ("北侧渡轮码头关闭。",), (("scope", "南侧渡轮码头关闭。"), ("period", "2016年北侧渡轮码头关闭。"))),
    ("佩勒区租金去年春季上涨。", ("佩勒区租金去年春季下跌。",), (("entity", "卡里区租金去年春季下跌。"), ("other topic", "佩勒区犯罪率去年春季下降。"))),
    ("检测证实该批次受到污染。", ("检测发现该批次未受污染。",), (("other topic", "检测发现标签未贴牢。"), ("paraphrase", "该批次经检测受到污染。"))),
)  # fmt: skip
BESIDE = {
    "en": ("", "", "The text was last edited by the secretary. ", "Photographs accompany this page. "),
    "zh": ("", "", "本文由秘书最后编辑。", "本页附有照片。"),
}


def cases(seed: int) -> list[Case]:
    """About 110 contradictory pairs and as many harmless ones."""
    rng = random.Random(seed)
    made: list[Case] = []
    for language, rows in (("en", EN), ("zh", ZH)):
        for text, against, harmless in rows:
            for each in against:
                for decided in rng.sample(("authority", "date", ""), 2):
                    made.append(_contradictory(text, each, language, decided, rng))
            made += [_harmless(text, each, kind, language, rng) for kind, each in harmless]
    return made


def _side(text: str, language: str, rng: random.Random, **more: str) -> Side:
    return Side(title=rng.choice(TITLES[language]), text=rng.choice(BESIDE[language]) + text, **more)


def _contradictory(text: str, against: str, language: str, decided: str, rng: random.Random) -> Case:
    right = rng.randrange(2)
    more: list[dict[str, str]] = [{}, {}]
    if decided == "authority":
        more[right], more[1 - right] = (
            {"authority": "official"},
            {"authority": rng.choice(("internal", "draft", "external"))},
        )
        more[1 - right]["published"] = "2024-05-01"
        more[right]["published"] = "2022-01-10"
    elif decided == "date":
        more[right], more[1 - right] = (
            {"published": "2024-03-02"},
            {"published": rng.choice(("2023-11-20", "2021"))},
        )
    sides = [_side(each, language, rng, **more[at]) for at, each in enumerate((text, against))]
    return Case(
        language=language,
        kind="contradiction",
        one=sides[0],
        other=sides[1],
        contradictory=True,
        decided_by=decided,
        right=right,
    )


def _harmless(text: str, other: str, kind: str, language: str, rng: random.Random) -> Case:
    sides = [_side(each, language, rng) for each in (text, other)]
    return Case(language=language, kind=kind, one=sides[0], other=sides[1], contradictory=False)
