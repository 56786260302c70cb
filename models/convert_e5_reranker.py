# pyright: basic
"""The Chinese cross-encoder: multilingual-e5-small with a trained adapter, always the same bytes.

Arrives: ``e5-small-q4.bin`` and ``models/heads/reranker_zh/adapter.npz``. Leaves: ``model.onnx`` (input_ids,
attention_mask → (n, 1) float32, the log-odds that the passage answers the question) and ``tokenizer.json``,
which reads the two as one sequence. No torch.

The encoder reads question and passage together. Its upper layers carry low-rank changes (Hu et al. 2021,
"LoRA"), biases and norms in full. The head looks, at three depths, for each token of the question at the
closest token of the passage (Khattab and Zaharia 2020, "ColBERT"), weighs the question's tokens by a learned
importance, and adds a linear reading of the first token and of the mean.

The two factors of a change are integers: their product in float64 is then exact whatever the order in which a
processor adds, so that the int8 matrices, and with them the file, are the same on every machine.

    python -m models.convert_e5_reranker e5-small-q4.bin weights/e5-reranker-zh
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from onnx import TensorProto

from models.convert_e5 import MASKED, GraphWriter, Packed, Shape, make_tokenizer, read_packed

ADAPTER = Path(__file__).parent / "heads" / "reranker_zh" / "adapter.npz"
JOINED = ("q", "k", "v")
"""The matrices whose changes are stored as one, in this order."""
NORMS = ("aln.w", "aln.b", "oln.w", "oln.b")
BEGIN, END = 0, 2
"""Token ids: a pair reads ``<s> question </s> </s> passage </s>``."""


@dataclass(frozen=True)
class Adapted(Packed):
    """A packed encoder with what training changed."""

    adapter: Mapping[str, np.ndarray] = field(default_factory=dict)

    def matrix(self, name: str, width: int) -> np.ndarray:
        """Return the matrix, its change added."""
        return super().matrix(name, width) + self._change(name.removesuffix(".w"))

    def floats(self, name: str) -> np.ndarray:
        """Return the vector that training left: norms are replaced, biases moved."""
        kept = super().floats(name)
        layer, _, part = name.partition(".")
        if part in NORMS:
            return self.adapter.get(name, kept)
        stored, at = _stored(layer, part.removesuffix(".b"))
        if not part.endswith(".b") or f"{stored}.bias" not in self.adapter:
            return kept
        bias = self.adapter[f"{stored}.bias"]
        return kept + (bias if at is None else np.split(bias, len(JOINED))[at])

    def _change(self, name: str) -> np.ndarray | np.float32:
        """Return ``(rows, width) float32``: scale × up @ down, the product exact; 0 where nothing changed."""
        layer, _, part = name.partition(".")
        stored, at = _stored(layer, part)
        if f"{stored}.up" not in self.adapter:
            return np.float32(0)
        up = self.adapter[f"{stored}.up"].astype(np.float64)
        up = up if at is None else np.split(up, len(JOINED))[at]
        exact = up @ self.adapter[f"{stored}.down"].astype(np.float64)
        return exact.astype(np.float32) * self.adapter[f"{stored}.scale"]


def _stored(layer: str, part: str) -> tuple[str, int | None]:
    """The name under which a matrix's change is stored, and its place in there."""
    return (f"{layer}.qkv", JOINED.index(part)) if part in JOINED else (f"{layer}.{part}", None)


