# pyright: basic
"""The converter: a tiny packed model against a plain numpy forward pass, and the same bytes twice."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from models.convert_e5 import convert, read_packed

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, EPSILON = 64, 2, 4, 128, 16, 1e-5
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁A", "B", "AB", "1", "中", "文", "。"]
SCORES = [0.0, 0.0, 0.0, 0.0, -3.0, -2.0, -3.0, -6.0, -2.5, -2.0, -2.0, -1.0]
SENTENCES = [[0, 5, 6, 2], [0, 9, 10, 11, 8, 8, 4, 7, 2], [0, 3, 2], [0, *[7, 9, 6, 5] * 3, 2]]

Weights = dict[str, np.ndarray]


def pack(weights: np.ndarray) -> tuple[bytes, np.ndarray]:
    """The 4-bit blocks of a matrix, and what they unpack to."""
    blocks = weights.reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1, keepdims=True) / 7).astype("<f2")
    values = np.clip(np.rint(blocks / scales.astype(np.float32)), -8, 7).astype(np.int8)
    nibbles = (values + 8).astype(np.uint8)
    halves = nibbles[:, :16] | nibbles[:, 16:] << 4
    packed = b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, halves, strict=True))
    return packed, (values * scales.astype(np.float32)).reshape(weights.shape)


def shapes() -> dict[str, tuple[int, ...]]:
    """Every tensor of the file; matrices (packed) have two sizes, vectors (float32) one."""
    names: dict[str, tuple[int, ...]] = {"emb.word": (len(PIECES), HIDDEN), "emb.pos": (POSITIONS * HIDDEN,)}
    names |= {"emb.type": (HIDDEN,), "emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,)}
    for n in range(LAYERS):
        for part in ("q", "k", "v", "ao"):
            names |= {f"l{n}.{part}.w": (HIDDEN, HIDDEN), f"l{n}.{part}.b": (HIDDEN,)}
        names |= {f"l{n}.fi.w": (INNER, HIDDEN), f"l{n}.fi.b": (INNER,)}
        names |= {f"l{n}.fo.w": (HIDDEN, INNER), f"l{n}.fo.b": (HIDDEN,)}
        for norm in ("aln", "oln"):
            names |= {f"l{n}.{norm}.w": (HIDDEN,), f"l{n}.{norm}.b": (HIDDEN,)}
    return names


def write_tiny(path: Path) -> Weights:
    """A random two-layer model at ``path``; the weights that its blocks stand for."""
    random = np.random.default_rng(5)
    weights: Weights = {}
    bodies: list[tuple[str, int, int, bytes]] = []
    for name, shape in shapes().items():
        value = random.normal(1 if "ln.w" in name else 0, 0.2, shape).astype(np.float32)
        if name == "l0.fo.w":
            value[:, 3] *= 3  # one neuron that outshouts the others, as real models have them
        if name == "l0.aln.w":
            value[5] *= 5  # and one channel that is wider than the others
        kind, body = (1, pack(value)) if len(shape) == 2 else (0, (value.tobytes(), value))
        weights[name] = body[1]
        bodies.append((name, kind, value.size, body[0]))
    blob = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0] + [len(piece) for piece in blob])
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7ifi", HIDDEN, LAYERS, HEADS, INNER, len(PIECES), POSITIONS, 1, EPSILON, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(ends[-1]))
    head += ends.astype("<u4").tobytes() + np.array(SCORES, "<f4").tobytes() + b"".join(blob)
    head += (
        struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0xFF21, 1, ord("A")) + struct.pack("<i", len(bodies))
    )
    offset = len(head) + sum(2 + len(name) + 21 for name, *_ in bodies)
    for name, kind, count, body in bodies:
        head += struct.pack("<H", len(name)) + name.encode()
        head += struct.pack("<BIQQ", kind, count, offset, len(body))
        offset += len(body)
    path.write_bytes(head + b"".join(body for *_, body in bodies))
    return weights


def normalise(x: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
    return scaled * weights[f"{name}.w"] + weights[f"{name}.b"]


def embed(ids: list[int], weights: Weights) -> np.ndarray:
    """The plain forward pass of one sentence: BERT, mean-pooled, L2-normalised."""

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[f"{name}.w"].T + weights[f"{name}.b"]

    gelu = np.vectorize(lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))
    positions = weights["emb.pos"].reshape(POSITIONS, HIDDEN)[: len(ids)]
    x = normalise(weights["emb.word"][ids] + positions + weights["emb.type"], weights, "emb.ln")
    for n in range(LAYERS):
        q, k, v = (linear(x, f"l{n}.{part}").reshape(len(ids), HEADS, -1).swapaxes(0, 1) for part in "qkv")
        logits = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(HIDDEN // HEADS))
        context = (logits / logits.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(ids), HIDDEN)
        x = normalise(x + linear(context, f"l{n}.ao"), weights, f"l{n}.aln")
        x = normalise(x + linear(gelu(linear(x, f"l{n}.fi")), f"l{n}.fo"), weights, f"l{n}.oln")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Weights]:
    folder = tmp_path_factory.mktemp("tiny")
    weights = write_tiny(folder / "tiny.bin")
    convert(folder / "tiny.bin", folder / "once")
    return folder, weights


def run(folder: Path, sentences: list[list[int]]) -> np.ndarray:
    width = max(map(len, sentences))
    ids = np.array([sentence + [1] * (width - len(sentence)) for sentence in sentences], np.int64)
    mask = np.array([[int(n < len(sentence)) for n in range(width)] for sentence in sentences], np.int64)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"input_ids": ids, "attention_mask": mask})[0])


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda ids: f"{len(ids)} tokens")
def test_the_graph_computes_what_the_weights_say(tiny: tuple[Path, Weights], sentence: list[int]) -> None:
    folder, weights = tiny
    (vector,) = run(folder / "once", [sentence])
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert float(vector @ embed(sentence, weights)) > 0.99


def test_padding_does_not_reach_the_vectors(tiny: tuple[Path, Weights]) -> None:
    folder, weights = tiny
    vectors = run(folder / "once", SENTENCES)
    assert vectors.shape == (len(SENTENCES), HIDDEN)
    for vector, sentence in zip(vectors, SENTENCES, strict=True):
        assert float(vector @ embed(sentence, weights)) > 0.99


def test_the_same_bytes_twice(tiny: tuple[Path, Weights]) -> None:
    folder, _ = tiny
    convert(folder / "tiny.bin", folder / "twice")
    names = sorted(path.name for path in (folder / "once").iterdir())
    assert names == ["config.json", "model.onnx", "tokenizer.json"]
    for name in names:
        assert (folder / "once" / name).read_bytes() == (folder / "twice" / name).read_bytes()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("A B", [0, 5, 4, 6, 2]),
        ("ＡＢ", [0, 5, 6, 2]),
        ("A　　B", [0, 5, 4, 6, 2]),
        ("中文。1", [0, 4, 9, 10, 11, 8, 2]),
        ("xx1", [0, 4, 3, 8, 2]),
    ],
)
def test_the_tokenizer_takes_the_likeliest_pieces(
    tiny: tuple[Path, Weights], text: str, ids: list[int]
) -> None:
    folder, _ = tiny
    tokenizer = Tokenizer.from_file(str(folder / "once" / "tokenizer.json"))
    assert tokenizer.encode(text).ids == ids


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(60))
    with pytest.raises(ValueError, match="not a packed e5 file"):
        read_packed(tmp_path / "other.bin")
