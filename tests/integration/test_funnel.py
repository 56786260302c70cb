"""The funnel over the sample library: real encoders, Milvus-lite, BM25, SQLite and domain packs.

Beside the library stand a few records that name each other by title, one of them for the board alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sample_library import LIBRARY, read_questions

from appliance.cli.application import run
from appliance.config import load_config
from appliance.domain import Hit, Principal, Retrieval, RewriteKind, Strategy
from appliance.retrieval.filter_language import parse_filter
from appliance.wiring import Appliance

pytestmark = [pytest.mark.models, pytest.mark.slow]

COLLECTION = "funnel"
RECORDS = {
    "skerry-bell.md": "# Skerry Bell\n\nThe Skerry Bell is a tide gauge for small harbours. It is made by "
    "Orvane Works. What was paid for it stands in the Corrie Ledger.\n",
    "orvane-works.md": "# Orvane Works\n\nTilda Maren set it up in 1987 in a former rope walk, with a "
    "loan from her aunt and three colleagues.\n",
    "corrie-ledger.md": "# Corrie Ledger\n\nThe price of a gauge was 41,700 crowns; no discount was told.\n",
    "鸥鸣潮位仪.md": "# 鸥鸣潮位仪\n\n鸥鸣潮位仪用于小型港口，由泊澜工坊制造。采购价格见珊礁账簿。\n",
    "泊澜工坊.md": "# 泊澜工坊\n\n1987年，秦若帆在一座旧绳厂里带着三位同事起步，本金是向姑母借的。\n",
    "珊礁账簿.md": "# 珊礁账簿\n\n每台仪器四万一千七百元，折扣从未对外说明。\n",
}
HIDDEN = {"corrie-ledger.md", "珊礁账簿.md"}
BOARD, BOB = Principal(user="ann", groups=("everyone", "board")), Principal(user="bob")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, weights: Any) -> Path:
    """A data folder with the sample library and the records, under one collection."""
    weights("multilingual-e5-small", "model.onnx")
    weights("ms-marco-minilm-l12", "model.onnx")
    weights("e5-reranker-zh", "model.onnx")
    folder, data = tmp_path_factory.mktemp("records"), tmp_path_factory.mktemp("data")
    for name, text in RECORDS.items():
        (folder / name).write_text(text, "utf-8")
        if name in HIDDEN:
            (folder / f"{name}.meta.toml").write_text('groups = ["board"]\n', "utf-8")
    for source in (LIBRARY, folder):
        assert run(["--data", str(data), "ingest", str(source), "--collection", COLLECTION]) == 0
    return data


@pytest.fixture(scope="module")
def appliance(data: Path, models_dir: Path) -> Iterator[Appliance]:
    config = load_config(environ={}, flags={"paths.data": str(data), "paths.models": str(models_dir)})
    with Appliance(config) as appliance:
        yield appliance


Configured = Callable[..., Appliance]


@pytest.fixture
def configured(appliance: Appliance, monkeypatch: pytest.MonkeyPatch) -> Configured:
    """A function: the appliance with other settings of retrieval until the test ends."""

    def other(**settings: object) -> Appliance:
        retrieval = msgspec.structs.replace(appliance.config.retrieval, **settings)
        monkeypatch.setattr(
            appliance, "config", msgspec.structs.replace(appliance.config, retrieval=retrieval)
        )
        return appliance

    return other


def search(appliance: Appliance, question: str, **options: Any) -> Retrieval:
    return appliance.search(question, collection=COLLECTION, **{"principal": BOB, **options})


def places(found: Retrieval) -> dict[str, int]:
    """The best place of each record."""
    ranked: dict[str, int] = {}
    for place, hit in enumerate(found.hits, start=1):
        ranked.setdefault(hit.passage.record_id, place)
    return ranked


def routes(hit: Hit) -> set[str]:
    return {one.route for one in hit.trace.found}


# ------------------------------------------------------------ links (two hops)
TWO_HOPS = [
    ("Who founded the maker of the Skerry Bell?", "skerry-bell.md", "orvane-works.md"),
    ("鸥鸣潮位仪的制造商是谁创办的？", "鸥鸣潮位仪.md", "泊澜工坊.md"),
]


@pytest.mark.parametrize(("question", "first", "second"), TWO_HOPS)
def test_the_document_that_the_first_one_names_is_found_through_it(
    appliance: Appliance, configured: Configured, question: str, first: str, second: str
) -> None:
    ranked = places(search(appliance, question))
    assert (ranked[first], ranked[second]) == (1, 2)
    found = search(configured(rerank_k=0), question)  # which may see by itself what belongs together
    assert places(found)[second] == 2
    (linked,) = [hit for hit in found.hits if hit.passage.record_id == second]
    assert "links" in routes(linked)
    assert found.timings_ms["links"] > 0
    narrowed = search(appliance, question, filters=parse_filter(f"document='{first}'"))
    assert set(places(narrowed)) == {first}, "a filter is not left by following a name"
    without = search(configured(rerank_k=0, link_passages=0), question)
    assert not any("links" in routes(hit) for hit in without.hits)
    assert places(without).get(second, 99) > 2, "the question has no word of it"


# ------------------------------------------------------------ removals (A4)
NEGATIONS = [
    question
    for question in read_questions("questions.retrieval.jsonl")
    if question["style"] == "negation" and question.get("describes")
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_after_an_end_finds_the_notice_before_the_description(
    appliance: Appliance, language: str
) -> None:
    asked = [question for question in NEGATIONS if question["language"] == language]
    before, read, first = 0, 0, 0
    for question in asked:
        found = search(appliance, question["question"], k=20)
        ranked = places(found)
        notice = min(ranked.get(each["document"], 99) for each in question["evidence"])
        described = min(ranked.get(name, 99) for name in question["describes"])
        before += notice < described
        first += notice <= 3
        assert found.reading is not None
        read += found.reading.removal
    assert len(asked) >= 15
    assert read >= 0.6 * len(asked), "it is read as a question after an end"
    assert before >= 0.8 * len(asked)
    assert first >= 0.9 * len(asked)


@pytest.mark.parametrize(
    ("question", "notice", "manual"),
    [
        ("Has tap-to-read been removed from Tidemark?", "tidemark-change-log.md", "manual-tidemark-v1.pdf"),
        ("汐记的数值语音播报取消了吗？", "tidemark-change-log.zh.md", "manual-tidemark-v2.zh.pdf"),
    ],
)
def test_the_change_log_stands_above_the_manual_and_says_why(
    appliance: Appliance, question: str, notice: str, manual: str
) -> None:
    found = search(appliance, question, k=20)
    ranked = places(found)
    assert ranked[f"tarnholm/{notice}"] == 1
    assert ranked.get(f"tarnholm/{manual}", 99) > 1
    assert found.hits[0].trace.boosts["removal notice"] == 1.6


# ------------------------------------------------------------ permissions
@pytest.mark.parametrize(
    ("question", "secret"),
    [
        ("What was paid for the Skerry Bell?", "corrie-ledger.md"),
        ("What does the Corrie Ledger say?", "corrie-ledger.md"),
        ("Compare the price in the Corrie Ledger with the maker of the Skerry Bell", "corrie-ledger.md"),
        ("鸥鸣潮位仪的采购价格是多少？", "珊礁账簿.md"),
        ("珊礁账簿和泊澜工坊分别写了什么？", "珊礁账簿.md"),
    ],
)
@pytest.mark.parametrize("strategy", list(Strategy))
def test_no_link_facet_or_rewrite_shows_what_may_not_be_read(
    appliance: Appliance, question: str, secret: str, strategy: Strategy
) -> None:
    hidden = search(appliance, question, k=200, strategy=strategy)
    assert hidden.hits
    assert secret not in places(hidden)
    assert all(set(hit.passage.groups) == {"everyone"} for hit in hidden.hits)
    assert not any("41,700" in hit.passage.text or "四万一千七百" in hit.passage.text for hit in hidden.hits)
    if strategy is not Strategy.LEXICAL:
        assert secret in places(search(appliance, question, k=200, strategy=strategy, principal=BOARD))


@pytest.mark.parametrize(
    ("question", "secret"), [(TWO_HOPS[0][0], "corrie-ledger.md"), (TWO_HOPS[1][0], "珊礁账簿.md")]
)
def test_a_link_leads_to_a_hidden_document_only_those_who_may(
    appliance: Appliance, question: str, secret: str
) -> None:
    board = search(appliance, question, principal=BOARD)
    (hit,) = [hit for hit in board.hits if hit.passage.record_id == secret]
    assert "links" in routes(hit)
    assert secret not in places(search(appliance, question, k=200))


def test_a_filter_shows_nothing_more_and_says_so(appliance: Appliance) -> None:
    hidden = search(appliance, "Skerry Bell", filters=parse_filter("document=corrie-ledger.md"))
    assert hidden.hits == ()
    assert hidden.notices[0].startswith("document=corrie-ledger.md leaves 0 of ")
    board = search(
        appliance, "Skerry Bell", filters=parse_filter("document=corrie-ledger.md"), principal=BOARD
    )
    assert set(places(board)) == {"corrie-ledger.md"}


# ------------------------------------------------------------ facets and strategies
def test_things_asked_at_once_are_searched_one_by_one(appliance: Appliance) -> None:
    compared = search(appliance, "Compare the wear time of Tidemark Go and Lantern.")
    assert compared.rewrites[0].kind is RewriteKind.ORIGINAL
    facets = [at for at, one in enumerate(compared.rewrites) if one.kind is RewriteKind.FACET]
    assert len(facets) >= 2
    asked = {one.rewrite for hit in compared.hits for one in hit.trace.found if one.route != "links"}
    assert set(facets) <= asked


@pytest.mark.parametrize(
    ("strategy", "may"),
    [
        (Strategy.DENSE, {"dense"}),
        (Strategy.LEXICAL, {"lexical"}),
        (Strategy.HYBRID, {"dense", "lexical", "links"}),
        (Strategy.AUTO, {"dense", "lexical", "links"}),
    ],
)
@pytest.mark.parametrize(
    ("question", "record"),
    [
        ("How long does the Lantern self-test interval last?", "tarnholm/lantern-"),
        ("听泉生物的新车间什么时候建成？", "wire-008"),
    ],
)
def test_each_strategy_answers_through_its_own_routes(
    appliance: Appliance, strategy: Strategy, may: set[str], question: str, record: str
) -> None:
    found = search(appliance, question, strategy=strategy, k=5)
    assert found.strategy is strategy
    assert any(name.startswith(record) for name in places(found))
    used = {route for hit in found.hits for route in routes(hit)}
    assert used <= may
    assert may - {"links"} <= used
    scores = [hit.fused_score for hit in found.hits]
    assert all(score >= 0 for score in scores)
    assert found.notices == ()
    weights = found.weights
    assert weights is not None
    assert weights.dense > 0
    assert weights.lexical > 0
    assert {"own", "total"} <= set(found.timings_ms)


# ------------------------------------------------------------ what is told
@pytest.mark.parametrize(
    ("language", "question"),
    [("zh", "望江二期工厂的产能是多少？"), ("en", "What is the capacity of the Wangjiang plant?")],
)
def test_each_language_has_a_cross_encoder(appliance: Appliance, language: str, question: str) -> None:
    found = search(appliance, question)
    assert found.degraded == ()
    read = [hit for hit in found.hits if hit.rerank_score is not None]
    assert read
    assert all(hit.passage.language == language for hit in read)
    assert all(0 <= (hit.rerank_score or 0) <= 1 for hit in read)


def test_a_cross_encoder_switched_off_is_no_degradation(configured: Configured) -> None:
    found = search(configured(rerank_k=0), "What is the capacity of the Wangjiang plant?")
    assert (found.degraded, bool(found.hits)) == ((), True)
    assert all(hit.rerank_score is None for hit in found.hits)


def test_an_empty_result_says_why(appliance: Appliance) -> None:
    for words in ("the of and", "的了吗", "qqzxv"):
        empty = search(appliance, words, strategy=Strategy.LEXICAL)
        assert empty.hits == ()
        assert any("has a word of the query" in notice for notice in empty.notices), words
    future = search(appliance, "capacity of the plant", filters=parse_filter("published>=2199"))
    assert future.hits == ()
    assert any(notice.startswith("published>=2199 leaves 0 of ") for notice in future.notices)


LONG = "What is the wear time of the Tidemark sensor in children and adults? " * 56
WEIRD = {
    "emoji": "😀🚀🩺",
    "emoji and words": "Tidemark 🩺 sensor ❓",
    "thai": "อุปกรณ์วัดระดับน้ำตาลในเลือดใช้งานได้นานเท่าใด",
    "stop words": "the of and is a",
    "stop words zh": "的了吗呢是",
    "long": LONG[:3_900],
    "long zh": ("汐记传感器可以佩戴多少天？" * 300)[:3_900],
    "one word, long": "a" * 3_900,
    "sql": "'; DROP TABLE documents; -- SELECT * FROM passages WHERE 1=1 OR title LIKE '%'",
    "like a filter": "published>=2031 and tag=nothing",
    "like a filter zh": "章节类型=风险且语言=中文",
    "milvus": 'id in [1,2] and array_contains(groups, "board") || "',
    "code": "def f(x):\n    return {k: v for k, v in x.items() if re.match(r'^\\w+$', k)}",
    "signs": "{}[]()*~^\\/\"'`%_?!",
    "nul and controls": "Tidemark\x00sensor\x1b[31m\u202e\ufeff",
    "half a surrogate pair": "Tidemark \ud83d sensor",
    "combining": "T\u0301\u0301\u0301i\u0301de\u0301mark Z\u0351\u036b\u0343algo",
    "arabic": "ما هي مدة ارتداء المستشعر؟",
    "digits": "0000000000000000000000000000000 1e309 NaN -inf",
    "dates": "30 February 2023, 2023-13-45, Q9 2022, FY9999, 0000年",
    "one letter": "x",
}


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("name", list(WEIRD))
def test_any_text_gives_hits_or_the_reason(appliance: Appliance, name: str, strategy: Strategy) -> None:
    found = search(appliance, WEIRD[name], strategy=strategy)
    assert found.hits or found.notices
    numbers = [hit.passage.id for hit in found.hits]
    assert len(numbers) == len(set(numbers)) <= 10
    assert not HIDDEN & set(places(found))
    if strategy is not Strategy.LEXICAL:
        assert len(numbers) == 10, "the nearest are always found"


def test_the_same_question_gives_the_same_hits(appliance: Appliance) -> None:
    questions = ("Which battery supplier has Tarnholm?", "澄屿传感的差旅标准")
    for question in questions:
        once, again = (search(appliance, question, k=20) for _ in range(2))
        assert [hit.passage.id for hit in once.hits] == [hit.passage.id for hit in again.hits]
        assert json.dumps([hit.fused_score for hit in once.hits]) == json.dumps(
            [hit.fused_score for hit in again.hits]
        )
