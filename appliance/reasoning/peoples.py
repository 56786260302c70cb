"""Which country a word speaks of: "American" and "the United States" are one."""

from __future__ import annotations

import re

_COUNTRIES = """
united states|american|usa|us|u.s.|united states of america|america|美国
united kingdom|british|uk|u.k.|britain|great britain|英国
england|english|英格兰
scotland|scottish|苏格兰
wales|welsh|威尔士
ireland|irish|爱尔兰
canada|canadian|加拿大
australia|australian|澳大利亚
new zealand|new zealander|新西兰
germany|german|德国
france|french|法国
italy|italian|意大利
spain|spanish|西班牙
portugal|portuguese|葡萄牙
netherlands|dutch|荷兰
belgium|belgian|比利时
switzerland|swiss|瑞士
austria|austrian|奥地利
sweden|swedish|瑞典
norway|norwegian|挪威
denmark|danish|丹麦
finland|finnish|芬兰
iceland|icelandic|冰岛
poland|polish|波兰
czech republic|czech|czechia|捷克
hungary|hungarian|匈牙利
romania|romanian|罗马尼亚
bulgaria|bulgarian|保加利亚
greece|greek|希腊
turkey|turkish|土耳其
russia|russian|俄罗斯
ukraine|ukrainian|乌克兰
china|chinese|people's republic of china|中国
japan|japanese|日本
south korea|south korean|韩国
india|indian|印度
pakistan|pakistani|巴基斯坦
iran|iranian|persian|伊朗
israel|israeli|以色列
egypt|egyptian|埃及
south africa|south african|南非
nigeria|nigerian|尼日利亚
brazil|brazilian|巴西
argentina|argentine|argentinian|阿根廷
mexico|mexican|墨西哥
chile|chilean|智利
croatia|croatian|克罗地亚
serbia|serbian|塞尔维亚
slovenia|slovene|slovenian|斯洛文尼亚
armenia|armenian|亚美尼亚
vietnam|vietnamese|越南
thailand|thai|泰国
singapore|singaporean|新加坡
philippines|filipino|philippine|菲律宾
"""
_KNOWN = {form: line.split("|")[0] for line in _COUNTRIES.strip().splitlines() for form in line.split("|")}


def country_of(text: str) -> str:
    """The country that the whole of ``text`` names, in English; empty where it names anything else."""
    plain = re.sub(r"^(?:an? |the )", "", text.casefold().strip(" .,。；;"))
    return _KNOWN.get(plain) or _KNOWN.get(plain.removesuffix("人").removesuffix("籍"), "")
