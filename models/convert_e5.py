# pyright: basic
"""multilingual-e5-small: from a packed 4-bit file to an ONNX graph and a tokenizer, always the same bytes.

Arrives: ``e5-small-q4.bin`` (blocks of 32 weights: one float16 scale, 16 bytes of nibbles; vocabulary and
normalisation beside them). Leaves: ``model.onnx`` (input_ids, attention_mask → (n, 384) float32, mean-pooled,
L2-normalised), ``tokenizer.json`` and ``config.json``. The word table keeps its 4-bit values exactly; the
matrices become int8 per column, multiplied by ONNX Runtime's dynamic int8 kernels. No torch.

    python -m models.convert_e5 e5-small-q4.bin weights/multilingual-e5-small
"""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

MAGIC = b"E5S1"
BLOCK = 32
MICROSOFT = "com.microsoft"
IR_VERSION, OPSET = 9, 17
KEPT = "\ue000"


@dataclass(frozen=True)
class Shape:
    """Sizes of the encoder."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True)
class Packed:
    """The packed file, opened."""

    shape: Shape
    pieces: list[tuple[str, float]]
    unknown: int
    tensors: dict[str, tuple[int, int, int]]
    """Name → (kind: 0 float32, 1 4-bit blocks; number of values; offset)."""
    data: bytes

    def floats(self, name: str) -> np.ndarray:
        """Return a float32 vector."""
        kind, count, offset = self.tensors[name]
        if kind != 0:
            raise ValueError(f"{name} is not float32")
        return np.frombuffer(self.data, "<f4", count, offset)

    def blocks(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return 4-bit values ``(blocks, 32) int8`` of -8…7 and their scales ``(blocks,) float16``."""
        kind, count, offset = self.tensors[name]
        if kind != 1:
            raise ValueError(f"{name} is not packed")
        rows = np.frombuffer(
            self.data, np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))]), count // BLOCK, offset
        )
        low = (rows["nibbles"] & 0x0F).astype(np.int8) - 8
        high = (rows["nibbles"] >> 4).astype(np.int8) - 8
        return np.concatenate([low, high], axis=1), rows["scale"]

    def matrix(self, name: str, width: int) -> np.ndarray:
        """Return ``(rows, width) float32``, unpacked."""
        values, scales = self.blocks(name)
        return (values * scales.astype(np.float32)[:, None]).reshape(-1, width)


def read_packed(path: Path) -> Packed:
    """Return the packed file; ValueError when it is not one."""
    data = path.read_bytes()
    if data[:4] != MAGIC:
        raise ValueError(f"{path} is not a packed e5 file")
    position = 8

    def take(form: str) -> tuple:
        nonlocal position
        values = struct.unpack_from(f"<{form}", data, position)
        position += struct.calcsize(f"<{form}")
        return values

    hidden, layers, heads, inner, vocabulary, positions, _types = take("7i")
    epsilon, block = take("fi")
    if block != BLOCK:
        raise ValueError(f"{path} has blocks of {block}, not {BLOCK}")
    count, _bos, _eos, _pad, unknown, blob_bytes = take("5iQ")
    offsets = take(f"{count + 1}I")
    scores = take(f"{count}f")
    blob = data[position : position + blob_bytes]
    position += blob_bytes
    _, normalisation_bytes = take("iI")
    position += normalisation_bytes
    tensors: dict[str, tuple[int, int, int]] = {}
    for _ in range(take("i")[0]):
        (name_bytes,) = take("H")
        name = data[position : position + name_bytes].decode()
        position += name_bytes
        kind, values, offset, _size = take("BIQQ")
        tensors[name] = (kind, values, offset)
    pieces = [
        (blob[start:end].decode(), score)
        for start, end, score in zip(offsets[:-1], offsets[1:], scores, strict=True)
    ]
    shape = Shape(hidden, layers, heads, inner, vocabulary, positions, epsilon)
    return Packed(shape, pieces, unknown, tensors, data)


