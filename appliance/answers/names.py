"""Are the names of a claim those of its passage, and of the sentence that it restates? By code.

Arrives: the claim's text, the sentence and its source's text. Leaves: names that do not stand there, or stand
there for somebody else.
"""

from __future__ import annotations

import re

from appliance.answers.verify import fold, names
from appliance.domain import Fault, FaultKind
from appliance.domain.quantities import quantities

_ORDINARY = re.compile(r"(?:s|ing|ed|tion|ment|ity|ly|ness|ance|ence|er|al|ive|able|age|ure|th)$")
SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严魏陶姜谢邹喻苏潘葛范彭鲁韦马苗俞袁柳鲍史唐费薛雷贺倪汤滕罗毕郝"
    "邬傅卞康伍余顾孟黄穆萧尹姚邵汪祁毛狄臧戴宋庞熊纪舒项祝董梁杜阮蓝闵贾娄颜郭梅盛林刁钟徐邱骆夏蔡田樊胡凌霍虞万"
    "柯管卢莫房裘缪宗丁邓郁杭洪诸左石崔吉钮龚程嵇邢裴陆荣翁荀甄曲靳段焦巴侯宓蓬班仰仲伊宫宁仇栾"
    "甘厉祖武刘景詹龙叶司韶黎薄白怀蒲邰鄂索咸籍赖卓蔺屠蒙池乔阴胥苍闻莘党翟谭贡劳姬申扶堵冉宰郦雍璩桑"
    "桂牛寿边扈燕冀浦尚温庄晏柴瞿阎慕茹习艾鱼容戈廖庾终暨耿匡文寇广禄阙欧聂关荆"
)
_TITLE = (
    "记者|教授|主席|总统|总理|经理|医生|院长|主任|书记|市长|董事长|校长|部长|局长|博士|先生|女士|"
    "负责人|联系人|主编|导演|作者"
)
PERSON = re.compile(
    rf"(?:(?<=记者|教授|主席|总统|总理|经理|医生|院长|主任|书记|市长|校长|导演|作者)|(?<=联系人|负责人|董事长))"
    rf"[{SURNAMES}][一-鿿]{{1,2}}"
    rf"|(?<![一-鿿])[{SURNAMES}][一-鿿]{{1,2}}(?=说|表示|称|认为|担任|介绍|[（(，,、的是于在]|{_TITLE})"
)
"""A person's Chinese name, as far as its surroundings tell."""
BODY = re.compile(
    r"[一-鿿]{2}(?:公司|集团|银行|大学|学院|医院|基金|证券|保险|法院|出版社|研究所|委员会|科技|制药|能源|航空)|"
    r"[一-鿿]{2}(?:省|市|县|镇)(?![场政民委值长区])"
)
_QUOTED = re.compile(r"[“\"「『《](?!\s)([^”\"」』》“「『《]{2,40})(?<!\s)[”\"」』》]")


def name_faults(claim: str, lender: str) -> list[Fault]:
    """Return a fault for each name and quotation of ``claim`` that ``lender`` nowhere has."""
    lender = fold(lender)
    missing = [name for at, name in enumerate(names(claim)) if not _stands(name, lender, claim, at)]
    missing += [q for q in _QUOTED.findall(claim) if fold(q) not in lender]
    for pattern in (PERSON, BODY):
        missing += [n for n in pattern.findall(claim) if n not in lender and _foreign(n, lender)]
    return [Fault(kind=FaultKind.NAME, said=name) for name in dict.fromkeys(missing)]


def _stands(name: str, lender: str, claim: str, at: int) -> bool:
    folded = fold(name)
    if re.search(rf"(?<![a-z0-9]){re.escape(folded)}(?![a-z0-9])", lender):
        return True
    if quantities(name):
        return True  # a month, a fiscal year: the figures tell
    stem = re.sub(r"(?:ies|es|s|n|ian|ese|ish)$", "", folded)
    if len(stem) > 3 and re.search(rf"(?<![a-z]){re.escape(stem)}", lender):
        return True
    initials = "".join(word[0] for word in re.findall(r"[a-z]+", lender))
    if name.isupper() and len(name) > 2 and folded in initials:
        return True
    opens = at == 0 and claim.lstrip("\"'“ ").startswith(name) and name[1:].islower()
    following = claim.lstrip("\"'“ ")[len(name) :].lstrip()[:1]
    return opens and following.islower() and bool(_ORDINARY.search(folded))


def _foreign(name: str, lender: str) -> bool:
    """A name of which the passage has no two characters side by side, its last word aside."""
    return not any(name[at : at + 2] in lender for at in range(max(1, len(name) - 2)))


def rival_names(claim: str, sentence: str, lender: str) -> list[Fault]:
    """Return a fault where ``claim``, which restates ``sentence``, says it of another name of the passage.

    ``lender``: sentence, header and title, and what is known; a name that stands there is no rival's.
    """
    mine = [name for name in proper(claim) if name not in lender]
    rivals = [name for name in proper(sentence) if name not in claim]
    if not mine or not rivals or any(_alike(name, fold(lender)) for name in mine):
        return []
    return [Fault(kind=FaultKind.NAME, said=mine[0], holds=rivals[0])]


def proper(text: str) -> list[str]:
    """Return the names of a text as written, of both languages; the word that opens it is none."""
    opening = text.lstrip('-*•"“ ')
    latin = [name for name in names(text) if not opening.startswith(name) and not quantities(name)]
    return [*latin, *(match.group() for pattern in (PERSON, BODY) for match in pattern.finditer(text))]


def _alike(name: str, lender: str) -> bool:
    stem = re.sub(r"(?:ies|es|s|n|ian|ese|ish)$", "", fold(name))
    return len(stem) > 3 and stem in lender
