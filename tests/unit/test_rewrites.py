"""The property of rewriting (A2): what binds a question stands in every rewrite; nothing is presumed."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.config import Domains
from appliance.domain import Reading, RewriteKind
from appliance.questions import QuestionReader
from appliance.retrieval.rewrite import rewrites_of
from appliance.store.segmentation import cut_for_search
from appliance.understanding.presumed import presumed

cut_for_search("预热")  # imports the segmenter before its warnings are errors
READER = QuestionReader(Domains())
VALUES = {
    "subject": st.sampled_from(["battery life", "net income", "dosage", "infrared pairing", "late fee"]),
    "item": st.sampled_from(["电池续航", "净利润", "用药剂量", "红外配对", "滞纳金"]),
    "name": st.sampled_from(["Orbis", "Kite Ltd", "Kite X1", "US Steel", "IT Services Group", "Alder"]),
    "other": st.sampled_from(["Lumo S", "Norden Bank", "Vega Inc"]),
    "firm": st.sampled_from(["海川公司", "青松集团", "北岭银行", "华山医院"]),
    "firm2": st.sampled_from(["东湖公司", "白云大学"]),
    "work": st.sampled_from(["《劳动合同法》", "《数据安全管理办法》", "“红外配对”", "《2021年年度报告》"]),
    "quote": st.sampled_from(['"late fees"', "“not included”", '"iOS 17"', '"US"']),
    "version": st.sampled_from(["version 2.1", "release 12.1", "v3", "iOS 17", "firmware 1.0.2"]),
    "edition": st.sampled_from(["第3版", "2.1版", "V2.0", "2022版", "第十二版"]),
    "code": st.sampled_from(["AB-1234", "GB/T 19001-2016", "contract HC-2021-077", "ISO 9001"]),
    "day": st.sampled_from(
        ["in 2021", "after 1 March 2023", "in Q3 2022", "from 2020 to 2022", "since May 2019"]
    ),
    "time": st.sampled_from(
        ["2021年", "2023年3月1日之后", "2022年第三季度", "去年", "2020年至2022年", "上半年"]
    ),
    "without": st.sampled_from(["other than Germany", "excluding late fees", "except for Kite Ltd", ""]),
    "except_": st.sampled_from(["除广东省以外，", "除运费外，", "不包括税费，", ""]),
    "condition": st.sampled_from(["at 25 °C", "under normal load", "before tax", ""]),
    "when": st.sampled_from(["不含税", "空腹时", "在高温条件下", ""]),
    "denied": st.sampled_from(["not cover", "never reach", "no longer support", "not include"]),
    "denies": st.sampled_from(["不包括", "没有披露", "未达到", "不再支持"]),
    "ended": st.sampled_from(["withdrawn", "removed", "discontinued", "replaced", "repealed"]),
    "end": st.sampled_from(["废止", "停产", "撤回", "取消", "下架", "失效"]),
}
TEMPLATES = (
    "What was the {subject} of {name} {day} {condition}?",
    "Why did {name} {denied} {quote} {day} {without}?",
    "Was {version} of {name} {ended} {day}, {without}?",
    "Has the {subject} of {code} been {ended}?",
    "Is {subject} still supported by {name} in {version} {condition}?",
    "Compare the {subject} of {name} and {other} {day} {condition}",
    "What is the {subject} of {name} without {quote} under {code}, {without}?",
    "What were the {subject} and the revenue of {name} {day}?",
    "{except_}{firm}{time}的{item}是多少？",
    "{firm}的{edition}{work}为什么{denies}{item}？",
    "{time}{firm}的{item}是否已经{end}？",
    "{except_}{work}{edition}{when}还有效吗？",
    "比较{firm}和{firm2}{time}{when}的{item}",
    "{firm}{time}的{item}和营业收入分别是多少？",
    "根据{work}，{code}的{item}{denies}哪些{when}情形？",
)
CUES = ("denied", "denies", "ended", "end")
HOSTILE = (
    "14 days", "fourteen days", "in august", "1997", "Maria Lind", "Berlin", "berlin",
    "no refund", "$3 million",
    "十四天", "三个月", "1997年", "王小明", "北京市", "《合同法》", "没有", "百分之五", "远山公司",
)  # fmt: skip
HARMLESS = ("return period", "product recall", "operating result", "退货期限", "产品召回", "经营成果")
SEEN = settings(max_examples=100, deadline=None, derandomize=True)


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    template = draw(st.sampled_from(TEMPLATES))
    filled = {name: draw(VALUES[name]) for name in re.findall(r"\{(\w+)\}", template)}
    return template.format(**filled), filled


def holds(part: str, text: str) -> bool:
    """As written, not as a piece of another word or figure."""
    for match in re.finditer(re.escape(part), text, re.IGNORECASE):
        around = text[match.start() - 1 : match.start() + 1] if match.start() else ""
        behind = text[match.end() - 1 : match.end() + 1]
        if not any(re.fullmatch(r"[A-Za-z0-9]{2}", pair) for pair in (around, behind)):
            return True
    return False


def bounds(reading: Reading) -> list[str]:
    return [
        *(text for each in reading.constraints for text in (each.text, each.value) if text),
        *(time.text for time in reading.times),
        *reading.cues,
    ]


@SEEN
@given(questions())
def test_every_rewrite_keeps_what_binds_the_question(question: tuple[str, dict[str, str]]):
    reading = READER.read(question[0], as_of="2024-05-01")
    wanted = [*bounds(reading), *(entity.text for entity in reading.entities)]
    for rewrite in rewrites_of(reading, HARMLESS):
        if rewrite.kind is not RewriteKind.FACET:
            lost = [text for text in wanted if not holds(text, rewrite.text)]
            assert not lost, (rewrite.kind, rewrite.text)


@SEEN
@given(questions())
def test_what_denies_or_ended_survives_as_the_question_says_it(question: tuple[str, dict[str, str]]):
    text, filled = question
    reading = READER.read(text, as_of="2024-05-01")
    for word in (filled[name] for name in CUES if name in filled):
        # Whole for words of an ending, for a denial at least what denies.
        sign = word.split()[0] if " " in word else word
        for rewrite in rewrites_of(reading):
            assert sign in rewrite.text, (rewrite.kind, rewrite.text)


@SEEN
@given(questions())
def test_a_facet_keeps_its_own_and_no_bound_is_in_none(question: tuple[str, dict[str, str]]):
    reading = READER.read(question[0], as_of="2024-05-01")
    facets = [each.text for each in rewrites_of(reading) if each.kind is RewriteKind.FACET]
    for written, made in zip(reading.facets, facets, strict=False):
        assert made.startswith(written)
    for text in bounds(reading) if facets else ():
        lost = [facet for facet in reading.facets if not holds(text, facet)]
        assert any(holds(text, facet) for facet in facets), text
        if len(lost) == len(reading.facets):
            assert all(holds(text, facet) for facet in facets), text


@SEEN
@given(questions(), st.lists(st.sampled_from(HOSTILE + HARMLESS), max_size=8))
def test_an_expansion_adds_no_figure_date_or_name(question: tuple[str, dict[str, str]], said: list[str]):
    reading = READER.read(question[0], as_of="2024-05-01")
    passed = [phrase for phrase in said if not presumed(phrase, reading)]
    assert not [phrase for phrase in passed if phrase in HOSTILE and phrase not in reading.text]
    known = {form for term in reading.terms for form in (*term.forms, *term.parts)}
    for rewrite in rewrites_of(reading, passed):
        if rewrite.kind is RewriteKind.EXPANDED:
            assert rewrite.text.startswith(reading.text)
            added = rewrite.text[len(reading.text) :]
            for form in sorted((*known, *HARMLESS, *passed), key=len, reverse=True):
                added = added.replace(form, " ")
            assert not added.strip(), added