class RerankerWriter(GraphWriter):
    """The encoder with the head that compares the two texts."""

    title = "e5-reranker-zh"

    def __init__(self, packed: Adapted) -> None:
        """Hold the weights and what changes them."""
        super().__init__(packed)
        self.adapter = packed.adapter

    def finish(self, source: str) -> tuple[str, int]:
        """Add the head; return the logit's name and width."""
        adapter = self.adapter
        first = self.node("Gather", [source, "axis0"], "first.kept", axis=1)
        first = self.node("Squeeze", [first, "axis1"], "first")
        both = self.node("Concat", [first, self.mean(source)], "both", axis=1)
        head = self.weight("head.weight", adapter["head.weight"][:, None])
        logit = self.node("Add", [self.node("MatMul", [both, head], "head"), self._bias()], "read")
        self._sides()
        for at, depth in enumerate(adapter["depths"].tolist()):
            state = "embedded" if depth == 0 else f"l{depth - 1}.out"
            name = "logit" if at == len(adapter["depths"]) - 1 else f"read.{at}"
            logit = self.node("Add", [logit, self._closest(at, state)], name)
        return logit, 1

    def _bias(self) -> str:
        return self.weight("head.bias", self.adapter["head.bias"])

    def _sides(self) -> None:
        """Add what keeps each side to itself: 0 on its tokens, a large negative number elsewhere."""
        end = self.weight("end", np.array(END, np.int64))
        ends = self.node("Equal", ["input_ids", end], "ends")
        count = self.node("Cast", [ends], "ends.int", to=TensorProto.INT64)
        count = self.node("CumSum", [count, self.weight("one", np.array(1, np.int64))], "ends.before")
        begin = self.node("Equal", ["input_ids", self.weight("begin", np.array(BEGIN, np.int64))], "begins")
        sides = (("asked", 0, begin), ("said", 2, ends))
        for name, number, besides in sides:
            place = self.weight(f"{name}.number", np.array(number, np.int64))
            here = self.node("Equal", [count, place], f"{name}.here")
            other = self.node("Not", [besides], f"{name}.other")
            inside = self.node("And", [here, other], f"{name}.inside")
            inside = self.node("Cast", [inside], f"{name}.float", to=TensorProto.FLOAT)
            self.node(
                "Mul",
                [
                    self.node("Sub", [inside, "mask.one"], f"{name}.less"),
                    self.weight(f"{name}.large", np.array(MASKED, np.float32)),
                ],
                f"{name}.mask",
            )
        self.node("Unsqueeze", ["said.mask", "axis1"], "said.columns")

    def _closest(self, at: int, state: str) -> str:
        """Add, at one depth, the weighted mean over question tokens of their closest passage token."""
        adapter, name = self.adapter, f"depth{at}"
        centre = self.weight(f"{name}.centre", adapter["centre"][at])
        unit = self.node("Sub", [state, centre], f"{name}.apart")
        unit = self.node("LpNormalization", [unit], f"{name}.unit", axis=-1, p=2)
        likeness = self.node("FusedMatMul", [unit, unit], f"{name}.all", domain="com.microsoft", transB=1)
        likeness = self.node("Add", [likeness, "said.columns"], f"{name}.likeness")
        closest = self.node("ReduceMax", [likeness], f"{name}.best", axes=[2], keepdims=0)
        lowest = self.weight(f"{name}.lowest", np.array(-1, np.float32))
        closest = self.node("Max", [closest, lowest], f"{name}.closest")
        telling = self.weight(f"{name}.telling", adapter["telling"][at][:, None])
        telling = self.node("MatMul", [state, telling], f"{name}.column")
        telling = self.node("Squeeze", [telling, "last"], f"{name}.row")
        telling = self.node("Add", [telling, "asked.mask"], f"{name}.asked")
        share = self.node("Softmax", [telling], f"{name}.share", axis=-1)
        kept = self.node("Mul", [share, closest], f"{name}.kept")
        total = self.node("ReduceSum", [kept, "axis1"], f"{name}.total", keepdims=1)
        return self.node("Mul", [total, self.weight(f"{name}.mix", adapter["mix"][at])], f"{name}.score")


def read_adapter(path: Path, shape: Shape) -> dict[str, np.ndarray]:
    """Return the adapter; ValueError when a part is missing or does not fit the encoder."""
    with np.load(path, allow_pickle=False) as stored:
        adapter = {name: stored[name] for name in stored.files}
    for name, size in _sizes(adapter, shape).items():
        if name not in adapter or adapter[name].shape != size:
            raise ValueError(f"{path}: {name} is missing or does not fit the encoder")
    return adapter


def _sizes(adapter: Mapping[str, np.ndarray], shape: Shape) -> dict[str, tuple[int, ...]]:
    """What an adapter of this encoder must hold."""
    hidden, inner = shape.hidden, shape.inner
    matrices = {
        "qkv": (3 * hidden, hidden),
        "ao": (hidden, hidden),
        "fi": (inner, hidden),
        "fo": (hidden, inner),
    }
    depths = len(adapter.get("depths", ()))
    sizes: dict[str, tuple[int, ...]] = {"head.weight": (2 * hidden,), "head.bias": (1,), "mix": (depths,)}
    sizes |= {"centre": (depths, hidden), "telling": (depths, hidden), "depths": (depths,)}
    for layer in sorted({name.partition(".")[0] for name in adapter if name.endswith(".up")}):
        sizes |= {f"{layer}.{norm}": (hidden,) for norm in NORMS}
        for part, (rows, width) in matrices.items():
            name = f"{layer}.{part}"
            rank = len(adapter.get(f"{name}.down", ()))
            sizes |= {f"{name}.up": (rows, rank), f"{name}.down": (rank, width)}
            sizes |= {f"{name}.scale": (), f"{name}.bias": (rows,)}
    return sizes


def convert(source: Path, target: Path, *, adapter: Path = ADAPTER) -> None:
    """Write ``model.onnx`` and ``tokenizer.json`` into ``target``."""
    packed = read_packed(source)
    changes = read_adapter(adapter, packed.shape)
    adapted = Adapted(
        packed.shape, packed.pieces, packed.unknown, packed.tensors, packed.data, adapter=changes
    )
    target.mkdir(parents=True, exist_ok=True)
    model = RerankerWriter(adapted).build()
    (target / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    make_tokenizer(packed).save(str(target / "tokenizer.json"), pretty=False)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
