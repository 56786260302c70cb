# pyright: basic
"""multilingual-e5-small: from a packed 4-bit file to an ONNX graph and a tokenizer, always the same bytes.

Arrives: ``e5-small-q4.bin`` (blocks of 32 weights: one float16 scale, 16 bytes of nibbles; vocabulary and
normalisation beside them). Leaves: ``model.onnx`` (input_ids, attention_mask → (n, 384) float32, mean-pooled,
L2-normalised), ``tokenizer.json`` and ``config.json``. The word table keeps its 4-bit values exactly. The
matrices become integers of -63…63 per output, multiplied by ONNX Runtime's dynamic int8 kernels: seven bits,
because a pair of products then fits 16 bits, so CPUs without VNNI give the same vectors. No torch.

Two things would spoil the one activation scale that these kernels allow per tensor, and are mended by weights
alone, at next to no cost: the "massive" neuron of a feed-forward (Sun et al. 2024), which runs beside the
integer path in float32, and the channels with an outsized LayerNorm, which are shrunk before the product and
whose weights grow in turn (SmoothQuant, Xiao et al. 2023). Plain Add, LayerNormalization and MatMul beat
the fused SkipLayerNormalization and MultiHeadAttention kernels on CPU by 40%.

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
QUANTISED_MAX = 63
MASSIVE_RATIO = 1.4
"""A feed-forward's widest output column is a massive neuron from this multiple of the second widest on."""
OUTSIZED_CHANNELS = 10
MASKED = 10_000.0


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

    title = "multilingual-e5-small"

    def __init__(self, packed: Packed) -> None:
        """Hold the weights."""
        self.packed = packed
        self.nodes: list = []
        self.weights: list = []

    def weight(self, name: str, value: np.ndarray) -> str:
        """Add an initialiser."""
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def matmul(self, source: str, matrix: np.ndarray, bias: np.ndarray, output: str) -> str:
        """Add ``source @ matrix.T + bias`` with integer weights, one scale per output."""
        scale = np.maximum(np.abs(matrix).max(axis=1), 1e-8).astype(np.float32) / np.float32(QUANTISED_MAX)
        quantised = np.clip(np.rint(matrix / scale[:, None]), -QUANTISED_MAX, QUANTISED_MAX).astype(np.int8)
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
        total = self.node("Add", [source, residual], f"{output}.sum")
        epsilon = self.packed.shape.epsilon
        return self.node("LayerNormalization", [total, gamma, beta], output, axis=-1, epsilon=epsilon)

    def embeddings(self) -> str:
        """Add word (4-bit values, exact), position and type embeddings with their LayerNorm."""
        hidden, vocabulary = self.packed.shape.hidden, self.packed.shape.vocabulary
        values, scales = self.packed.blocks("emb.word")
        nibbles = (values + 8).astype(np.uint8).reshape(vocabulary, hidden)
        word = self.node(
            "GatherBlockQuantized",
            [
                self.weight("word.values", nibbles[:, 0::2] | nibbles[:, 1::2] << 4),
                "input_ids",
                self.weight("word.scales", scales.astype(np.float32).reshape(vocabulary, hidden // BLOCK)),
            ],
            "word",
            domain=MICROSOFT,
            **{"bits": 4, "block_size": BLOCK, "gather_axis": 0, "quantize_axis": 1},
        )
        table = self.packed.floats("emb.pos").reshape(-1, hidden) + self.packed.floats("emb.type")[:hidden]
        self.weight("axis0", np.array([0], np.int64))
        self.weight("axis1", np.array([1], np.int64))
        size = self.node("Shape", ["input_ids"], "size")
        length = self.node("Slice", [size, "axis1", self.weight("two", np.array([2], np.int64))], "length")
        table_name = self.weight("position.table", table)
        position = self.node("Slice", [table_name, "axis0", length, "axis0"], "position")
        return self.normalise(word, position, "emb.ln", "embedded")

    def mask(self) -> str:
        """Add what attention adds to its logits: 0 for a token, a large negative number for padding."""
        mask = self.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
        less = self.node("Sub", [mask, self.weight("mask.one", np.array(1, np.float32))], "mask.less")
        large = self.node(
            "Mul", [less, self.weight("mask.large", np.array(MASKED, np.float32))], "mask.large_"
        )
        return self.node("Unsqueeze", [large, self.weight("axes12", np.array([1, 2], np.int64))], "mask")

    def attention(self, number: int, source: str) -> str:
        """Add self-attention; the factor 1/sqrt(head size) is folded into the query weights."""
        packed, heads, name = self.packed, self.packed.shape.heads, f"l{number}"
        hidden = packed.shape.hidden
        size = hidden // heads
        if number == 0:
            self.weight("heads.apart", np.array([0, 0, 3, heads, size], np.int64))
            self.weight("heads.joined", np.array([0, 0, hidden], np.int64))
        factor = {"q": np.float32(size**-0.5), "k": np.float32(1), "v": np.float32(1)}
        parts = [packed.matrix(f"{name}.{part}.w", hidden) * factor[part] for part in "qkv"]
        biases = [packed.floats(f"{name}.{part}.b") * factor[part] for part in "qkv"]
        joined = self.matmul(source, np.concatenate(parts), np.concatenate(biases), f"{name}.qkv")
        apart = self.node("Reshape", [joined, "heads.apart"], f"{name}.apart")
        turned = self.node("Transpose", [apart], f"{name}.turned", perm=[2, 0, 3, 1, 4])
        query, key, value = (f"{name}.{part}" for part in "qkv")
        self.nodes.append(
            helper.make_node("Split", [turned], [query, key, value], axis=0, name=f"{name}.split")
        )
        logits = self.node("FusedMatMul", [query, key], f"{name}.logits", domain=MICROSOFT, transB=1)
        logits = self.node("Add", [logits, "mask"], f"{name}.masked")
        weights = self.node("Softmax", [logits], f"{name}.weights", axis=-1)
        context = self.node("MatMul", [weights, value], f"{name}.context")
        context = self.node("Transpose", [context], f"{name}.back", perm=[1, 3, 0, 2, 4])
        context = self.node("Reshape", [context, "heads.joined"], f"{name}.joined")
        return self.matmul(
            context, packed.matrix(f"{name}.ao.w", hidden), packed.floats(f"{name}.ao.b"), f"{name}.ao"
        )

    def feed_forward(self, number: int, source: str) -> str:
        """Add the feed-forward, its massive neuron (if it has one) apart in float32."""
        packed, name = self.packed, f"l{number}"
        rise, rise_bias = packed.matrix(f"{name}.fi.w", packed.shape.hidden), packed.floats(f"{name}.fi.b")
        fall, fall_bias = packed.matrix(f"{name}.fo.w", packed.shape.inner), packed.floats(f"{name}.fo.b")
        reach = np.abs(packed.floats(f"{name}.aln.b")) + 3 * np.abs(packed.floats(f"{name}.aln.w"))
        shrink = np.maximum(reach / np.sort(reach)[-OUTSIZED_CHANNELS], 1).astype(np.float32)
        shrunk = self.node("Mul", [source, self.weight(f"{name}.shrink", 1 / shrink)], f"{name}.shrunk")
        rise = rise * shrink
        widths = np.square(fall.astype(np.float64)).sum(axis=0)
        order = np.argsort(-widths, kind="stable")
        massive = int(order[0]) if widths[order[0]] > MASSIVE_RATIO**2 * widths[order[1]] else None
        beside = None
        if massive is not None:
            row = self.weight(f"{name}.massive.in", rise[massive][:, None])
            bias = self.weight(f"{name}.massive.bias", rise_bias[[massive]])
            column = self.weight(f"{name}.massive.out", fall[:, massive][None, :])
            one = self.node("Add", [self.node("MatMul", [shrunk, row], f"{name}.m1"), bias], f"{name}.m2")
            one = self.node("Gelu", [one], f"{name}.m3", domain=MICROSOFT)
            beside = self.node("MatMul", [one, column], f"{name}.beside")
            keep = np.arange(packed.shape.inner) != massive
            rise, rise_bias, fall = rise * keep[:, None], rise_bias * keep, fall * keep
        wide = self.matmul(shrunk, rise, rise_bias, f"{name}.fi")
        active = self.node("Gelu", [wide], f"{name}.gelu", domain=MICROSOFT)
        narrow = self.matmul(active, fall, fall_bias, f"{name}.fo")
        return self.node("Add", [narrow, beside], f"{name}.both") if beside else narrow

    def layer(self, number: int, source: str) -> str:
        """Add one encoder layer."""
        attended = self.attention(number, source)
        middle = self.normalise(attended, source, f"l{number}.aln", f"l{number}.middle")
        return self.normalise(self.feed_forward(number, middle), middle, f"l{number}.oln", f"l{number}.out")

    def mean(self, source: str) -> str:
        """Add the mean over the mask."""
        column = self.node(
            "Unsqueeze", ["mask.float", self.weight("last", np.array([2], np.int64))], "mask.column"
        )
        kept = self.node("Mul", [source, column], "kept")
        total = self.node("ReduceSum", [kept, "axis1"], "total", keepdims=0)
        count = self.node("ReduceSum", ["mask.float", "axis1"], "count", keepdims=1)
        return self.node("Div", [total, count], "mean")

    def finish(self, source: str) -> tuple[str, int]:
        """Add what comes after the last layer; return the output's name and width."""
        embedding = self.node("LpNormalization", [self.mean(source)], "embedding", axis=1, p=2)
        return embedding, self.packed.shape.hidden

    def build(self) -> onnx.ModelProto:
        """Return the whole graph, checked."""
        state = self.embeddings()
        self.mask()
        for number in range(self.packed.shape.layers):
            state = self.layer(number, state)
        output, width = self.finish(state)
        wide = ["batch", "sequence"]
        inputs = [
            helper.make_tensor_value_info(n, TensorProto.INT64, wide) for n in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])]
        graph = helper.make_graph(self.nodes, self.title, inputs, outputs, self.weights)
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
        "pooling": "mean",
        "normalise": True,
        "in_graph": ["pooling", "normalise"],
        "prefixes": {"query": "query: ", "passage": "passage: "},
    }
    (target / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
