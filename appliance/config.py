"""One typed configuration: defaults < preset file < own file < ``ASSAY__SECTION__KEY`` < flag.

Arrives: TOML files and the environment. Leaves: one frozen :class:`Config`; each component is handed
its own section. Unknown keys are refused with their path.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import msgspec

from appliance.config_citations import Citations, Register, RegisterName
from appliance.config_connectors import Connectors
from appliance.errors import ConfigError

Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Weight = Annotated[float, msgspec.Meta(ge=0.0, le=10.0)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
ENV_PREFIX = "ASSAY__"
REPOSITORY = Path(__file__).resolve().parent.parent


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every section: frozen, unknown keys refused."""


class Paths(Section, frozen=True, kw_only=True):
    """Where things lie. Relative paths are relative to the working folder."""

    data: str = "~/.local/share/assay"
    models: str = ""
    """Folder of model weights; empty: ``models/weights`` of the installation."""


class Llm(Section, frozen=True, kw_only=True):
    """The language model of the CPU profile."""

    backend: str = "llama_cpp"
    model: str = "qwen2.5-coder-1.5b-instruct"
    context_tokens: Annotated[int, msgspec.Meta(ge=512, le=131072)] = 4096
    threads: Count = 0
    """0: one per physical core that the process may use."""
    queue: Positive = 8
    """Requests that may wait; one more is refused as busy."""


class Embedding(Section, frozen=True, kw_only=True):
    """Dense encoder."""

    backend: str = "onnx"
    model: str = "multilingual-e5-small"
    batch_tokens: Positive = 512
    """A batch holds about this many tokens; texts are sorted by length first."""
    threads: Count = 0


class Reranking(Section, frozen=True, kw_only=True):
    """Cross-encoders: one for English, one for Chinese."""

    backend: str = "onnx"
    model: str = "ms-marco-minilm-l12"
    model_zh: str = "e5-reranker-zh"
    """Of questions in Chinese; empty: fusion order is final for them."""
    threads: Count = 0


class Dense(Section, frozen=True, kw_only=True):
    """Where vectors lie."""

    uri: str = ""
    """Of a Milvus server or cluster; empty: a Milvus-lite file in the data folder."""
    token: str = ""
    """``user:password`` or an API key. Never logged; it enters ``Config.digest`` only as part of a hash."""
    database: str = ""
    """Of the server; it must exist. Empty: the server's default."""
    index: Literal["flat", "hnsw"] = "flat"
    """Exact, or a graph (approximate, no scan; a server only). Another one needs a rebuild."""


class Retrieval(Section, frozen=True, kw_only=True):
    """The funnel's widths and weights."""

    expand_with_model: bool = False
    """Whether the language model proposes synonyms for a question: one short call, cached."""
    dense_k: Positive = 50
    lexical_k: Positive = 50
    rrf_k: Positive = 60
    """The constant of reciprocal rank fusion, which picks the candidates."""
    rewrites: bool = True
    """Whether a question is searched in other wordings too."""
    facets: bool = True
    """Whether things asked together are also searched and ranked each by itself."""
    question_filter: bool = True
    """Whether the question's own versions, days and exclusions narrow the candidates."""
    coarse: bool = True
    """Whether age, authority, period, kind of section and notices weigh."""
    candidates: Positive = 50
    """How many fused passages are fetched and ordered by score."""
    rerank_k: Count = 30
    """How many of them the cross-encoder reads; 0 switches it off."""
    dense_weight: Weight = 0.5
    lexical_weight: Weight = 0.5
    dense_weight_zh: Weight = 0.35
    """Weights for Chinese questions, which no cross-encoder of the CPU profile corrects."""
    lexical_weight_zh: Weight = 0.65
    selector: bool = False
    """Whether the trained strategy selector moves a question's weights where that surely gains."""
    rerank_weight: Weight = 1.0
    rerank_weight_zh: Weight = 0.5
    """The cross-encoder's share beside ``fused_weight``."""
    fused_weight: Weight = 1.0
    """All of fusion's parts together, where the cross-encoder has read."""
    title_weight: Weight = 0.2
    """How well the title matches, beside the routes' weights."""
    closeness_weight: Weight = 0.3
    """How much of the question two neighbouring sentences hold, where no cross-encoder knows the language."""
    closeness_k: Positive = 30
    """The first passages whose sentences are looked at for it."""
    rerank_closeness_weight: Weight = 0.0
    """The same where one does."""
    rerank_closeness_weight_zh: Weight = 0.3
    """The same for questions in Chinese."""
    phrase_weight_zh: Weight = 0.2
    """For how much of a Chinese question they hold as it is written; 0 switches it off."""
    section_k: Count = 20
    """Passages recalled once more from the sections where a metric stands; 0 switches it off."""
    expanded_weight: Weight = 0.5
    """A rewrite with the domain's terms, beside the question's 1."""
    rewrite_weight: Weight = 0.2
    """A structured or a keyword rewrite."""
    freshness_weight: Share = 0.04
    """How much the oldest candidate loses against the newest."""
    recency_weight: Share = 0.3
    """The same for a question after the latest state."""
    link_passages: Count = 2
    """The first passages whose named documents are looked into; 0 switches it off."""
    link_keep: Positive = 1
    """How many places at the top links may not take."""
    stability_k: Count = 8
    """Passages that the cross-encoder reads again with other wordings."""
    stability_rewrites: Count = 1
    """How many other wordings; 0 switches it off."""


