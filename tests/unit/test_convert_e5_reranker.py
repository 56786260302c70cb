# pyright: basic
"""The Chinese cross-encoder's converter: what the adapter changes, what the head compares, same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from models.convert_e5 import read_packed
from models.convert_e5_reranker import ADAPTER, Adapted, convert, read_adapter
from tests.unit.test_convert_e5 import HIDDEN, INNER, write_tiny

RANK = 4
SAME = [0, 9, 10, 2, 2, 9, 10, 5, 2]
OTHER = [0, 9, 10, 2, 2, 8, 11, 5, 2]
UNFINISHED = [0, 9, 10, 2, 2, 2]
MATRICES = {
    "qkv": (3 * HIDDEN, HIDDEN),
    "ao": (HIDDEN, HIDDEN),
    "fi": (INNER, HIDDEN),
    "fo": (HIDDEN, INNER),
}


def tiny_adapter() -> dict[str, np.ndarray]:
    """Changes of the second layer, and a head that looks at the embeddings only."""
    random = np.random.default_rng(7)
    adapter: dict[str, np.ndarray] = {
        "depths": np.array([0, 2]),
        "mix": np.array([5, 0], np.float32),
        "centre": np.zeros((2, HIDDEN), np.float32),
        "telling": np.zeros((2, HIDDEN), np.float32),
        "head.weight": np.zeros(2 * HIDDEN, np.float32),
        "head.bias": np.array([-3], np.float32),
    }
    for part, (rows, width) in MATRICES.items():
        adapter[f"l1.{part}.up"] = random.integers(-2047, 2048, (rows, RANK)).astype(np.int16)
        adapter[f"l1.{part}.down"] = random.integers(-2047, 2048, (RANK, width)).astype(np.int16)
        adapter[f"l1.{part}.scale"] = np.float32(1e-8)
        adapter[f"l1.{part}.bias"] = random.normal(0, 0.1, rows).astype(np.float32)
    for norm in ("aln.w", "aln.b", "oln.w", "oln.b"):
        adapter[f"l1.{norm}"] = random.normal(1 if norm.endswith("w") else 0, 0.1, HIDDEN).astype(np.float32)
    return adapter


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed encoder, the adapter, and what is made of both."""
    folder = tmp_path_factory.mktemp("reranker")
    write_tiny(folder / "tiny.bin")
    np.savez(folder / "adapter.npz", **tiny_adapter())
    convert(folder / "tiny.bin", folder / "once", adapter=folder / "adapter.npz")
    return folder


def logits(folder: Path, pairs: list[list[int]]) -> np.ndarray:
    """The logits of pairs in one padded batch."""
    width = max(map(len, pairs))
    ids = np.array([pair + [0] * (width - len(pair)) for pair in pairs], np.int64)
    mask = np.array([[int(n < len(pair)) for n in range(width)] for pair in pairs], np.int64)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"input_ids": ids, "attention_mask": mask})[0])


def test_a_passage_with_the_tokens_of_the_question_is_closer(folder: Path) -> None:
    same, other, unfinished = logits(folder / "once", [SAME, OTHER, UNFINISHED])[:, 0]
    assert other < same <= 2.0
    assert unfinished == pytest.approx(-8.0, abs=1e-3), "a passage without a token is as far as can be"


def test_padding_changes_nothing(folder: Path) -> None:
    alone = logits(folder / "once", [UNFINISHED]), logits(folder / "once", [OTHER])
    beside = logits(folder / "once", [UNFINISHED, OTHER])
    assert np.concatenate(alone) == pytest.approx(beside, abs=0.02)


def test_the_change_of_a_matrix_is_the_exact_product(folder: Path) -> None:
    packed = read_packed(folder / "tiny.bin")
    adapter = read_adapter(folder / "adapter.npz", packed.shape)
    adapted = Adapted(
        packed.shape, packed.pieces, packed.unknown, packed.tensors, packed.data, adapter=adapter
    )
    rows = slice(HIDDEN, 2 * HIDDEN)
    product = adapter["l1.qkv.up"][rows].astype(np.int64) @ adapter["l1.qkv.down"].astype(np.int64)
    change = product.astype(np.float32) * np.float32(1e-8)
    assert np.array_equal(adapted.matrix("l1.k.w", HIDDEN), packed.matrix("l1.k.w", HIDDEN) + change)
    assert np.array_equal(adapted.matrix("l0.k.w", HIDDEN), packed.matrix("l0.k.w", HIDDEN))
    moved = packed.floats("l1.k.b") + adapter["l1.qkv.bias"][rows]
    assert np.array_equal(adapted.floats("l1.k.b"), moved)
    assert np.array_equal(adapted.floats("l1.oln.w"), adapter["l1.oln.w"])
    assert np.array_equal(adapted.floats("emb.ln.b"), packed.floats("emb.ln.b"))


def test_the_same_bytes_twice(folder: Path) -> None:
    convert(folder / "tiny.bin", folder / "twice", adapter=folder / "adapter.npz")
    assert sorted(path.name for path in (folder / "twice").iterdir()) == ["model.onnx", "tokenizer.json"]
    for name in ("model.onnx", "tokenizer.json"):
        assert (folder / "once" / name).read_bytes() == (folder / "twice" / name).read_bytes()


@pytest.mark.parametrize("broken", ["mix", "l1.qkv.down", "l1.fo.bias", "l1.aln.w"])
def test_an_adapter_that_does_not_fit_is_refused(folder: Path, tmp_path: Path, broken: str) -> None:
    adapter = tiny_adapter()
    np.savez(tmp_path / "cut.npz", **(adapter | {broken: adapter[broken][..., :-1]}))
    del adapter[broken]
    np.savez(tmp_path / "without.npz", **adapter)
    for name in ("cut.npz", "without.npz"):
        with pytest.raises(ValueError, match="missing or does not fit"):
            read_adapter(tmp_path / name, read_packed(folder / "tiny.bin").shape)


def test_the_shipped_adapter_is_small_and_of_plain_arrays() -> None:
    assert ADAPTER.stat().st_size < 8_000_000
    with np.load(ADAPTER, allow_pickle=False) as stored:
        assert {stored[name].dtype.kind for name in stored.files} == {"i", "f"}
        assert stored["depths"].tolist() == [0, 7, 12]
