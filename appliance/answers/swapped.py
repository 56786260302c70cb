"""Chinese names that a claim puts in the place of its sentence's: persons, places, foreign names. By code.

Chinese writes names without capitals. Four things tell one: a place that is in every atlas, characters that
write foreign sounds, a surname where the sentence has another name in just that place, and a new word in
a claim that otherwise is the sentence. Arrives: the claim, the sentence that it restates, the text that
lends names. Leaves: names that stand nowhere.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from appliance.answers.names import SURNAMES
from appliance.domain import Fault, FaultKind

LIKE = 0.6
"""Share of characters in common from which a claim is laid beside the sentence, character by character."""
COPIED = 0.8
"""Share from which the claim is the sentence but for a word or two: any new word there is another thing."""
LONGEST = 8
FOREIGN = 0.7
"""Share of characters that write foreign sounds from which a run of them is a foreign name."""
_PLACES = (
    "中国|美国|英国|法国|德国|俄罗斯|日本|韩国|朝鲜|印度尼西亚|印度|巴西|加拿大|澳大利亚|新西兰|意大利|西班牙|葡萄牙|荷兰|比利时|瑞士|"
    "瑞典|挪威|丹麦|芬兰|波兰|奥地利|希腊|土耳其|埃及|南非|以色列|伊朗|伊拉克|沙特阿拉伯|沙特|阿联酋|卡塔尔|乌克兰|白俄罗斯|越南|"
    "泰国|马来西亚|新加坡|菲律宾|缅甸|老挝|柬埔寨|巴基斯坦|孟加拉国|斯里兰卡|尼泊尔|蒙古|阿富汗|墨西哥|阿根廷|智利|秘鲁|古巴|"
    "哥伦比亚|委内瑞拉|摩洛哥|尼日利亚|肯尼亚|埃塞俄比亚|匈牙利|捷克|罗马尼亚|保加利亚|塞尔维亚|克罗地亚|爱尔兰|冰岛|苏联|"
    "北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|"
    "甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|香港|澳门|广州|深圳|杭州|南京|苏州|成都|武汉|西安|郑州|长沙|青岛|大连|沈阳|哈尔滨|"
    "厦门|福州|宁波|无锡|合肥|济南|昆明|贵阳|南昌|太原|兰州|石家庄|长春|南宁|海口|三亚|拉萨|乌鲁木齐|呼和浩特|银川|西宁|珠海|"
    "东莞|佛山|温州|台北|高雄|东京|大阪|首尔|平壤|伦敦|巴黎|柏林|慕尼黑|莫斯科|罗马|马德里|维也纳|日内瓦|布鲁塞尔|纽约|华盛顿|"
    "洛杉矶|旧金山|芝加哥|波士顿|西雅图|多伦多|温哥华|悉尼|墨尔本|曼谷|河内|新德里|孟买|开罗|迪拜|欧洲|亚洲|非洲|南美|北美"
)
_TRADITIONAL = str.maketrans(
    "國東韓鮮羅爾蘭亞義榮華紐約澳門臺灣廣蘇龍陝寧貴雲慶濱瀋陽鄭漢長島濟蒙內銀無錫溫佛倫維納頓爾馬賽萊瑪貝魯達費傑凱喬喬諾諾薩費爾澤茲",
    "国东韩鲜罗尔兰亚义荣华纽约澳门台湾广苏龙陕宁贵云庆滨沈阳郑汉长岛济蒙内银无锡温佛伦维纳顿尔马赛莱玛贝鲁达费杰凯乔乔诺诺萨费尔泽兹",
)
_PLACE = re.compile(_PLACES)
_SHORT = re.compile(r"[方军企媒籍元裔队股政驻对]")
_HOME = re.compile(r"我国|全国|国内|中方|中华|新华社|央视|人民币")
_SOUNDS = frozenset(
    "阿埃艾安奥巴贝比彼博布查达丹德登迪丁多顿恩尔法菲费弗夫福盖冈戈格葛古哈海汉赫亨胡华惠霍基吉加贾姜杰金卡凯坎康考科克肯"
    "库奎拉莱赖兰朗劳勒雷黎里利莉林琳卢鲁伦罗洛马玛迈麦曼梅门蒙米密摩莫默姆穆娜纳南内尼涅努诺欧帕潘庞佩彭皮平珀普齐奇切乔"
    "琼丘让热日瑞萨塞赛桑森沙莎绍圣施什史舒斯司丝松苏索塔泰坦汤特提廷图托瓦万王旺威韦维魏温文沃乌吴武西希锡夏香肖谢辛欣休"
    "许雅亚延扬耶叶伊以因英尤约泽扎詹珍芝朱兹祖佐"
)
_RUN = re.compile(r"[一-鿿·]+")
_WRITTEN = re.compile(r"[一-鿿·]+|[A-Za-z][A-Za-z .'’-]+")
"""What may stand for a name: Han, or a name in Latin letters."""
_LIGHT = frozenset("的了在是为和与及或将把被由从到对以而但也都又就这那其之于")


_ORDINARY = re.compile(
    "应当|必须|应该|需要|可以|能够|允许|不得|不可|根据|按照|依据|依照|通过|进行|开展|实施|施行|展开|推进|购买|采购|显示|表明|表示|"
    "指出|认为|称|说|介绍|选择|选取|使用|采用|利用|运用|以及|并且|同时|公司|企业|机构|单位|部门|规定|要求|为了|如果|假如|倘若|"
    "因此|所以|因而|由于|因为|达到|实现|完成|删除|移除|包括|包含|涵盖|及时|尽快|迅速|承担|负担|负责|主管|规格|参数|自动|自行|"
    "增加|增长|提高|提升|上升|减少|下降|降低|大约|左右|超过|目前|现在|如今|此前|之前|之后|随后|后来|当时|首次|第一|主要|重要|"
    "关键|许多|大量|众多|多数|部分|一些|所有|全部|各种|不同|相关|有关|其他|另外|其中|成为|作为|担任|出任|属于|位于|坐落|建立|"
    "成立|创立|创办|设立|开始|启动|结束|停止|举行|举办|召开|发布|公布|宣布|发表|公开|推出|提供|给予|获得|取得|得到|赢得|参加|"
    "出席|帮助|协助|支持|影响|导致|造成|引起|出现|发生|存在|具有|拥有|去世|逝世|死亡|出生|诞生|毕业|就读|任职|工作|居民|民众|"
    "群众|人们|人员|员工|职工|用户|客户|顾客|消费者|孩子|儿童|学生|方面|领域|方式|方法|办法|情况|问题|时间|期间|该|此|本|其|"
    "仍然|依然|已经|曾经|将会|可能|非常|十分|特别|尤其|较为|比较|共计|总计|一共|合计|分别|均|都"
)
"""Words that are often said otherwise; a claim that has one of them in another's place names nobody else."""


