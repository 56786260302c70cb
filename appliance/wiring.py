"""The composition root: from one Config to the use-cases. The only file that knows everyone.

Arrives: a Config and the name of the command. Leaves: an :class:`Appliance` that holds the data folder and
opens models and indexes when they are first needed.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from appliance.answers.verifier import Verifier
from appliance.answers.verify import unsupported
from appliance.budgets import DayBudgets
from appliance.caching import (
    AnswerCache,
    CachedQuestionReader,
    CachedSearcher,
    CacheReport,
    ConclusionCache,
    Keys,
    SearchCache,
    code_mark,
    report_of,
)
from appliance.citing import Citer
from appliance.comparing import Comparer
from appliance.config import REPOSITORY, Config
from appliance.config import Retrieval as Retrieving
from appliance.documents import split_sentences
from appliance.domain import (
    Claim,
    DocumentRecord,
    ExternalRetrieval,
    Filters,
    Principal,
    Reading,
    Retrieval,
    RunId,
    Scope,
    Strategy,
    Tool,
    scope_of,
)
from appliance.errors import ConfigError, DamagedError, NotFoundError, StorageFullError, UserError
from appliance.governance.credibility import Evaluator
from appliance.ingest import Folder, FolderSettings, IndexHome, Ingestor, IngestProgress, Repositories
from appliance.ingest.progress import Stage
from appliance.ingest.readers import document_readers
from appliance.knowing import KnowledgeGraph
from appliance.plan_memory import CollectionPlans
from appliance.planning import PlanningParts
from appliance.ports import Embedder, LanguageModel, Reranker
from appliance.prompts import Prompts
from appliance.questions import QuestionReader
from appliance.reasoning.continuing import Continuing
from appliance.research import Researcher
from appliance.retrieval.choosing import Choosing
from appliance.retrieval.parts import SearchParts
from appliance.retrieval.search import Searcher
from appliance.retrieval.strategy import StrategySelector
from appliance.reviewing import Reviewing, Withholding
from appliance.run_parts import ResearchParts
from appliance.serving.entailment import TrainedEntailment, load_entailment_head
from appliance.steering import Steered
from appliance.store.analysis import analyse, fold, title_terms
from appliance.store.blobs import Blobs
from appliance.store.cache import DiskCache
from appliance.store.cache_counts import CacheCounts, Kind
from appliance.store.checkpoints import SqliteCheckpointer
from appliance.store.dossiers import Dossier, dossier_of
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.epochs import Epochs
from appliance.store.events import EventLog
from appliance.store.knowledge import Edges
from appliance.store.lock import DataFolderLock
from appliance.store.passages import Passages
from appliance.store.placements import Placements
from appliance.store.reviews import Reviews
from appliance.store.runs import RunRecord, Runs
from appliance.store.selecting import Selector
from appliance.store.serializer import JsonSerializer
from appliance.store.skeletons import Skeletons, ToolOutcomes
from appliance.store.spending import Spending
from appliance.store.sqlite import Database
from appliance.store.steering import Steering
from appliance.store.tiers import Key, Tiers
from appliance.store.titles import Titles
from appliance.understanding.expand import Expander
from models.manifest import Model, load_manifest

if TYPE_CHECKING:
    from appliance.external import ExternalSearch
    from appliance.reasoning.forking import ForkChange

Warn = Callable[[str], None]
CACHE_BYTES = 4 << 30


def quiet(_: str) -> None:
    """Say nothing."""


class Appliance:
    """One data folder, opened by one process. Use as a context manager; parts open when first used."""

    def __init__(
        self,
        config: Config,
        *,
        command: str = "assay",
        warn: Warn = quiet,
        principal: Principal = Principal(),  # noqa: B008 - a frozen value
    ) -> None:
        """Take the data folder; ``principal`` is who asks where a call names nobody else.

        Raises BusyError (another process has it), ConfigError (cannot be written).
        """
        self.config, self.warn, self.principal = config, warn, principal
        self._closing = ExitStack()
        self._opening = RLock()
        self._embedders: dict[str, Embedder] = {}
        self._checked: set[str] = set()
        folder = config.data_dir()
        try:
            lock = DataFolderLock(folder, command)
            lock.acquire()
            self._closing.callback(lock.release)
            self.database = Database(folder / "assay.db")
            self._closing.callback(self.database.close)
            self.repositories = Repositories.of(self.database, Blobs(folder / "blobs"))
            self.passages = Passages(self.database)
            self.events = EventLog(self.database)
            self.runs = Runs(self.database, self.events)
            self.steering = Steering(self.database, self.events)
            self.budgets = DayBudgets(config.budgets, Spending(self.database))
        except OSError as error:
            self._closing.close()
            raise _full_or_same(error, folder) from error
        except BaseException:
            self._closing.close()
            raise

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything that was opened, in reverse order."""
        self.close()

    def close(self) -> None:
        """Close everything that was opened; harmless twice."""
        self._closing.close()

    # ------------------------------------------------------------ models
    @cached_property
    def manifest(self) -> dict[str, Model]:
        """Manifest entries by name."""
        return {model.name: model for model in load_manifest().models}

    def embedder(self, name: str = "") -> Embedder:
        """Return the encoder of this name, loaded once; the configured one by default."""
        wanted = name or self.config.embedding.model
        with self._opening:
            if wanted not in self._embedders:
                self._embedders[wanted] = self._open_embedder(wanted)
            return self._embedders[wanted]

    def _open_embedder(self, name: str) -> Embedder:
        from appliance.serving.onnx import OnnxEmbedder

        if self.config.embedding.backend != "onnx":
            raise _unknown("embedding.backend", self.config.embedding.backend, "onnx")
        entry = self._entry(name)
        return OnnxEmbedder(
            self._whole(entry), name=name, digest=entry.digest, settings=self.config.embedding
        )

    @cached_property
    def rerankers(self) -> tuple[Reranker, ...]:
        """The cross-encoders that the configuration names, one a language."""
        settings = self.config.reranking
        return tuple(self._open_reranker(name) for name in (settings.model, settings.model_zh) if name)

    def _open_reranker(self, name: str) -> Reranker:
        from appliance.serving.onnx import OnnxReranker

        settings = self.config.reranking
        if settings.backend != "onnx":
            raise _unknown("reranking.backend", settings.backend, "onnx")
        entry = self._entry(name)
        return OnnxReranker(self._whole(entry), name=entry.name, digest=entry.digest, settings=settings)

    @cached_property
    def model(self) -> LanguageModel:
        """The language model."""
        from appliance.serving.llama_cpp import LlamaCpp

        settings = self.config.llm
        if settings.backend != "llama_cpp":
            raise _unknown("llm.backend", settings.backend, "llama_cpp")
        entry = self._entry(settings.model)
        path = self._whole(entry) / "model.gguf"
        opened = LlamaCpp(
            path,
            name=settings.model,
            digest=entry.digest,
            settings=settings,
        )
        self._closing.callback(opened.close)
        return opened

    def _whole(self, entry: Model) -> Path:
        """Return the folder of a model whose files have the manifest's sizes.

        Raises ConfigError (missing), DamagedError (cut short): reading 1 GB for its sha256 is doctor's work.
        """
        folder = self.config.models_dir() / entry.name
        hint = "run ./install.sh again: it verifies and replaces model files"
        for file in entry.files:
            path = folder / file.path
            if not path.is_file():
                raise ConfigError(f"model {entry.name}: {path} is missing", hint=hint)
            if path.stat().st_size != file.bytes:
                sizes = f"{path.stat().st_size:,} of {file.bytes:,} bytes"
                raise DamagedError(f"model {entry.name}: {path} is damaged ({sizes})", hint=hint)
        return folder

    def _entry(self, name: str) -> Model:
        if name not in self.manifest:
            raise ConfigError(f"unknown model {name!r}", hint=f"one of {', '.join(sorted(self.manifest))}")
        return self.manifest[name]

    # ------------------------------------------------------------ indexes and ingest
    @cached_property
    def indexes(self) -> IndexHome:
        """Both indexes of every collection."""
        folder = self.config.data_dir() / "indexes"
        opened = IndexHome(folder, lambda name: self.embedder(self._embedder_of(name)), self.config.dense)
        self._closing.callback(opened.close)
        return opened

    def _embedder_of(self, collection: str) -> str:
        return self.repositories.collections.get(collection).embedder

    @cached_property
    def cache(self) -> DiskCache:
        """The second cache tier."""
        opened = DiskCache(self.config.data_dir() / "cache", CACHE_BYTES, self.warn)
        self._closing.callback(opened.close)
        return opened

    @cached_property
    def ingestor(self) -> Ingestor:
        """The ingest use-case."""
        embedder = self.embedder()
        return Ingestor(
            self.repositories,
            document_readers(embedder, self.config.ingest),
            self.indexes,
            embedder,
            EmbeddingCache(self.cache, embedder.digest, embedder.dim),
            self.config.ingest,
            results=self.tiers,
        )

    def folder(self, settings: FolderSettings) -> Folder:
        """A folder to keep a collection in step with, on behalf of the local operator."""
        scope = self.scope(collection=settings.collection)
        return Folder(self.repositories, self.ingestor, scope, settings)

    def ready(self, collection: str) -> None:
        """Check a collection's indexes against SQLite, once a process; a difference is mended and told.

        Raises NotFoundError for an unknown collection.
        """
        if collection in self._checked:
            return
        self.repositories.collections.get(collection)
        self.ingestor.verify_indexes(collection, tell=self._tell)
        self._checked.add(collection)

    def _tell(self, progress: IngestProgress) -> None:
        if progress.stage is Stage.WARNING:
            self.warn(progress.message)

    # ------------------------------------------------------------ kept results
    @cached_property
    def tiers(self) -> Tiers:
        """Kept results, opened also where none are used any more: erasing a document reaches the old ones."""
        settings, counts = self.config.cache, CacheCounts(self.database)
        disk: DiskCache | None = None
        if settings.disk_bytes:
            disk = DiskCache(self.config.data_dir() / "results", settings.disk_bytes, self.warn)
            self._closing.callback(disk.close)
        self._closing.callback(counts.write)
        return Tiers(disk, counts, memory_entries=settings.memory_entries, ttl_s=settings.ttl_s)

    @cached_property
    def keys(self) -> Keys:
        """Keys of kept results: bound to this configuration, these models and this program."""

        def made_by(collection: str) -> str:
            models = sorted(self._model_digests(collection).items())
            return f"{self._program} {self.config.digest()} {models}"

        return Keys(Epochs(self.database), made_by)

    @cached_property
    def _program(self) -> str:
        """A mark of program, prompts, trained heads and domain packs."""
        own = self.config.domains.folder
        folders = [
            REPOSITORY / "appliance",
            REPOSITORY / "models" / "heads",
            REPOSITORY / "configs" / "domains",
        ]
        mark = code_mark([*folders, *([Path(own)] if own else [])])
        return f"{mark} {self.config.domains}"

    @cached_property
    def kept_answers(self) -> AnswerCache:
        """Answers of questions that are asked again."""
        wanted = self.config.cache.enabled and self.config.cache.answers
        return AnswerCache(self.tiers if wanted else None, self.keys, self.passages)

    @cached_property
    def kept_conclusions(self) -> ConclusionCache:
        """What sub-questions came to."""
        wanted = self.config.cache.enabled and self.config.cache.conclusions
        return ConclusionCache(self.tiers if wanted else None, self.keys, self.passages, verify=_holds)

    @cached_property
    def knowledge(self) -> KnowledgeGraph:
        """What earlier runs found out."""
        return KnowledgeGraph(
            Edges(self.database),
            Epochs(self.database),
            self.passages,
            lambda question, as_of: self.questions.read(question, as_of=as_of),
            verify=_holds,
            enabled=self.config.cache.enabled and self.config.cache.knowledge,
        )

    def cache_report(self) -> CacheReport:
        """How full the caches are, and how often they had what was asked for."""
        return report_of(self.tiers, enabled=self.config.cache.enabled)

    # ------------------------------------------------------------ search and ask
    def searcher(
        self,
        collection: str,
        *,
        settings: Retrieving | None = None,
        wrap: Callable[[Reranker], Reranker] = lambda one: one,
    ) -> Searcher:
        """Return search over a collection whose indexes are checked.

        ``settings``: others than the configured; ``wrap``: put around each cross-encoder. For measurements.
        """
        return Searcher(self._search_parts(collection, settings or self.config.retrieval, wrap))

    def cached_searcher(self, collection: str) -> Searcher:
        """The same with the configured settings, kept results first where the configuration keeps them."""
        parts = self._search_parts(collection, self.config.retrieval, lambda one: one)
        caching = self.config.cache
        if not (caching.enabled and caching.searches):
            return Searcher(parts)
        return CachedSearcher(parts, SearchCache(self.tiers, self.keys, self.passages))

    def _search_parts(
        self, collection: str, settings: Retrieving, wrap: Callable[[Reranker], Reranker]
    ) -> SearchParts:
        self.ready(collection)
        lexical = self.indexes.lexical(collection)
        choosing = Choosing(self._strategies, lexical) if settings.selector else None
        return SearchParts(
            dense=self.indexes.dense(collection),
            lexical=lexical,
            reader=self.passages,
            passage_filter=Selector(self.database),
            titles=Titles(self.database),
            embedder=self.embedder(self._embedder_of(collection)),
            rerankers=[wrap(one) for one in self.rerankers],
            settings=settings,
            read=self.questions.read,
            terms=title_terms,
            fold=fold,
            expand=self._expand if settings.expand_with_model else None,
            choose=choosing,
            packs=self.questions.packs,
            degraded=choosing.degraded if choosing else (),
        )

    @cached_property
    def _strategies(self) -> StrategySelector:
        """The trained selector of the routes' weights."""
        return StrategySelector.load(REPOSITORY / "models" / "heads" / "strategy", self.config.retrieval)

    @cached_property
    def expander(self) -> Expander:
        """Synonyms by the language model, cached."""
        return Expander(
            self.model,
            instructions=lambda language: self.prompts.text("expand", language),
            get=lambda name: self.tiers.get(_rewrite_key(name)),
            put=lambda name, value: self.tiers.put(_rewrite_key(name), value),
        )

    def _expand(self, reading: Reading) -> tuple[str, ...]:
        """Opens the model when it is first asked: one that is missing degrades a search, never fails it."""
        with self._opening:
            expander = self.expander
        return expander.expand(reading)

    @cached_property
    def questions(self) -> QuestionReader:
        """The reader of questions."""
        if self.config.cache.enabled and self.config.cache.readings:
            return CachedQuestionReader(self.config.domains, self.tiers, self._program)
        return QuestionReader(self.config.domains)

    def search(
        self,
        query: str,
        *,
        collection: str,
        principal: Principal | None = None,
        k: int = 10,
        strategy: Strategy = Strategy.AUTO,
        filters: Filters = (),
        as_of: str = "",
        domain: str = "",
    ) -> Retrieval:
        """Return the ``k`` best passages that the principal may read and that meet the filters.

        ``as_of``: the day (ISO) that relative dates are counted from; ``domain``: the pack to read with.
        Raises UserError (empty or over-long query, k out of range, no such day), NotFoundError (unknown
        collection).
        """
        # A byte of the command line that is no UTF-8 arrives as half a surrogate pair: no model takes it.
        text = " ".join(query.encode("utf-8", "replace").decode().split())
        most = self.config.reasoning.max_question_chars
        if not text:
            raise UserError("the query is empty", hint='write it after the command: assay search "…"')
        if len(text) > most:
            raise UserError(f"the query has {len(text):,} characters, more than {most:,}", hint="shorten it")
        if not 1 <= k <= 200:
            raise UserError(f"k is {k}", hint="choose 1 to 200")
        reading = self.questions.read(text, as_of=as_of, domain=domain)
        return self.cached_searcher(collection).search(
            text, self.scope(principal, collection), k=k, strategy=strategy, filters=filters, reading=reading
        )

    @cached_property
    def external(self) -> ExternalSearch | None:
        """Search outside, or None (and nothing of it imported) where no source is configured.

        Raises ConfigError: a source that may not be asked.
        """
        settings = self.config.connectors
        if not settings.sources:
            return None
        from appliance.connectors import open_sources
        from appliance.external import ExternalSearch

        return ExternalSearch(open_sources(settings), settings)

    def search_external(self, query: str, k: int = 10) -> ExternalRetrieval:
        """What the external sources answer; ``degraded`` says so where there is none. Raises UserError."""
        if self.external is None:
            return ExternalRetrieval(degraded=("external: no source is configured (connectors.sources)",))
        return self.external.search(query, min(k, self.external.max_k))

    def scope(self, principal: Principal | None = None, collection: str | None = None) -> Scope:
        """Return what a principal may see; the one that the appliance was opened for by default."""
        return scope_of(principal or self.principal, collection=collection)

    @cached_property
    def comparer(self) -> Comparer:
        """Versions compared."""
        return Comparer(self.repositories.documents, self.passages)

    @cached_property
    def citer(self) -> Citer:
        """Citations resolved."""
        return Citer(
            self.passages,
            Placements(self.database),
            self.repositories,
            claim_of=self._claim_of,
            split=split_sentences,
            settings=self.config.citations,
            registers=self.config.registers,
        )

    def _claim_of(self, run: RunId, user: str | None, index: int) -> Claim:
        answer = self.runs.get(run, user).answer
        claims = answer.claims if answer else ()
        if index >= len(claims):
            raise NotFoundError(f"run {run!r} has no claim {index}", hint=f"it has {len(claims)}, from 0")
        return claims[index]

    def dossier(self, document: DocumentRecord, scope: Scope) -> Dossier:
        """What there is to know of a document. Raises NotFoundError."""
        return dossier_of(self.database, self.repositories.documents, document, scope)

    @cached_property
    def prompts(self) -> Prompts:
        """All instructions to the model."""
        return Prompts()

    @cached_property
    def researcher(self) -> Researcher:
        """The ask use-case."""
        return Researcher(
            parts_of=self._research_parts,
            runs=self.runs,
            events=self.events,
            checkpointer=self.checkpointer,
            settings=self.config.reasoning,
            config_digest=self.config.digest(),
            model_digests=self._model_digests,
            budgets=self.budgets,
            steer=lambda run: Steered(run, self.steering, self.questions.read, Selector(self.database)),
            kept=self.kept_answers,
            database=self.database,
            withholding=Withholding(Reviews(self.database, self.events)),
        )

    @cached_property
    def reviewing(self) -> Reviewing:
        """The queue of withheld answers."""
        reviews = Reviews(self.database, self.events)
        return Reviewing(reviews, self.events, self.config.governance)

    @cached_property
    def checkpointer(self) -> SqliteCheckpointer:
        """The steps of runs."""
        from appliance.reasoning.state import STATE_TYPES

        return SqliteCheckpointer(self.database, JsonSerializer(STATE_TYPES))

    def fork(self, run: RunId, user: str, *, step: int | None = None, change: ForkChange) -> RunRecord:
        """A new run that goes on from a step of another, not begun.

        Raises NotFoundError (unknown, or another user's), UserError (no such step), OverBudgetError.
        """
        from appliance.forking import Forker, Present

        self.budgets.check(user)
        now = Present(
            config_digest=self.config.digest(),
            model_digests=self._model_digests,
            limits=self.researcher.limits,
        )
        forker = Forker(self.database, self.runs, self.events, self.checkpointer, now)
        return forker.fork(run, user, step=step, change=change)

    def _research_parts(self, collection: str) -> ResearchParts:
        return ResearchParts(
            searcher=self.cached_searcher(collection),
            reader=self.passages,
            embedder=self.embedder(self._embedder_of(collection)),
            model=self.model,
            prompts=self.prompts,
            settings=self.config.reasoning,
            analyse=analyse,
            split=split_sentences,
            read=self.questions.read,
            neighbours=self.passages.neighbours,
            preceding=self.passages.preceding,
            conclusions=self.kept_conclusions,
            knowledge=self.knowledge,
            verifier=self.verifier(collection),
            planning=self._planning_parts(collection),
            comparer=self.comparer,
            external=self._outside,
            evaluator=self._evaluator(collection),
            continuing=Continuing.load(
                self.config.reasoning.continue_threshold,
                models=[name for role, name in self._model_names(collection).items() if role != "llm"],
            ),
        )

    def _evaluator(self, collection: str) -> Evaluator | None:
        settings = self.config.governance
        if not settings.judge:
            return None
        return Evaluator(settings, self.embedder(self._embedder_of(collection)), split_sentences)

    def verifier(self, collection: str) -> Verifier:
        """What claims are checked with; the trained head where the models that it knows are in use."""
        head, embedder = load_entailment_head(), self.embedder(self._embedder_of(collection))
        used = {embedder.name, *(one.name for one in self.rerankers)}
        known = set(head.card.models) <= used
        entails = TrainedEntailment(embedder, self.rerankers, head) if known else None
        return Verifier(entails, split_sentences)

    def _planning_parts(self, collection: str) -> PlanningParts:
        learning = self.config.reasoning.learning
        embedder = self.embedder(self._embedder_of(collection))
        outside = {Tool.EXTERNAL} if self._outside else set[Tool]()
        return PlanningParts(
            memory=CollectionPlans(collection, Skeletons(self.database), embedder) if learning else None,
            counts=ToolOutcomes(self.database) if learning else None,
            packs=self.questions.packs,
            catalogue=self._catalogue,
            tools=frozenset({Tool.DOCUMENTS, Tool.CALC, Tool.DIFF, *outside}),
        )

    def _catalogue(self, scope: Scope) -> list[str]:
        """The collections in which the asker may read anything, with how much."""
        counts = {
            one.name: self.repositories.documents.count(msgspec.structs.replace(scope, collection=one.name))
            for one in self.repositories.collections.list()
        }
        return [f"{name} ({count})" for name, count in counts.items() if count]

    @cached_property
    def _outside(self) -> Callable[[str], ExternalRetrieval] | None:
        """Search outside for the loop; None where no source is configured."""
        return self.search_external if self.config.connectors.sources else None

    def _model_digests(self, collection: str) -> dict[str, str]:
        return {role: self._entry(name).digest for role, name in self._model_names(collection).items()}

    def _model_names(self, collection: str) -> dict[str, str]:
        names = {
            "llm": self.config.llm.model,
            "embedder": self._embedder_of(collection),
            "reranker": self.config.reranking.model,
            "reranker_zh": self.config.reranking.model_zh,
        }
        return {role: name for role, name in names.items() if name}


def _rewrite_key(name: str) -> Key:
    """The expander's own names say the model, the instructions and the question."""
    return Key(kind=Kind.REWRITE, collection="", digest=name)


def _holds(fact: str, passages: str) -> bool:
    """Whether the passages still have the fact's numbers and names."""
    return not unsupported(fact, passages)


def _full_or_same(error: OSError, folder: Path) -> Exception:
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return error
    return StorageFullError(
        f"the disk of {folder} is full", hint="free some space and run the same command again"
    )


def _unknown(key: str, value: str, known: str) -> ConfigError:
    return ConfigError(f"{key} is {value!r}", hint=f"this profile knows: {known}")