class GraphWriter:
    """Nodes and initialisers of the encoder, in the order a token passes them."""

    def __init__(self, packed: Packed) -> None:
        """Hold the weights."""
        self.packed = packed
        self.nodes: list = []
        self.weights: list = []

    def weight(self, name: str, value: np.ndarray) -> str:
        """Add an initialiser."""
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: object
    ) -> str:
        """Add a node with one output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def matmul(self, source: str, matrix: np.ndarray, bias: np.ndarray, output: str) -> str:
        """Add ``source @ matrix.T + bias`` with int8 weights, one scale per output."""
        scale = np.maximum(np.abs(matrix).max(axis=1), 1e-8).astype(np.float32) / 127.0
        quantised = np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8)
        names = [
            self.weight(f"{output}.weight", quantised.T),
            self.weight(f"{output}.scale", scale),
            self.weight(f"{output}.zero", np.zeros(len(scale), np.int8)),
            self.weight(f"{output}.bias", bias.astype(np.float32)),
        ]
        return self.node("DynamicQuantizeMatMul", [source, *names], output, domain=MICROSOFT)

    def normalise(self, source: str, residual: str, name: str, output: str) -> str:
        """Add ``LayerNorm(source + residual)``."""
        gamma = self.weight(f"{name}.gamma", self.packed.floats(f"{name}.w"))
        beta = self.weight(f"{name}.beta", self.packed.floats(f"{name}.b"))
        return self.node(
            "SkipLayerNormalization",
            [source, residual, gamma, beta],
            output,
            domain=MICROSOFT,
            epsilon=self.packed.shape.epsilon,
        )

    def embeddings(self) -> str:
        """Add word (4-bit values, exact), position and type embeddings with their LayerNorm."""
        shape = self.packed.shape
        values, scales = self.packed.blocks("emb.word")
        per_row = shape.hidden // BLOCK
        self.weight("word.values", values.reshape(shape.vocabulary, per_row, BLOCK))
        self.weight("word.scales", scales.reshape(shape.vocabulary, per_row, 1))
        picked = self.node("Gather", ["word.values", "input_ids"], "word.picked", axis=0)
        picked = self.node("Cast", [picked], "word.float", to=TensorProto.FLOAT)
        scale = self.node("Gather", ["word.scales", "input_ids"], "word.scale", axis=0)
        scale = self.node("Cast", [scale], "word.scale_float", to=TensorProto.FLOAT)
        blocks = self.node("Mul", [picked, scale], "word.blocks")
        self.weight("word.shape", np.array([0, 0, shape.hidden], np.int64))
        word = self.node("Reshape", [blocks, "word.shape"], "word")
        position = self.packed.floats("emb.pos").reshape(-1, shape.hidden)
        self.weight("position.table", position + self.packed.floats("emb.type")[: shape.hidden])
        self.weight("axis0", np.array([0], np.int64))
        self.weight("axis1", np.array([1], np.int64))
        size = self.node("Shape", ["input_ids"], "size")
        length = self.node("Slice", [size, "axis1", self.weight("two", np.array([2], np.int64))], "length")
        position = self.node("Slice", ["position.table", "axis0", length, "axis0"], "position")
        row = self.node("Unsqueeze", [position, "axis0"], "position.row")
        spread = self.node("Expand", [row, self.node("Shape", [word], "word.size")], "position.spread")
        return self.normalise(word, spread, "emb.ln", "embedded")

    def layer(self, number: int, source: str, mask: str) -> str:
        """Add one encoder layer."""
        packed, shape, name = self.packed, self.packed.shape, f"l{number}"
        parts = [packed.matrix(f"{name}.{part}.w", shape.hidden) for part in "qkv"]
        biases = [packed.floats(f"{name}.{part}.b") for part in "qkv"]
        joined = self.matmul(source, np.concatenate(parts), np.concatenate(biases), f"{name}.qkv")
        self.nodes.append(
            helper.make_node(
                "Split", [joined], [f"{name}.{part}" for part in "qkv"], axis=2, name=f"{name}.split"
            )
        )
        context = self.node(
            "MultiHeadAttention",
            [f"{name}.q", f"{name}.k", f"{name}.v", "", mask],
            f"{name}.context",
            domain=MICROSOFT,
            num_heads=shape.heads,
        )
        attended = self.matmul(
            context, packed.matrix(f"{name}.ao.w", shape.hidden), packed.floats(f"{name}.ao.b"), f"{name}.ao"
        )
        middle = self.normalise(attended, source, f"{name}.aln", f"{name}.middle")
        wide = self.matmul(
            middle, packed.matrix(f"{name}.fi.w", shape.hidden), packed.floats(f"{name}.fi.b"), f"{name}.fi"
        )
        active = self.node("Gelu", [wide], f"{name}.gelu", domain=MICROSOFT)
        narrow = self.matmul(
            active, packed.matrix(f"{name}.fo.w", shape.inner), packed.floats(f"{name}.fo.b"), f"{name}.fo"
        )
        return self.normalise(narrow, middle, f"{name}.oln", f"{name}.out")

    def pooled(self, source: str) -> str:
        """Add the mean over the mask and the L2 norm."""
        weights = self.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
        column = self.node(
            "Unsqueeze", [weights, self.weight("last", np.array([2], np.int64))], "mask.column"
        )
        kept = self.node("Mul", [source, column], "kept")
        total = self.node("ReduceSum", [kept, "axis1"], "total", keepdims=0)
        count = self.node("ReduceSum", [weights, "axis1"], "count", keepdims=1)
        mean = self.node("Div", [total, count], "mean")
        return self.node("LpNormalization", [mean], "embedding", axis=1, p=2)

    def build(self) -> onnx.ModelProto:
        """Return the whole graph, checked."""
        state = self.embeddings()
        mask = self.node("Cast", ["attention_mask"], "mask.int", to=TensorProto.INT32)
        for number in range(self.packed.shape.layers):
            state = self.layer(number, state, mask)
        self.pooled(state)
        wide = ["batch", "sequence"]
        inputs = [
            helper.make_tensor_value_info(n, TensorProto.INT64, wide) for n in ("input_ids", "attention_mask")
        ]
        size = ["batch", self.packed.shape.hidden]
        outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, size)]
        graph = helper.make_graph(self.nodes, "multilingual-e5-small", inputs, outputs, self.weights)
        imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION, producer_name="assay")


def make_tokenizer(packed: Packed) -> Tokenizer:
    """Return the XLM-R unigram tokenizer; its normalisation is NMT rules and NFKC, runs of spaces joined."""
    tokenizer = Tokenizer(Unigram(packed.pieces, unk_id=packed.unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace("～", KEPT),  # the one character that the original leaves as it is
            normalizers.Nmt(),
            normalizers.NFKC(),
            normalizers.Replace(KEPT, "～"),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return tokenizer


def convert(source: Path, target: Path) -> None:
    """Write the three files into ``target``."""
    packed = read_packed(source)
    target.mkdir(parents=True, exist_ok=True)
    model = GraphWriter(packed).build()
    (target / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    make_tokenizer(packed).save(str(target / "tokenizer.json"), pretty=False)
    config = {
        "dim": packed.shape.hidden,
        "max_tokens": packed.shape.positions,
        "pooling": "in graph: mean, L2",
    }
    (target / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