class WatchedFolder(Section, frozen=True, kw_only=True):
    """A folder that ``assay serve`` keeps a collection in step with."""

    folder: str
    collection: str = "default"
    sync: bool = False
    """Whether documents leave when their file does."""


class Ingest(Section, frozen=True, kw_only=True):
    """Limits of what is taken in, and the size of passages."""

    passage_tokens_min: Positive = 256
    passage_tokens_max: Positive = 480
    max_file_bytes: Positive = 104_857_600
    max_pages: Positive = 5_000
    parse_timeout_s: Positive = 300
    parse_memory_bytes: Positive = 2_147_483_648
    ocr_seconds_per_page: Positive = 30
    ocr_max_pages: Positive = 200
    ocr_threads: Positive = 2
    batch_passages: Positive = 128
    max_archive_members: Positive = 10_000
    """Of an archive with all archives inside it."""
    max_archive_bytes: Positive = 2_147_483_648
    max_archive_ratio: Positive = 200
    """How many times its packed size a member above 16 MB may be."""
    max_archive_depth: Positive = 3
    """Archives inside archives; 1: only the outermost is opened."""
    workers: Count = 0
    """Files parsed at once; 0: half the processors, at least 2."""
    settle_s: Annotated[float, msgspec.Meta(ge=0.1, le=3600)] = 2.0
    """A watched file is read once its size has not changed for so long."""

    watch: tuple[WatchedFolder, ...] = ()

    def worker_count(self) -> int:
        """How many files are parsed at once."""
        return self.workers or max(2, len(os.sched_getaffinity(0)) // 2)


class Reasoning(Section, frozen=True, kw_only=True):
    """Bounds of one question."""

    max_steps: Positive = 5
    max_seconds: Positive = 600
    max_llm_tokens: Positive = 20_000
    passages_per_task: Positive = 5
    evidence_tokens: Positive = 240
    """How much of them, in sentences and table rows, the model reads."""
    found_margin: Annotated[float, msgspec.Meta(ge=0.0, le=100.0)] = 3.5
    """Log-odds by which the language model must hold that a line states what is asked, where its passage has
    none of the question's words."""
    paraphrase: bool = False
    """Whether the language model shortens long sentences of them: a call for each, its wording checked."""
    max_question_chars: Positive = 4_000
    planning: bool = True
    """False: every question is one look-up."""
    tries_per_task: Positive = 3
    """Ways to look for one sub-question before it counts as not found."""
    continue_threshold: Share = 0.03
    """Probability of new evidence from which another way is tried; 0: always, while the rules allow it."""
    max_retrievals: Positive = 40
    parallel_tasks: Positive = 2
    """Independent sub-questions worked on at once."""
    learning: bool = True
    """Whether plans that worked, and how tools fared, are remembered per collection."""
    evidence_listed: Positive = 20
    """Passages of the evidence list that goes with every answer."""


class Budgets(Section, frozen=True, kw_only=True):
    """What one person may spend in a day (UTC), all questions together; 0: no bound."""

    user_seconds_per_day: Count = 0
    user_llm_tokens_per_day: Count = 0
    """Prompt and reply together."""
    user_retrievals_per_day: Count = 0


class Cache(Section, frozen=True, kw_only=True):
    """Results kept, in memory in front of the disk. Nothing stale or forbidden is ever answered from them."""

    enabled: bool = True
    memory_entries: Count = 1_000
    """Of all kinds together; 0: the disk alone."""
    disk_bytes: Count = 268_435_456
    """0: memory alone. Vectors are kept elsewhere."""
    ttl_s: Positive = 2_592_000
    """An entry older than that is not used."""
    searches: bool = True
    readings: bool = True
    conclusions: bool = True
    """What sub-questions came to."""
    answers: bool = True
    """Whole answers of questions asked again."""
    knowledge: bool = True
    """Whether verified findings are kept as a graph that shortens later questions."""


class Governance(Section, frozen=True, kw_only=True):
    """What is shown without a person having looked at it, and who looks."""

    judge: bool = True
    """Whether answers are judged before they are shown."""
    threshold: Share = 0.7
    """An answer whose credibility is lower is withheld and waits for a reviewer."""
    reviewers: tuple[str, ...] = ()
    """Groups whose members decide, beside the local operator."""


class Domains(Section, frozen=True, kw_only=True):
    """The domain packs in use."""

    folder: str = ""
    """A folder of own packs (``*.toml``), beside the shipped ones; relative to the working folder."""
    enabled: tuple[str, ...] = ()
    """Names of the packs in use; empty: all of them."""


class Server(Section, frozen=True, kw_only=True):
    """The HTTP door."""

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8321
    max_upload_bytes: Positive = 104_857_600


class Config(Section, frozen=True, kw_only=True):
    """Everything an administrator may set."""

    paths: Paths = Paths()
    llm: Llm = Llm()
    embedding: Embedding = Embedding()
    reranking: Reranking = Reranking()
    dense: Dense = Dense()
    retrieval: Retrieval = Retrieval()
    ingest: Ingest = Ingest()
    reasoning: Reasoning = Reasoning()
    budgets: Budgets = Budgets()
    domains: Domains = Domains()
    governance: Governance = Governance()
    cache: Cache = Cache()
    server: Server = Server()
    connectors: Connectors = Connectors()
    citations: Citations = Citations()
    registers: dict[RegisterName, Register] = {}
    """Over ``config_citations.BUILT_IN``, by name."""

    def digest(self) -> str:
        """sha256 of the canonical JSON: stored with every run."""
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()

    def data_dir(self) -> Path:
        """The data folder, absolute."""
        return Path(self.paths.data).expanduser().resolve()

    def models_dir(self) -> Path:
        """The folder of model weights, absolute."""
        chosen = self.paths.models or str(REPOSITORY / "models" / "weights")
        return Path(chosen).expanduser().resolve()


def load_config(
    *files: Path, environ: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Config:
    """The merged configuration; ``flags`` maps dotted keys ("retrieval.rerank_k") to values.

    Raises ConfigError naming the file or variable, the key's path and what was expected.
    """
    merged: dict[str, Any] = {}
    for file in files:
        layer = _read_toml(file)
        _validated(layer, str(file))
        _merge(merged, layer)
    for name, value in sorted((os.environ if environ is None else environ).items()):
        if name.startswith(ENV_PREFIX):
            layer = _nested(name[len(ENV_PREFIX) :].lower().split("__"), value)
            _validated(layer, name)
            _merge(merged, layer)
    for key, value in (flags or {}).items():
        _merge(merged, _nested(key.split("."), value))
    return _validated(merged, "the merged configuration")


def _validated(layer: dict[str, Any], origin: str) -> Config:
    try:
        return msgspec.convert(layer, Config, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: {error}", hint="configs/default.toml explains every key") from error


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"no configuration file {file}", hint="check --config") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file}: {error}", hint="the file must be TOML in UTF-8") from error


def _nested(keys: list[str], value: object) -> dict[str, Any]:
    for key in reversed(keys):
        value = {key: value}
    return cast("dict[str, Any]", value)


def _merge(base: dict[str, Any], layer: dict[str, Any]) -> None:
    for key, value in layer.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], cast("dict[str, Any]", value))
        else:
            base[key] = value
