"""What to say where something was not found: what was looked for, where, and what would be needed.

Arrives: a finding without a result, the passages that were looked at, how the question reads. Leaves:
sentences in the question's language. By code: no model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import AnswerKind, Finding, Passage, Reading

DOCUMENTS_MAX = 4
"""Documents named; of more, the number is given."""
CHARS_MAX = 80
"""Of a document's or a section's name."""
_REASONS_ZH = (
    (r"nothing readable was retrieved", "没有检索到可读的内容"),
    (r"the model's reply was cut off", "模型的回复被截断"),
    (r"the passages found do not state it", "找到的段落没有说明"),
    (r"the proposed answer does not stand in the line it would cite", "拟出的答案不在所引的行中"),
    (r"the figure found is no amount of money", "找到的数字不是金额"),
    (r"the figure found is a share, no amount", "找到的数字是占比，不是数额"),
    (r"the figure found counts no people", "找到的数字不是人数"),
    (r"the passages found speak of something else", "找到的段落谈的是别的事情"),
    (r"the passages found speak of (.+)", r"找到的段落谈的是\1"),
    (r"no passage found speaks of (.+)", r"没有段落谈到\1"),
    (r"needs the result of step (.+), which was not found", r"需要第\1步的结果，而该结果没有找到"),
    (
        r"what was found could not be confirmed by the passage it cites",
        "找到的内容未能由所引段落证实",
    ),
    (r"rests on the result of step (.+), not confirmed", r"所依据的第\1步结果未能证实"),
    (r"not looked up: (.+) was reached", r"未查找：已达到上限（\1）"),
    (r"no table found gives it by calculation", "没有表格可供计算得出"),
    (
        r"the versions differ, but no change could be proven from its passages",
        "两个版本有差异，但无法从段落证实任何变化",
    ),
)
_KINDS = {
    AnswerKind.NUMBER: ("the figure", "该数值"),
    AnswerKind.DATE: ("the date", "该日期"),
    AnswerKind.PERSON: ("the person's name", "相关人员姓名"),
    AnswerKind.YES_NO: ("whether this is so", "是否如此"),
    AnswerKind.LIST: ("the items", "各项内容"),
    AnswerKind.EXPLANATION: ("the reasons or the course of it", "其原因或过程"),
    AnswerKind.CHANGE: ("both versions, or what changed between them", "两个版本或其间的变化"),
    AnswerKind.OTHER: ("this", "这一点"),
}


def abstained(finding: Finding, looked_at: Sequence[Passage], collection: str, reading: Reading) -> str:
    """Return one paragraph: the sub-question and why it has no result; what was looked at; what is needed."""
    asked, _, reason = finding.missing.rpartition(" — ")
    asked = asked or finding.question
    if reading.language == "zh":
        return f"{asked} — {_in_chinese(reason)}。{_where_zh(looked_at, collection)}{_needed_zh(reading)}"
    return f"{asked} — {reason}. {_where(looked_at, collection)} {_needed(reading)}"


def _in_chinese(reason: str) -> str:
    for pattern, words in _REASONS_ZH:
        if found := re.fullmatch(pattern, reason):
            return found.expand(words)
    return reason  # the tool's own words, such as a calculation's: better in English than not at all


def _where(looked_at: Sequence[Passage], collection: str) -> str:
    if not looked_at:
        return f"Nothing was read for it in the collection {collection!r}."
    places, more = _places(looked_at)
    count, documents = len(looked_at), len({one.document_id for one in looked_at})
    rest = f", and {more} more" if more else ""
    return (
        f"Looked in the collection {collection!r}: {count} passage{'s' * (count > 1)} of {documents}"
        f" document{'s' * (documents > 1)} ({'; '.join(places)}{rest})."
    )


def _where_zh(looked_at: Sequence[Passage], collection: str) -> str:
    if not looked_at:
        return f"在资料库“{collection}”中没有为此读到任何段落。"
    places, more = _places(looked_at)
    documents = len({one.document_id for one in looked_at})
    rest = f"等，另有{more}份" if more else ""
    where = f"资料库“{collection}”中{documents}份文件的{len(looked_at)}个段落"
    return f"已查看{where}（{'；'.join(places)}{rest}）。"


def _needed(reading: Reading) -> str:
    what = _KINDS[reading.kind][0]
    about = ", ".join(dict.fromkeys(one.text for one in reading.entities))
    when = ", ".join(dict.fromkeys((*(one.text for one in reading.times), *reading.years)))
    of, at = f" for {about}" if about else "", f" ({when})" if when else ""
    return f"Needed: a document that states {what}{of}{at}."


def _needed_zh(reading: Reading) -> str:
    what = _KINDS[reading.kind][1]
    about = "、".join(dict.fromkeys(one.text for one in reading.entities))
    when = "、".join(dict.fromkeys((*(one.text for one in reading.times), *reading.years)))
    of = f"关于{about}、" if about else ""
    return f"需要：{of}载明{what}{f'（{when}）' if when else ''}的文件。"


def _places(looked_at: Sequence[Passage]) -> tuple[list[str], int]:
    """Documents in the order found, each with its first sections; how many are left out."""
    sections: dict[str, list[str]] = {}
    for one in looked_at:
        title = _short(one.title or one.record_id)
        own = sections.setdefault(title, [])
        place = one.section_path.rpartition(" > ")[2]
        if place and place != one.title and _short(place) not in own:
            own.append(_short(place))
    named = [f"{title} › {', '.join(own[:2])}" if own else title for title, own in sections.items()]
    return named[:DOCUMENTS_MAX], max(0, len(named) - DOCUMENTS_MAX)


def _short(text: str) -> str:
    return text if len(text) <= CHARS_MAX else f"{text[: CHARS_MAX - 1]}…"
