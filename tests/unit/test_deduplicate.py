"""What documents repeat is kept once, from the right one; what differs in a figure or a name, twice."""

from __future__ import annotations

from retrieval_fakes import passage

from appliance.documents.sentences import split_sentences
from appliance.domain import Authority, Passage
from appliance.evidence.deduplicate import Standing, distinct_passages, distinct_pieces
from appliance.evidence.pieces import pieces_of
from appliance.store.analysis import analyse

TEXT = (
    "The retention period of server logs is 90 days from the day they were written. Logs of security events "
    "are kept apart and are not deleted before an inquiry ends. The data officer reports on it every quarter."
)


def left(question: str, *passages: Passage) -> list[int]:
    return [int(one.id) for one in distinct_passages(passages, Standing.of(question, analyse)).passages]


def test_the_most_authoritative_then_the_newest_of_a_kind_is_kept() -> None:
    draft = passage(1, TEXT, authority=Authority.DRAFT, published="2024-05-01")
    old = passage(2, TEXT, authority=Authority.OFFICIAL, published="2022-05-01")
    new = passage(
        3, TEXT.replace("every quarter", "each quarter"), authority=Authority.OFFICIAL, published="2023-05-01"
    )
    standing = Standing.of("How long are server logs kept?", analyse)
    distinct = distinct_passages([draft, old, new], standing)
    assert [int(one.id) for one in distinct.passages] == [3]
    assert {int(one.id) for one in distinct.left_out[new.id]} == {1, 2}


def test_one_other_figure_name_or_denial_is_no_duplicate() -> None:
    for changed in (
        TEXT.replace("90 days", "60 days"),
        TEXT.replace("are not deleted", "are deleted"),
        TEXT.replace("The data officer", "Its officer Edda Voss"),
    ):
        assert left("How long are logs kept?", passage(1, TEXT), passage(2, changed)) == [1, 2]


def test_of_two_alike_the_one_that_the_question_names_is_kept() -> None:
    older = passage(1, TEXT, title="Log policy 2022", published="2022-01-01")
    newer = passage(2, TEXT, title="Log policy 2024", published="2024-01-01")
    assert left("How long are logs kept?", older, newer) == [2]
    assert left("How long were logs kept in 2022?", older, newer) == [1]
    assert left("Compare log retention in 2022 and 2024.", older, newer) == [1, 2]


def test_two_documents_of_one_title_with_other_content_both_stay() -> None:
    one = passage(1, "Revenue of Orbis was 41.2 million euros in 2023.", title="Annual report")
    two = passage(2, "Revenue of Kite was 7.9 million euros in 2023.", title="Annual report")
    assert left("What was the revenue?", one, two) == [1, 2]


def test_a_row_in_two_reports_is_kept_from_the_newest_and_the_other_is_its_support() -> None:
    table = (
        "表1 利润表（百万元）\n| 项目 | 2022年 | 2021年 |\n|---|---|---|\n"
        "| 营业收入 | 868.0 | 767.0 |\n| 净利润 | 95.2 | 78.2 |"
    )
    first = passage(1, table, published="2023-03-01", language="zh")
    second = passage(
        2, f"董事会认为业绩良好。\n\n{table}\n| 毛利 | 334.2 | 287.6 |", published="2024-03-01", language="zh"
    )
    pieces = [p for rank, one in enumerate((first, second)) for p in pieces_of(one, rank, split_sentences)]
    kept, support = distinct_pieces(pieces, Standing.of("2022年营业收入是多少？", analyse))
    revenue = [piece for piece in kept if "868.0" in piece.shown]
    assert [int(piece.passage.id) for piece in revenue] == [2]
    assert support[revenue[0].passage.id, revenue[0].whole[0]] == (first.fingerprint,)


def test_page_numbers_and_running_heads_go() -> None:
    text = "Table of Contents\nOrbis employed 1,204 people at the end of the year 2021.\n60\n第 3 页"
    kept, _ = distinct_pieces(pieces_of(passage(1, text), 0, split_sentences), Standing.of("staff", analyse))
    assert [piece.raw for piece in kept] == ["Orbis employed 1,204 people at the end of the year 2021."]
