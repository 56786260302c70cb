"""Latency, memory and disk against the number of passages. Not part of the suite (minutes to hours).

    python tests/bench/scale.py FOLDER                                 # 10k and 100k, every part
    python tests/bench/scale.py FOLDER --sizes 1000000 --parts lexical # one part of one size
    python tests/bench/scale.py FOLDER --parts dense --uri http://127.0.0.1:19530 --index hnsw  # a server

Each size is a process of its own, in a fresh folder under FOLDER, removed at the end. Text and vectors are
made by ``corpus.py``. Seconds are of the wall; ``cpu`` is of this process alone, the fairer figure on a busy
machine. A table is printed; ``tests/bench/results/scale.json`` keeps every figure (sizes add up).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import psutil
from scale_store import fill

from appliance.config import Dense, Retrieval
from appliance.domain import EVERYONE, PassageId, Scope
from appliance.retrieval.search import Searcher
from appliance.store.bm25 import Bm25Index
from appliance.store.bm25_segment import hashed
from appliance.store.milvus import MilvusStore
from appliance.store.passages import Passages
from appliance.store.sqlite import Database

RESULTS = Path(__file__).parent / "results" / "scale.json"
DIM = 384
INDEXED_AFTER_S = 60
K = 50
SCOPE = Scope(groups=(EVERYONE, "g3"), user="ann")
Figures = dict[str, Any]


class SyntheticEmbedder:
    """Vectors as fast as they can be made: the encoder's time does not depend on the corpus."""

    name, digest, dim = "synthetic", "synthetic", DIM

    def embed_queries(self, texts: list[str]) -> np.ndarray:
        return np.concatenate([corpus.vectors(abs(hash(text)) % 2**32, 1, DIM) for text in texts])


@contextmanager
def timed(figures: Figures, name: str) -> Iterator[None]:
    """Wall and CPU seconds of a block."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    figures[f"{name}_s"] = round(time.perf_counter() - wall, 3)
    figures[f"{name}_cpu_s"] = round(time.process_time() - cpu, 3)


def spread(call: Callable[[int], object], times: int) -> Figures:
    """p50 and p95 in milliseconds of ``call(0)``, ``call(1)`` …; wall, and CPU of this thread."""
    walls, cpus = [], []
    for at in range(times):
        wall, cpu = time.perf_counter(), time.thread_time()
        call(at)
        cpus.append((time.thread_time() - cpu) * 1000)
        walls.append((time.perf_counter() - wall) * 1000)
    at = {f"p{p}_ms": round(float(np.percentile(walls, p)), 2) for p in (50, 95)}
    return {**at, "cpu_p50_ms": round(float(np.percentile(cpus, 50)), 2)}


def helper_cpu_s() -> float:
    """CPU seconds of Milvus-lite's process so far; 0 with a server."""
    helpers = [child for child in psutil.Process().children() if "dense.db" in " ".join(child.cmdline())]
    return sum(sum(helper.cpu_times()[:2]) for helper in helpers)


def with_helper(call: Callable[[int], object], times: int) -> Figures:
    """As :func:`spread`, with the CPU milliseconds of Milvus-lite's process for each call."""
    before = helper_cpu_s()
    figures = spread(call, times)
    return {**figures, "helper_cpu_mean_ms": round((helper_cpu_s() - before) / times * 1000, 2)}


def size_of(folder: Path) -> float:
    """Megabytes on disk."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1)


def memory_mb() -> int:
    """The most that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def lexical(folder: Path, size: int) -> tuple[Bm25Index, Figures]:
    """BM25: built, searched alone and in fives, written to, merged while searched."""
    figures: Figures = {}
    with timed(figures, "build"):
        index = Bm25Index.build(folder, corpus.passages(size))
    figures |= {"peak_memory_mb": memory_mb(), "disk_mb": size_of(folder)}
    index.close()
    with timed(figures, "open_and_verify"):
        index = Bm25Index(folder)
    questions, read, held = corpus.queries(200), [], []
    for question in questions:  # warm, as a service is
        index.search([question], K, SCOPE)
        read.append(index.postings_read)
        words = {token for token, _ in index.specificity([question])[0]}
        held.append(sum(index._parts[0].holders(hashed(word)) for word in words))
    figures |= {"postings_held_mean": int(np.mean(held)), "postings_read_mean": int(np.mean(read))}
    figures |= {
        "postings_held_p95": int(np.percentile(held, 95)),
        "postings_read_p95": int(np.percentile(read, 95)),
    }
    figures["search"] = spread(lambda at: index.search([questions[at]], K, SCOPE), 200)
    fives = [corpus.rewrites(question, at) for at, question in enumerate(questions[:100])]
    figures["search_of_five"] = spread(lambda at: index.search(fives[at], K, SCOPE), 100)
    few = Scope(groups=("g3",))
    figures["search_of_a_small_group"] = spread(lambda at: index.search([questions[at]], K, few), 100)
    figures |= written(index, size, questions)
    return index, figures


