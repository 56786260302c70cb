"""Statements that contradict each other and look-alikes that do not; who is believed; both languages."""

from __future__ import annotations

import pytest

from appliance.documents import split_sentences
from appliance.domain import Authority, DocumentId, Fingerprint, Passage, PassageId
from appliance.evidence.contradict import Conflict, ConflictKind, contradictions
from appliance.evidence.contradiction_head import load_contradiction_head
from appliance.evidence.polarity import negations, signs_of
from appliance.evidence.resolve import DecidedBy, Resolution, resolve, supported
from appliance.evidence.statements import measured, statements_of


def passage(number: int, text: str, title: str = "", **more: object) -> Passage:
    given: dict[str, object] = {
        "id": PassageId(number),
        "fingerprint": Fingerprint(f"d-{number}##0"),
        "document_id": DocumentId(f"d-{number}"),
        "record_id": "",
        "collection": "c",
        "title": title,
        "section_path": "",
        "text": text,
        "language": "",
        "token_count": 1,
    }
    return Passage(**(given | more))  # pyright: ignore[reportArgumentType]


def found(one: Passage, other: Passage, **how: object) -> list[Conflict]:
    statements = statements_of([one, other], split_sentences)
    return contradictions(statements, head=load_contradiction_head(), **how)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("one", "other", "values"),
    [
        (
            "The TIDE-2 study enrolled 212 adults.",
            "TIDE-2 enrolled 220 adults at three sites.",
            {"212", "220"},
        ),
        ("望江二期工厂年产能为1,800万片。", "望江二期工厂达产后年产能为2,000万片。", {"1,800万", "2,000万"}),
        (
            "Halden's revenue in 2022 was £392 million.",
            "In 2022, revenue at Halden came to £401.5 million.",
            {"£392 million", "£401.5 million"},
        ),
        (
            "| Item (£ million) | 2022 |\n|---|---|\n| Revenue | 392.0 |",
            "Revenue in 2022 was £401.5 million.",
            {"£392.0 million", "£401.5 million"},
        ),
        ("岚野医院有1777张病床。", "岚野医院有240张病床。", {"1,777", "240"}),
    ],
)
def test_figures_that_differ_are_a_conflict(one: str, other: str, values: set[str]):
    (conflict,) = found(passage(1, one, "Halden"), passage(2, other, "Halden"))
    assert conflict.kind is ConflictKind.FIGURE
    assert set(conflict.values) == values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Revenue of Halden in 2022 was £392 million.", "Revenue of Halden in 2021 was £340 million."),
        ("Revenue of Halden in 2022 was £392 million.", "Revenue of Halden in Q3 2022 was £97 million."),
        ("Revenue of Halden in 2022 was £392 million.", "Revenue of Halden in 2022 was £0.39 billion."),
        ("Revenue of Halden in 2022 was £392 million.", "Halden planned revenue of £450 million for 2022."),
        ("Revenue of Halden in 2022 was £392 million.", "Revenue of Halden in 2022 rose by £51 million."),
        ("Revenue of Halden in 2022 was £392 million.", "Revenue of Bresk in 2022 was £120 million."),
        ("The cell keeps 91% of its activity at 25 °C.", "The cell keeps 64% of its activity at 60 °C."),
        ("The hotel cap is £130 outside capital cities.", "The hotel cap is £165 in capital cities."),
        ("退款在申请后14天内支付。", "退款在申请后两周内支付。"),
        ("成人剂量为20毫克。", "儿童剂量为5毫克。"),
        ("公司2023年营业收入为8.71亿元。", "公司2023年营业收入为871百万元。"),
        ("第一代传感器可佩戴10天。", "第二代传感器可佩戴14天。"),
        ("更多信息见附件。", "员工可结转年假。"),
    ],
)
def test_look_alikes_are_none(one: str, other: str):
    assert found(passage(1, one), passage(2, other)) == []


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("Devices may be taken abroad by staff.", "Devices must not be taken abroad by staff.", True),
        ("The store is heated in winter.", "The store is not heated in winter.", True),
        ("第二代汐记支持NFC碰一碰读取。", "第二代汐记不再支持NFC碰一碰读取。", True),
        ("董事会批准了收购方案。", "董事会否决了收购方案。", True),
        ("Devices may be taken abroad by staff.", "Staff may take devices abroad.", False),
        ("员工可以结转未休年假。", "未休年假可以由员工结转。", False),
    ],
)
def test_denials(one: str, other: str, conflict: bool):
    kinds = [each.kind for each in found(passage(1, one), passage(2, other))]
    assert kinds == ([ConflictKind.SIGN] if conflict else [])


