"""Filters and explanations by command line and over HTTP: real store, BM25, Milvus; vectors are made up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from litestar.testing import TestClient

from appliance.api.errors import status_of
from appliance.app import create_app
from appliance.cli.application import run
from appliance.config import load_config
from appliance.domain import PassageId, Principal, Retrieval
from appliance.errors import UserError
from appliance.ports import Vectors
from appliance.retrieval.filter_language import parse_filter
from appliance.wiring import Appliance

Assay = Callable[..., tuple[int, str, str]]
FILES = {
    "report-2023.md": "# Annual report\n\n## Risk factors\n\nRates may rise and the harbour may silt up.\n\n"
    "## Figures\n\n| year | tonnes |\n|---|---|\n| 2023 | 4,200 |\n",
    "report-2021.md": "# Annual report\n\n## Risk factors\n\nThe harbour may freeze over.\n",
    "travel.md": "# Travel policy\n\n## Trains\n\nTrains before planes to the harbour.\n",
    "zh/年报.md": "# 年度报告\n\n## 风险因素\n\n利率可能上升，港口可能淤塞。\n",
}
SIDE_CARS = {
    "report-2023.md": 'published = "2023-05-10"\nauthority = "official"\ntags = ["audited"]\n',
    "report-2021.md": 'published = "2021"\ngroups = ["board"]\n',
    "travel.md": 'effective_from = "2022-07-01"\neffective_to = "2023-06-30"\n',
    "zh/年报.md": 'published = "2024-03-01"\n',
}
QUESTION = "harbour 港口"


class HashEmbedder:
    name, digest, dim = "multilingual-e5-small", "1" * 64, 32

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dim) - 127.5
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    embed_queries = embed_passages

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with four documents, of which ``board`` alone may read one."""
    files = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        file = files / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        file.with_name(f"{file.name}.meta.toml").write_text(SIDE_CARS[name], "utf-8")
    data = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY__RERANKING__MODEL", "")
        patch.setenv("ASSAY__RERANKING__MODEL_ZH", "")
        patch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder())
        assert run(["--data", str(data), "ingest", str(files)]) == 0
        yield data


@pytest.fixture
def assay(data: Path, capsys: pytest.CaptureFixture[str]) -> Assay:
    def command(*arguments: object, as_: Sequence[str] = ()) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["--data", str(data), *as_, *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def rows(assay: Assay, text: str, *more: object, as_: Sequence[str] = ()) -> list[dict[str, Any]]:
    code, out, err = assay("search", QUESTION, "--filter", text, "--json", *more, as_=as_)
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("published>=2023", ["Figures", "Risk factors", "风险因素"]),
        ("section_type=risk", ["Risk factors", "风险因素"]),
        ("section_type=risk and published=2023", ["Risk factors"]),
        ("kind=table", ["Figures"]),
        ("章节类型=风险且语言=中文", ["风险因素"]),
        ("标题包含年度報告", ["风险因素"]),
        ("effective=2023-01-15", ["Trains"]),
        ("effective=2024", []),
        ("tag=audited and kind!=table", ["Risk factors"]),
        ("document in (travel.md, 'zh/年报.md')", ["Trains", "风险因素"]),
        ("authority>=internal or authority>=official", None),
    ],
)
@pytest.mark.parametrize("strategy", ["hybrid", "lexical"])
def test_a_search_leaves_out_what_the_filter_does(
    assay: Assay, text: str, sections: list[str] | None, strategy: str
) -> None:
    if sections is None:
        code, _, err = assay("search", QUESTION, "--filter", text, "--json")
        assert (code, "“or” joins only values of one field" in err) == (2, True)
        return
    found = rows(assay, text, "--strategy", strategy)
    ends = sorted(row["section"].rpartition(" > ")[2] for row in found)
    if strategy == "lexical":  # the table does not have the words
        sections = [name for name in sections if name != "Figures"]
    assert ends == sections
    assert all("trace" not in row for row in found)