def written(index: Bm25Index, size: int, questions: list[str]) -> Figures:
    """A document of five passages added; then 1,000 passages replaced and all merged, searched meanwhile."""
    figures: Figures = {}
    fresh = iter(range(size + 1, size + 10_000, 5))

    def add(at: int) -> None:
        first = next(fresh)
        word = f"zyx{first}qv"
        index.upsert(
            [corpus.passage(number, f"{word} {questions[at % 200]}") for number in range(first, first + 5)]
        )
        assert len(index.search([word], 10, Scope(groups=(EVERYONE, *(f"g{n}" for n in range(20)))))[0]) == 5

    figures["add_five_and_find_them"] = spread(add, 30)
    index.upsert(list(corpus.passages(1_000, first=1 + size // 2)))
    figures["search_with_delta"] = spread(lambda at: index.search([questions[at]], K, SCOPE), 200)
    done = threading.Event()

    def merge() -> None:
        with timed(figures, "merge"):
            index.merge()
        done.set()

    thread = threading.Thread(target=merge)
    thread.start()
    searches: list[float] = []
    adds: list[float] = []
    while not done.is_set():
        for times, call in ((searches, lambda at: index.search([questions[at]], K, SCOPE)), (adds, add)):
            begun = time.perf_counter()
            call(len(times) % 200)
            times.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.05)
    thread.join()
    for name, times in (("search", searches), ("add", adds)):
        figures[f"{name}_during_merge_max_ms"] = round(max(times), 1)
        figures[f"{name}_during_merge_p50_ms"] = round(float(np.median(times)), 2)
    return figures


def dense(folder: Path, size: int, server: Dense) -> tuple[MilvusStore, Any, Figures]:
    """Vectors: inserted, searched alone and in fives, written to."""
    figures: Figures = {}
    store = MilvusStore(server.uri or folder / "dense.db", folder / "tmp", server)
    store.drop("scale", "synthetic")
    index = store.collection("scale", DIM, "synthetic")
    passages, batch = corpus.passages(size), 2_048
    with timed(figures, "insert"):
        for first in range(1, size + 1, batch):
            some = list(islice(passages, batch))
            index.upsert(some, corpus.vectors(first, len(some), DIM))
    figures["insert_helper_cpu_s"] = round(helper_cpu_s(), 1)
    figures["insert_rows_per_s"] = round(size / figures["insert_s"])
    if server.uri:  # it does so by itself after some minutes: only then is there a graph
        with timed(figures, "flush"):
            store._client.flush(index.name)
            time.sleep(INDEXED_AFTER_S)
    figures["disk_mb"] = size_of(folder)
    asked = [corpus.vectors(10**9 + at, 5, DIM) for at in range(100)]
    index.search(asked[0], K, SCOPE)
    figures["search"] = with_helper(lambda at: index.search(asked[at][:1], K, SCOPE), 50)
    figures["search_of_five"] = with_helper(lambda at: index.search(asked[at], K, SCOPE), 20)
    figures |= agreement(index, size, [each[0] for each in asked[:20]])

    def add(at: int) -> None:
        some = list(corpus.passages(5, first=size + 1 + 5 * at))
        made = corpus.vectors(size + 1 + 5 * at, 5, DIM)
        index.upsert(some, made)
        assert index.search(made[1:2], 1, Scope(groups=some[1].groups))[0][0].passage_id == some[1].id

    figures["add_five_and_find_one"] = with_helper(add, 10)
    with timed(figures, "ids_checksum"):
        index.ids_checksum()
    return store, index, figures


def measured(folder: Path, size: int, parts: list[str], server: Dense) -> Figures:
    """All figures of one size."""
    figures: Figures = {}
    words = vectors = store = None
    if "lexical" in parts:
        words, figures["lexical"] = lexical(folder / "lexical", size)
    if "dense" in parts:
        store, vectors, figures["dense"] = dense(folder, size, server)
    if "store" in parts:
        database = Database(folder / "assay.db")
        figures["store"] = stored(database, folder, size)
        if words and vectors:
            figures["funnel"] = funnel(words, vectors, Passages(database))
        database.close()
    if words:
        words.close()
    if store:
        if server.uri:
            store.drop("scale", "synthetic")
        store.close()
    figures["peak_memory_mb"] = memory_mb()
    return figures


def agreement(index: Any, size: int, asked: list[np.ndarray]) -> Figures:
    """The share of the true first 50 that is found; random vectors are the hardest case for a graph."""
    scope = Scope(groups=(EVERYONE, *(f"g{n}" for n in range(corpus.GROUPS))))
    best: list[list[tuple[float, int]]] = [[] for _ in asked]
    for first in range(1, size + 1, 2_048):
        cosine = corpus.vectors(first, min(2_048, size + 1 - first), DIM) @ np.stack(asked).T
        for at, column in enumerate(cosine.T):
            numbered = zip(column.tolist(), range(first, first + column.size), strict=True)
            best[at] = sorted([*best[at], *numbered])[-K:]
    found = index.search(np.stack(asked), K, scope)
    shares = [
        len({number for _, number in true} & {int(hit.passage_id) for hit in hits}) / K
        for true, hits in zip(best, found, strict=True)
    ]
    return {"found_of_the_true_50": round(float(np.mean(shares)), 3)}


def stored(database: Database, folder: Path, size: int) -> Figures:
    """SQLite: 100 passages by id."""
    figures: Figures = {}
    with timed(figures, "fill"):
        fill(database, corpus.passages(size))
    figures["disk_mb"] = round(sum(path.stat().st_size for path in folder.glob("assay.db*")) / 1e6, 1)
    reader, random = Passages(database), np.random.default_rng(3)
    wanted = [[PassageId(int(n)) for n in random.integers(1, size + 1, size=100)] for _ in range(100)]
    reader.passages(wanted[0], SCOPE)
    figures["fetch_of_100"] = spread(lambda at: reader.passages(wanted[at], SCOPE), 100)
    return figures


def funnel(words: Bm25Index, vectors: Any, reader: Passages) -> Figures:
    """A whole search without encoders: milliseconds by stage."""
    searcher = Searcher(
        dense=vectors, lexical=words, reader=reader, embedder=SyntheticEmbedder(), reranker=None,
        settings=Retrieval(), language_of=lambda text: "en" if text.isascii() else "zh",
    )  # fmt: skip
    runs = [searcher.search(question, SCOPE, k=10).timings_ms for question in corpus.queries(100, seed=5)]
    return {
        stage: {f"p{p}_ms": round(float(np.percentile([run[stage] for run in runs], p)), 2) for p in (50, 95)}
        for stage in runs[0]
    }


def flat(figures: Figures, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--parts", default="lexical,dense,store")
    parser.add_argument("--uri", default="")
    parser.add_argument("--index", default="flat", choices=["flat", "hnsw"])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        size = int(chosen.sizes)
        server = Dense(uri=chosen.uri, index=chosen.index)
        print(json.dumps(measured(chosen.folder, size, chosen.parts.split(","), server)))
        return
    kept: Figures = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    kept["machine"] = f"{os.cpu_count()} processors, {platform.machine()}, Python {platform.python_version()}"
    for size in chosen.sizes.split(","):
        folder = chosen.folder / f"scale-{size}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        arguments = ["--sizes", size, "--parts", chosen.parts, "--uri", chosen.uri, "--index", chosen.index]
        command = [sys.executable, __file__, str(folder), *arguments, "--one"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(done.stdout)
        if chosen.uri and "dense" in figures:
            figures[f"dense_server_{chosen.index}"] = figures.pop("dense")
        figures["load_average"] = round(os.getloadavg()[0], 1)
        kept.setdefault(size, {}).update(figures)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        shutil.rmtree(folder)
        for name, value in flat(figures):
            print(f"{int(size):>9,}  {name:45} {value}")


if __name__ == "__main__":
    main()