def swapped_names(claim: str, sentence: str, lender: str) -> list[Fault]:
    """Return a fault for each Chinese name of ``claim`` that ``lender`` lacks; also place by place."""
    claim, sentence, lender = (each.translate(_TRADITIONAL) for each in (claim, sentence, lender))
    found = {name: "" for name in _PLACE.findall(claim) if not _lent(name, lender)}
    matcher = SequenceMatcher(None, claim, sentence, autojunk=False)
    share = matcher.ratio()
    for mine, theirs in _replaced(matcher, claim, sentence) if share >= LIKE else ():
        if mine in lender or any(mine in name or name in mine for name in found):
            continue
        if (_is_name(mine) and _may_be_name(theirs)) or (share >= COPIED and _another_thing(mine, theirs)):
            found[mine] = theirs
    return [Fault(kind=FaultKind.NAME, said=name, holds=held) for name, held in found.items()]


def _lent(name: str, lender: str) -> bool:
    """Whether a place stands there: in full, shortened (美方), or as the text's own country (我国)."""
    if name in lender or (name == "中国" and _HOME.search(lender)):
        return True
    return any(_SHORT.match(lender, match.end()) for match in re.finditer(name[0], lender))


def _replaced(matcher: SequenceMatcher[str], claim: str, sentence: str) -> list[tuple[str, str]]:
    """What the claim has where the sentence has something else, both in Han, grown to two characters."""
    pairs: list[tuple[str, str]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "replace" and _RUN.fullmatch(claim[a:b]) and _WRITTEN.fullmatch(sentence[c:d]):
            while b - a < 2 and a and c and claim[a - 1] == sentence[c - 1] and _grows(claim[a - 1]):
                a, c = a - 1, c - 1
            pairs.append((claim[a:b], sentence[c:d]))
    return pairs


def _grows(char: str) -> bool:
    return bool(_RUN.fullmatch(char)) and char not in _LIGHT


def _another_thing(mine: str, theirs: str) -> bool:
    """Whether a word stands for one with which it has nothing in common, and neither is an everyday word."""
    if min(len(mine), len(theirs)) < 2 or max(len(mine), len(theirs)) > LONGEST:
        return False
    return not set(mine) & set(theirs) and not _ORDINARY.search(mine) and not _ORDINARY.search(theirs)


def _is_name(run: str) -> bool:
    if not 2 <= len(run) <= LONGEST or _LIGHT & set(run):
        return False
    return "·" in run or _sounds(run) or (run[0] in SURNAMES and len(run) <= 3)


def _may_be_name(run: str) -> bool:
    return run.isascii() or (
        not _LIGHT & set(run)
        and ("·" in run or _sounds(run) or run[0] in SURNAMES or bool(_PLACE.search(run)))
    )


def _sounds(run: str) -> bool:
    return len(run) >= 2 and sum(char in _SOUNDS for char in run) / len(run) >= FOREIGN
