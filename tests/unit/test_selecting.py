"""Filters in SQL: what each condition takes, who may see it, and that selective ones scan nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_fakes import ALL, draft, new_document, parsed

from appliance.domain import (
    BlockKind,
    Comparison,
    Condition,
    MetadataChange,
    PassageId,
    Scope,
    SectionType,
    document_id,
)
from appliance.errors import UserError
from appliance.retrieval.filter_language import parse_filter
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.passages import Passages
from appliance.store.selecting import Selector
from appliance.store.sqlite import Database

NAMES = ("report", "policy", "notice", "年报", "undated")
SCOPE = Scope(collection="c")


def add(
    database: Database, name: str, *drafts: object, change: MetadataChange | None = None, **fields: object
):
    Documents(database).add(
        new_document(
            *drafts,  # type: ignore[arg-type]
            record=f"{name}.md",
            parsed=parsed(**fields),
            change=change or MetadataChange(),
        )
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "assay.db")
    Collections(database).ensure("c", "e5")
    add(
        database,
        "report",
        draft("Rates may rise.", "Annual report > Risk factors", section_type=SectionType.RISK),
        draft("| a | b |", "Annual report > Figures", kind=BlockKind.TABLE),
        title="Annual Report 2023",
        published="2023-05-10",
        format="pdf",
        edition="V2.1",
        change=MetadataChange(owner="Finance", authority="official", tags=("audited", "Öffentlich")),
    )
    add(
        database,
        "policy",
        draft("Trains before planes.", "Travel > Risk", section_type=SectionType.POLICY_CLAUSE),
        title="Travel policy",
        published="2022",
        change=MetadataChange(
            effective_from="2022-07-01", effective_to="2023-06-30", authority="internal", document_id="HR-7"
        ),
    )
    add(
        database,
        "notice",
        draft("The valve is recalled.", "Changes", section_type=SectionType.CHANGE_LOG),
        title="Recall notice",
        published="2024-02",
        change=MetadataChange(effective_from="2024-03-01", classification="confidential", authority="draft"),
    )
    add(database, "年报", draft("利率可能上升。", "年度報告 > 風險因素", section_type=SectionType.RISK),
        title="二〇二二年年報", language="zh", published="2022-12-31")  # fmt: skip
    add(database, "undated", draft("Nobody knows when."), title="Undated", format="markdown")
    yield database
    database.close()


def documents(database: Database, text: str, scope: Scope = SCOPE) -> list[str]:
    found = Selector(database).matching_documents(parse_filter(text), scope, 100)
    assert found is not None
    return [name for name in NAMES if document_id("c", f"{name}.md") in found]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("published>=2023", "report notice"),
        ("published>2022", "report notice"),
        ("published=2022", "policy 年报"),
        ("published=2022-12", "年报"),  # "2022" alone is not known to be December
        ("published>=2022-06", "report notice 年报"),
        ("published<=2022-06", ""),
        ("published<=2022", "policy 年报"),
        ("published<2023", "policy 年报"),
        ("published<2024-03", "report policy notice 年报"),
        ("published<=2024-02-28", "report policy 年报"),
        ("published<=2024-02-29", "report policy notice 年报"),
        ("published=2023|2024", "report notice"),
        ("published!=2022", "report notice undated"),
        ("published>=2022-01-01 and published<2023-01-01", "policy 年报"),
        ("effective=2023-06-30", "policy"),
        ("effective=2023-07-01", ""),
        ("effective=2023", "policy"),
        ("effective=2022-06", ""),
        ("effective>=2024", "notice"),
        ("effective<=2022", "policy"),
        ("effective>2023-06-30", "notice"),
        ("effective<2022-07-01", ""),
        ("effective!=2023", "report notice 年报 undated"),
        ("version=1", "report policy notice 年报 undated"),
        ("version>1", ""),
        ("edition=v2.1", "report"),
        ("edition~2.1", "report"),
        ("document=policy.md", "policy"),
        ("document=HR-7", "policy"),
        (f"document={document_id('c', 'notice.md')}", "notice"),
        ("document=policy.md|report.md", "report policy"),
        ("document!=policy.md", "report notice 年报 undated"),
        ("document~年报", "年报"),
        ("title~ANNUAL", "report"),
        ("title='annual report 2023'", "report"),
        ("标题包含年报", "年报"),  # the document writes 年報
        ("section=risk", "policy"),
        ("section='risk factors'", "report"),
        ("section='annual report > risk factors'", "report"),
        ("section~risk", "report policy undated"),
        ("章节=风险因素", "年报"),
        ("section_type=risk", "report 年报"),
        ("section_type=risk|change-log", "report notice 年报"),
        ("section_type!=risk", "report policy notice undated"),  # the report has a table elsewhere
        ("section_type=risk and kind=table", ""),  # both of one passage
        ("kind=table", "report"),
        ("section_type=risk and published=2022", "年报"),
        ("language=zh and section_type=risk", "年报"),
        ("language=zh", "年报"),
        ("authority=official", "report"),
        ("authority>=internal", "report policy"),
        ("authority<internal", "notice"),
        ("authority!=official", "policy notice 年报 undated"),
        ("classification>=internal", "notice"),
        ("owner=FINANCE", "report"),
        ("owner~fin", "report"),
        ("tag=offentlich", "report"),
        ("tag=audited|other", "report"),
        ("tag!=audited", "policy notice 年报 undated"),
        ("format=md", "undated"),
        ("format=pdf and title~report", "report"),
        ("title~%", ""),
        ("title~\"' OR 1=1 --\"", ""),
    ],
)  # fmt: skip
def test_documents_that_meet_a_filter(database: Database, text: str, names: str) -> None:
    assert documents(database, text) == names.split()
    # The two ways agree: documents are those of the passages that match.
    every = {
        p.id: p
        for name in NAMES
        for p in Passages(database).of_document(document_id("c", f"{name}.md"), 1, ALL)
    }
    met = Selector(database).matches(list(every), parse_filter(text), SCOPE)
    assert {every[number].record_id for number in met} == {f"{name}.md" for name in names.split()}


def test_more_documents_than_the_limit_are_not_listed(database: Database) -> None:
    selector, filters = Selector(database), parse_filter("published>=2022")
    assert selector.matching_documents(filters, SCOPE, 3) is None
    assert len(selector.matching_documents(filters, SCOPE, 4) or ()) == 4
    assert selector.matching_documents(parse_filter("kind=code"), SCOPE, 3) == ()


def test_only_the_passages_asked_about_are_answered(database: Database) -> None:
    (risk, table) = Passages(database).of_document(document_id("c", "report.md"), 1, ALL)
    selector = Selector(database)
    assert selector.matches([risk.id, table.id], parse_filter("kind=table"), SCOPE) == {table.id}
    assert selector.matches([risk.id], parse_filter("kind=table"), SCOPE) == set()
    assert selector.matches([], parse_filter("kind=table"), SCOPE) == set()
    assert selector.matches([PassageId(999)], parse_filter("version=1"), SCOPE) == set()


def test_retired_passages_do_not_list_a_document(database: Database) -> None:
    add(
        database,
        "report",
        draft("All is well.", "Outlook"),
        title="Annual Report 2024",
        published="2024-05-01",
    )
    assert documents(database, "section_type=risk") == ["年报"]
    assert documents(database, "published=2023") == []
    assert documents(database, "version>=2") == ["report"]


def test_no_filter_shows_what_may_not_be_read(database: Database) -> None:
    documents_of = Documents(database)
    documents_of.describe(document_id("c", "report.md"), MetadataChange(groups=("board",)), ALL)
    documents_of.describe(document_id("c", "notice.md"), MetadataChange(deny=("user:ann",)), ALL)
    hidden = Passages(database).of_document(
        document_id("c", "report.md"), 1, Scope(groups=("everyone", "board"))
    )
    ann, board = Scope(collection="c", user="ann"), Scope(collection="c", groups=("everyone", "board"))
    for text in ("published>=2023", "section_type in (risk, change-log)", "document=report.md|notice.md",
                 "authority=official|draft", "title!=x", "tag=audited or tag=b"):  # fmt: skip
        assert not {"report", "notice"} & set(documents(database, text, ann))
        assert "report" in documents(database, text, board)
        assert Selector(database).matches([p.id for p in hidden], parse_filter(text), ann) == set()
    assert Selector(database).present("published", ann) == ("2022", "2022-12-31")
    assert Selector(database).present("published", board) == ("2022", "2024-02")
    assert Selector(database).present("tag", ann) == ()
    assert Selector(database).present("section_type", ann) == ("body", "policy-clause", "risk")


def test_the_scope_narrows_further(database: Database) -> None:
    only = Scope(collection="c", documents=(document_id("c", "policy.md"),))
    assert documents(database, "published>=2022", only) == ["policy"]
    assert documents(database, "published>=2022", Scope(collection="other")) == []
    assert documents(database, "section_type=risk", Scope(collection="other")) == []
    assert documents(database, "document=policy.md", Scope(collection="other")) == []
    assert documents(database, "section_type=risk", ALL) == ["report", "年报"]


@pytest.mark.parametrize(
    "condition",
    [
        Condition(field="groups", comparison=Comparison.IS, values=("a",)),
        Condition(field="published", comparison=Comparison.IS, values=("soon",)),
        Condition(field="title", comparison=Comparison.LEAST, values=("a",)),
        Condition(field="published", comparison=Comparison.CONTAINS, values=("2023",)),
        Condition(field="authority", comparison=Comparison.LEAST, values=("royal",)),
        Condition(field="version", comparison=Comparison.IS, values=("1; DROP TABLE documents",)),
        Condition(field="title", comparison=Comparison.IS, values=()),
    ],
)
def test_a_condition_made_elsewhere_is_checked(database: Database, condition: Condition) -> None:
    with pytest.raises(UserError, match="cannot be applied"):
        Selector(database).matching_documents((condition,), SCOPE, 10)


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("published>=2031", "versions_published"),
        ("published=2023-05 and tag=audited", "versions_published"),
        ("section_type=risk", "passages_section_type"),
        ("kind=table and language=en", "passages_kind"),
        ("section_type=risk and published>=2031", "versions_published"),
        ("document=policy.md", "documents_record"),
    ],
)
def test_a_selective_filter_scans_nothing(database: Database, text: str, index: str) -> None:
    query = Selector(database).documents_query(parse_filter(text), SCOPE, 1_000)
    rows = database.query(f"EXPLAIN QUERY PLAN {query.sql}", query.parameters)
    plan = [str(row["detail"]) for row in rows]
    assert any(f"USING INDEX {index}" in line or f"USING COVERING INDEX {index}" in line for line in plan), (
        plan
    )
    stored = ("SCAN d", "SCAN v", "SCAN p", "SCAN documents", "SCAN versions", "SCAN passages")
    assert not [line for line in plan if line in stored or line.startswith(tuple(f"{s} " for s in stored))], (
        plan
    )