def test_a_pair_of_which_one_follows_from_the_other_is_no_denial():
    pair = passage(1, "Devices may be taken abroad."), passage(2, "Devices must not be taken abroad.")
    assert found(*pair, entails=lambda asked: [0.1] * len(asked))
    assert not found(*pair, entails=lambda asked: [0.9] * len(asked))


def test_one_document_does_not_contradict_itself_but_its_versions_do():
    one, other = (
        passage(1, "The TIDE-2 study enrolled 212 adults."),
        passage(2, "TIDE-2 enrolled 220 adults.", document_id=DocumentId("d-1")),
    )
    assert not found(one, other)
    (conflict,) = found(one, passage(2, other.text, document_id=DocumentId("d-1"), version=2))
    assert resolve(conflict.one.passage, conflict.other.passage) == Resolution(chosen=1, by=DecidedBy.VERSION)


def test_versions_of_one_title_hold_at_different_times():
    text = "Values are kept for {} months after closing the account."
    one, other = (passage(at, text.format(36 - at * 12), f"Privacy policy 202{at}") for at in (0, 1))
    assert found(one, other) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (
            {"authority": Authority.OFFICIAL, "published": "2020"},
            {"authority": Authority.DRAFT, "published": "2024"},
            (0, "authority"),
        ),
        ({}, {"authority": Authority.EXTERNAL, "published": "2024"}, (0, "authority")),
        ({"published": "2023-01-05"}, {"published": "2023-10-20"}, (1, "date")),
        ({"effective_from": "2024-01-01", "published": "2022"}, {"published": "2023"}, (0, "date")),
        ({"published": "2023"}, {"published": "2023-10-20"}, (None, None)),
        ({}, {"published": "2023-10-20"}, (None, None)),
    ],
)
def test_authority_then_date(
    one: dict[str, object], other: dict[str, object], expected: tuple[int | None, str | None]
):
    made = resolve(passage(1, "a", **one), passage(2, "b", **other))
    assert (made.chosen, made.by) == expected


def test_a_further_source_decides_only_where_it_says_the_same_as_one_side():
    one, other = (
        passage(1, "The TIDE-2 study enrolled 212 adults."),
        passage(2, "TIDE-2 enrolled 220 adults."),
    )
    (conflict,) = found(one, other)
    at = (conflict.one.passage.id, conflict.other.passage.id).index(PassageId(2))
    third = statements_of([passage(3, "In all, TIDE-2 enrolled 220 adults.")], split_sentences)
    assert supported(conflict, third) == Resolution(chosen=at, by=DecidedBy.SUPPORT)
    assert supported(conflict, statements_of([other], split_sentences)) == Resolution()
    assert (
        supported(conflict, statements_of([passage(4, "TIDE-2 enrolled 300 adults.")], split_sentences))
        == Resolution()
    )


@pytest.mark.parametrize(
    ("text", "axis", "sign"),
    [
        ("The board rejected the merger.", "approval", -1),
        ("NFC is no longer supported.", "support", -1),
        ("没有证据表明两者有关。", "link", -1),
        ("该药有效。", "effect", 1),
    ],
)
def test_signs(text: str, axis: str, sign: int):
    assert signs_of(text)[axis] == sign


def test_not_only_is_no_negation():
    assert negations("It is not only fast.") == 0
    assert negations("它不仅快。") == 0
    assert negations("It is not fast.") == 1


@pytest.mark.parametrize(
    ("cell", "unit", "said"),
    [
        ("57.9", "£ million", "£57.9 million"),
        ("871.2", "百万元", "871.2百万元"),
        ("4.1", "%", "4.1%"),
        ("12 days", "%", "12 days"),
    ],
)
def test_a_cell_reads_with_its_unit(cell: str, unit: str, said: str):
    assert measured(cell, unit) == said


def test_empty_cells_are_no_statements():
    table = "| Item | 2023 | 2022 |\n|---|---|---|\n| Tax | n/a | — |\n| Cash | 4 | 不适用 |"
    assert [each.text for each in statements_of([passage(1, table)], split_sentences)] == ["Cash, 2023: 4"]
