# pyright: basic
"""The Chinese cross-encoder as it is trained; ``models/convert_e5_reranker.py`` writes the same graph.

Arrives: the packed 4-bit file of multilingual-e5-small. Leaves: logits of (question, passage) token ids, and
the adapter as integers.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.convert_e5 import Packed, read_packed

DEPTHS = (0, 7, 12)
"""After how many layers the tokens of both sides are compared."""
STEPS = 2047
"""The largest integer of an adapter's factors."""


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.array(values, np.float32))


class Changed(nn.Module):
    """A frozen matrix with a low-rank change and a moved bias."""

    def __init__(self, weight: Tensor, bias: Tensor, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", weight.to(torch.bfloat16), persistent=False)
        self.register_buffer("kept", bias, persistent=False)
        self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))
        self.bias = nn.Parameter(torch.zeros(weight.shape[0]))

    def forward(self, x: Tensor) -> Tensor:
        """Return ``x @ (weight + up @ down).T + bias``."""
        kind = x.dtype
        whole = F.linear(x, self.weight.to(kind), (self.kept + self.bias).to(kind))
        return whole + F.linear(F.linear(x, self.down.to(kind)), self.up.to(kind))


class Layer(nn.Module):
    """One encoder layer. The attention is written out: backwards it is thrice as fast as the fused one."""

    def __init__(self, packed: Packed, number: int, rank: int) -> None:
        super().__init__()
        name, hidden, inner = f"l{number}", packed.shape.hidden, packed.shape.inner

        def changed(parts: str | list[str], width: int) -> Changed:
            names = [f"{name}.{part}" for part in parts]
            weight = torch.cat([_tensor(packed.matrix(f"{one}.w", width)) for one in names])
            bias = torch.cat([_tensor(packed.floats(f"{one}.b")) for one in names])
            return Changed(weight, bias, rank)

        self.heads, self.hidden = packed.shape.heads, hidden
        self.qkv, self.ao = changed("qkv", hidden), changed(["ao"], hidden)
        self.fi, self.fo = changed(["fi"], hidden), changed(["fo"], inner)
        self.aln = nn.LayerNorm(hidden, eps=packed.shape.epsilon)
        self.oln = nn.LayerNorm(hidden, eps=packed.shape.epsilon)
        for norm, part in ((self.aln, "aln"), (self.oln, "oln")):
            norm.weight.data = _tensor(packed.floats(f"{name}.{part}.w"))
            norm.bias.data = _tensor(packed.floats(f"{name}.{part}.b"))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return ``(batch, tokens, hidden)``."""
        batch, tokens, hidden = x.shape
        query, key, value = self.qkv(x).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        logits = query * (hidden // self.heads) ** -0.5 @ key.transpose(-1, -2) + mask
        context = (torch.softmax(logits, -1, dtype=query.dtype) @ value).transpose(1, 2)
        x = self.aln(x + self.ao(context.reshape(batch, tokens, hidden)))
        return self.oln(x + self.fo(F.gelu(self.fi(x))))


class CrossEncoder(nn.Module):
    """Joint states, a linear head, and at each depth how close the passage comes to the question's tokens."""

    def __init__(self, path: Path, *, rank: int, frozen: int) -> None:
        """``frozen``: layers from the bottom that stay as they are."""
        super().__init__()
        packed = read_packed(path)
        hidden = packed.shape.hidden
        word = _tensor(packed.matrix("emb.word", hidden)).to(torch.bfloat16)
        places = _tensor(packed.floats("emb.pos")).view(-1, hidden)
        places += _tensor(packed.floats("emb.type"))[:hidden]
        self.register_buffer("word", word, persistent=False)
        self.register_buffer("places", places, persistent=False)
        self.eln = nn.LayerNorm(hidden, eps=packed.shape.epsilon).requires_grad_(False)
        self.eln.weight.data = _tensor(packed.floats("emb.ln.w"))
        self.eln.bias.data = _tensor(packed.floats("emb.ln.b"))
        self.layers = nn.ModuleList([Layer(packed, at, rank) for at in range(packed.shape.layers)])
        self.layers[:frozen].requires_grad_(False)
        self.head = nn.Linear(2 * hidden, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        self.telling = nn.Parameter(torch.zeros(len(DEPTHS), hidden))
        self.centre = nn.Parameter(torch.zeros(len(DEPTHS), hidden))
        self.mix = nn.Parameter(torch.full((len(DEPTHS),), 6.0))

    def states(self, ids: Tensor, there: Tensor) -> list[Tensor]:
        """Return the embeddings and every layer's output."""
        found = [self.eln(self.word[ids].float() + self.places[: ids.shape[1]])]
        mask = ((there == 0).float() * -1e4)[:, None, None, :]
        if torch.is_autocast_enabled("cpu"):
            mask = mask.to(torch.bfloat16)
        for layer in self.layers:
            found.append(layer(found[-1], mask))
        return [state.float() for state in found]

    @torch.no_grad()
    def centre_on(self, ids: Tensor, there: Tensor) -> None:
        """Start the centres at the mean state of some pairs: the comparison is of use before any training."""
        states = self.states(ids, there)
        for at, depth in enumerate(DEPTHS):
            self.centre[at] = states[depth][there > 0].mean(0)

    def forward(self, ids: Tensor, there: Tensor) -> Tensor:
        """Return ``(batch,) float32`` log-odds; ids are ``<s> question </s> </s> passage </s>``."""
        states = self.states(ids, there)
        ends = ids == 2
        passed = ends.long().cumsum(1)
        asked, said = (passed == 0) & (ids != 0), (passed == 2) & ~ends
        with torch.autocast("cpu", enabled=False):
            count = there[:, :, None]
            mean = (states[-1] * count).sum(1) / count.sum(1)
            logit = self.head(torch.cat([states[-1][:, 0], mean], 1))[:, 0]
            for at, depth in enumerate(DEPTHS):
                unit = F.normalize(states[depth] - self.centre[at], dim=-1)
                closest = (unit @ unit.transpose(1, 2)).masked_fill(~said[:, None, :], -1.0).amax(2)
                share = (states[depth] @ self.telling[at]).masked_fill(~asked, -1e4).softmax(1)
                logit = logit + self.mix[at] * (share * closest).sum(1)
        return logit

    def adapter(self, *, scale: float = 1.0, shift: float = 0.0) -> dict[str, np.ndarray]:
        """Return what ``models/convert_e5_reranker.py`` reads; the logit is scaled and shifted."""
        arrays = {
            "depths": np.array(DEPTHS),
            "mix": _array(self.mix * scale),
            "centre": _array(self.centre),
            "telling": _array(self.telling),
            "head.weight": _array(self.head.weight[0] * scale),
            "head.bias": _array(self.head.bias * scale + shift),
        }
        for number, layer in enumerate(self.layers):
            if not layer.aln.weight.requires_grad:
                continue
            for part in ("qkv", "ao", "fi", "fo"):
                arrays |= {f"l{number}.{part}.{k}": v for k, v in _integers(getattr(layer, part)).items()}
            for norm in ("aln", "oln"):
                arrays[f"l{number}.{norm}.w"] = _array(getattr(layer, norm).weight)
                arrays[f"l{number}.{norm}.b"] = _array(getattr(layer, norm).bias)
        return arrays


def _array(value: Tensor) -> np.ndarray:
    return value.detach().numpy().astype(np.float32)


def _integers(changed: Changed) -> dict[str, np.ndarray]:
    """The factors as integers of one scale, each rank's two sides made equally wide first."""
    up, down = changed.up.detach().double().numpy(), changed.down.detach().double().numpy()
    wide = np.maximum(np.abs(up).max(0), 1e-12), np.maximum(np.abs(down).max(1), 1e-12)
    even = np.sqrt(wide[1] / wide[0])
    up, down = up * even, down / even[:, None]
    step = max(np.abs(up).max(), np.abs(down).max()) / STEPS
    return {
        "up": np.rint(up / step).astype(np.int16),
        "down": np.rint(down / step).astype(np.int16),
        "scale": np.float32(step * step),
        "bias": _array(changed.bias),
    }
