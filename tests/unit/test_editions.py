"""Which two editions are compared, and which heading is the chapter that was asked for."""

from __future__ import annotations

import pytest

from appliance.domain import DocumentId, VersionPair
from appliance.reasoning.editions import Edition, base_title, pair_of
from appliance.reasoning.section_named import names_section


def edition(document: str, title: str, version: int = 1, **said: object) -> Edition:
    return Edition(document=DocumentId(document), title=title, version=version, **said)  # type: ignore[arg-type]


POLICY = [
    edition("a", "Tarnholm: Travel policy 2022", published="2022-05-09"),
    edition("b", "Tarnholm: Travel policy 2024", published="2024-02-19"),
    edition("c", "Tarnholm: Travel policy 2023", published="2023-03-01"),
    edition("d", "Chengyu: Expense rules 2022", published="2022-01-01", place=1),
    edition("e", "Chengyu: Expense rules 2024", published="2024-01-01", place=1),
]
ASKED = "What changed in the travel policy?"


@pytest.mark.parametrize(
    ("older", "newer", "documents"),
    [
        ("2022", "the 2024 version", ("a", "b")),
        ("2024", "2022", ("a", "b")),  # named the other way round
        ("", "", ("c", "b")),  # the current one and the one before
        ("old version", "new version", ("c", "b")),
        ("original version", "", ("a", "b")),
        ("", "2023", ("a", "c")),
        ("2019", "2024", None),
    ],
)
def test_editions_are_chosen_by_their_labels_and_dates(
    older: str, newer: str, documents: tuple[str, str] | None
) -> None:
    pair = pair_of(VersionPair(older=older, newer=newer), ASKED, POLICY)
    assert (pair and (pair.older.document, pair.newer.document)) == documents


def test_the_document_is_the_one_that_is_named() -> None:
    wanted = VersionPair(document="expense rules", older="2022", newer="2024")
    pair = pair_of(wanted, "What changed in the expense rules between 2022 and 2024?", POLICY)
    assert pair is not None
    assert (pair.older.document, pair.newer.document) == ("d", "e")
    other = VersionPair(document="safety manual", older="2022", newer="2024")
    assert pair_of(other, "What changed in the safety manual?", POLICY) is None


def test_versions_of_one_document_and_of_chinese_ones() -> None:
    stored = [
        edition("a", "数据安全管理制度", 1, label="V1.0", published="2022-06-20"),
        edition("a", "数据安全管理制度", 2, label="V2.0", published="2024-02-26"),
        edition("a", "数据安全管理制度", 3, label="V2.1", published="2024-06-01"),
    ]
    asked = "《数据安全管理制度》有哪些变化？"
    by_label = pair_of(VersionPair(document="数据安全管理制度", older="V1.0", newer="V2"), asked, stored)
    assert by_label is not None
    assert (by_label.older.version, by_label.newer.version) == (1, 2)
    by_year = pair_of(
        VersionPair(document="数据安全管理制度", older="2022年版", newer="2024年版"), asked, stored
    )
    assert by_year is not None
    assert (by_year.older.version, by_year.newer.version) == (1, 3), "the latest of a year"
    assert pair_of(VersionPair(document="数据安全管理制度"), asked, stored[:1]) is None


@pytest.mark.parametrize(
    ("title", "base"),
    [
        ("Research data policy, version 2", "Research data policy"),
        ("澄屿传感数据安全管理制度（2024年版）", "澄屿传感数据安全管理制度"),
        ("Data processing addendum to MSA-2022-014, version 1.0", "Data processing addendum to MSA-2022-014"),
    ],
)
def test_a_title_without_its_label(title: str, base: str) -> None:
    assert base_title(title) == base


@pytest.mark.parametrize(
    ("asked", "heading", "same"),
    [
        ("chapter 7", "Chapter 7. Incidents", True),
        ("chapter 7", "7. Incidents", True),
        ("chapter 7", "7.2 Reports", True),
        ("chapter 7", "17. Incidents", False),
        ("chapter 7", "Chapter VII Incidents", True),
        ("chapter 7", "Article 7", False),
        ("chapter 7", "Incidents of 7 May", False),
        ("section 3.1", "3.1 Storage", True),
        ("section 3.1", "3.12 Storage", False),
        ("Annex B", "Annex B: forms", True),
        ("第七章", "第七章 事件报告", True),
        ("第七章", "第7章 事件报告", True),
        ("第七章", "七、事件报告", True),
        ("第七章", "第七条 发生事件的", False),
        ("第十一条", "第十一条 发生使用者", True),
        ("第二十一条", "第21条", True),
        ("附件一", "附件1 表格", True),
    ],
)
def test_headings_are_known_however_they_are_numbered(asked: str, heading: str, same: bool) -> None:
    assert names_section(asked, heading) is same