def test_no_filter_shows_what_may_not_be_read(assay: Assay, data: Path) -> None:
    board = ["--as-group", "board"]
    for text in ("published=2021", "document=report-2021.md", "section_type=risk", "title~report"):
        assert "report-2021.md" in [row["record_id"] for row in rows(assay, text, as_=board)]
        assert "report-2021.md" not in [row["record_id"] for row in rows(assay, text)]
    code, out, err = assay("search", QUESTION, "--filter", "published<=2021")
    assert (code, err) == (0, "")
    assert out.startswith("nothing found: published<=2021 leaves 0 of ")
    assert "documents are dated from 2023-05-10 to 2024-03-01" in out, "2021 is not even hinted at"


def test_an_empty_result_says_why(assay: Assay) -> None:
    code, out, err = assay("search", QUESTION, "--filter", "published>=2031", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "warning: published>=2031 leaves 0 of " in err
    assert "documents are dated from 2023-05-10 to 2024-03-01" in err
    code, out, _ = assay("search", QUESTION, "--filter", "tag=secret plans", "--json")
    assert code == 2
    code, out, _ = assay("search", QUESTION, "--filter", "tag='secret plans' and kind=table")
    assert (code, 'tag="secret plans" leaves 0 of' in out, "; there is audited" in out) == (0, True, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--filter", "sectiontype=risk"), "did you mean section_type?"),
        (("--filter", ""), "the filter is empty"),
        (("--filter", "published>2024 and published<2020"), "cannot both hold"),
        (("--filter", "发布=2023-02-30"), "no calendar has"),
        (("--as-of", "2023-02-30"), "as-of is '2023-02-30'"),
        (("--as-of", "yesterday"), "as-of is 'yesterday'"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(assay: Assay, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = assay("search", QUESTION, *arguments, "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err


@pytest.mark.parametrize(
    "question",
    [
        "published>=2031 and tag=nothing",
        "'; DROP TABLE documents; --",
        "SELECT * FROM passages WHERE 1=1",
        "😀 {}[]()*~",
    ],
)
def test_a_question_that_looks_like_a_filter_is_text(assay: Assay, question: str) -> None:
    code, out, err = assay("search", question, "--json")
    assert (code, len(json.loads(out))) == (0, 4), err
    code, out, _ = assay("documents", "list", "--json")
    assert len(json.loads(out)) == 3


def test_only_stop_words_give_a_reason(assay: Assay) -> None:
    code, out, _ = assay("search", "the of and", "--strategy", "lexical")
    assert code == 0
    assert out.startswith("nothing found: no passage that you may read has a word of the query")


def test_explained_for_programs(assay: Assay) -> None:
    code, out, _ = assay(
        "search", QUESTION, "--filter", "section_type=risk and language=zh", "--json", "--explain"
    )
    found = json.loads(out)
    assert code == 0
    assert {"results", "rewrites", "weights", "filters", "notices", "degraded", "timings_ms"} <= set(found)
    assert found["rewrites"][0]["kind"] == "original"
    assert found["rewrites"][0]["text"] == QUESTION
    assert [step["condition"] for step in found["filters"]] == ["section_type=risk", "language=zh"]
    assert all(step["origin"] == "caller" and step["kept"] >= 1 for step in found["filters"])
    assert {"dense", "lexical", "origin"} <= set(found["weights"])
    (row,) = found["results"]
    routes = {each["route"]: each for each in row["trace"]["found"]}
    assert {"dense", "lexical"} <= set(routes)
    assert routes["lexical"]["rank"] == 1
    assert routes["lexical"]["score"] == pytest.approx(row["scores"]["lexical"])
    assert {"freshness", "authority", "boosts", "stability"} <= set(row["trace"])


def test_explained_for_people(assay: Assay) -> None:
    code, out, _ = assay("search", QUESTION, "--filter", "published=2023", "--explain")
    assert code == 0
    assert f"query 0: {QUESTION}  [original; dense lexical]" in out
    assert "weights: dense " in out
    assert "filter: published=2023 (caller): " in out
    assert "by query 0 (original)" in out
    assert "freshness ×" in out
    assert "ms: " in out


def test_measured_under_a_filter(assay: Assay, tmp_path: Path) -> None:
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "qrels.tsv"
    queries.write_text('{"id": "1", "question": "harbour", "answer": "", "type": "x"}\n')
    qrels.write_text("query_id\trecord_id\trelevance\n1\ttravel.md\t1\n")
    base = ("eval", "retrieval", "--queries", queries, "--qrels", qrels, "--json")
    _, out, _ = assay(*base, "--filter", "document=travel.md")
    assert json.loads(out)["overall"]["hit@1"] == 1.0
    _, out, _ = assay(*base, "--filter", "published>=2023")
    assert json.loads(out)["overall"]["recall@10"] == 0.0
    code, _, err = assay(*base, "--filter", "hue=red")
    assert (code, "unknown field 'hue'" in err) == (2, True)


@pytest.fixture
def client(data: Path) -> Iterator[TestClient[Any]]:
    config = load_config(
        environ={"ASSAY__RERANKING__MODEL": "", "ASSAY__RERANKING__MODEL_ZH": ""},
        flags={"paths.data": str(data)},
    )
    with (
        Appliance(config) as appliance,
        TestClient(create_app(appliance), base_url="http://127.0.0.1:8321") as client,
    ):
        yield client


def test_over_http(client: TestClient[Any]) -> None:
    def ask(**fields: object) -> Any:
        return client.post("/api/search", json={"question": QUESTION, **fields})

    plain = ask(filter="section_type=risk and language=zh").json()
    assert [row["record_id"] for row in plain["results"]] == ["zh/年报.md"]
    assert (plain["notices"], "trace" in plain["results"][0], "rewrites" in plain) == ([], False, False)

    told = ask(filter="section_type=risk", explain=True, as_of="2024-06-30").json()
    assert told["filters"][0]["condition"] == "section_type=risk"
    assert told["results"][0]["trace"]["found"][0]["rank"] >= 1
    assert told["rewrites"][0]["text"] == QUESTION
    assert {"weights", "strategy", "timings_ms", "degraded", "notices"} <= set(told)

    empty = ask(filter="published>=2031").json()
    assert empty["results"] == []
    assert "published>=2031 leaves 0 of " in empty["notices"][0]

    for fields, error, hint in (
        (
            {"filter": "sectiontype=risk"},
            "position 1: unknown field 'sectiontype'",
            "did you mean section_type?",
        ),
        ({"filter": "kind=picture"}, "position 6: kind 'picture' is not known", "table"),
        ({"filter": "  "}, "the filter is empty", "for example"),
        ({"as_of": "2024-13-01"}, "as-of is '2024-13-01'", "a day of the calendar"),
    ):
        answer = ask(**fields)
        assert answer.status_code == status_of(UserError("")) == 400
        assert error in answer.json()["error"]
        assert hint in answer.json()["hint"]
    assert ask(filter=7).status_code == 400


def test_a_filter_is_no_way_around_the_principal(data: Path) -> None:
    config = load_config(
        environ={"ASSAY__RERANKING__MODEL": "", "ASSAY__RERANKING__MODEL_ZH": ""},
        flags={"paths.data": str(data)},
    )
    with Appliance(config) as appliance:

        def found(text: str, principal: Principal) -> Retrieval:
            return appliance.search(
                QUESTION, collection="default", principal=principal, filters=parse_filter(text)
            )

        board = Principal(user="ann", groups=("everyone", "board"))
        seen = found("document=report-2021.md", board)
        ids: list[PassageId] = [hit.passage.id for hit in seen.hits]
        assert ids
        hidden = found("document=report-2021.md", Principal(user="bob"))
        assert hidden.hits == ()
        assert hidden.filters[0].kept == 0
        assert hidden.notices[0].startswith("document=report-2021.md leaves 0 of ")
