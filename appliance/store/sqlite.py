"""The one truth: a SQLite file in WAL mode, synchronous=FULL, so that a commit is on disk when it returns.

Arrives: SQL from the repositories of this room. Leaves: rows, or our errors; no ``sqlite3`` exception
goes further than this page.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from appliance.errors import AssayError, BackendError, BusyError, ConfigError, DamagedError, StorageFullError
from appliance.store.folding import fold
from appliance.store.migrations import migrate

Value = str | int | float | bytes | None
_BUSY_TIMEOUT_S = 10.0
_PRIMARY_CODE = 0xFF


class Database:
    """One writer behind a lock, one reader per thread."""

    def __init__(self, path: Path) -> None:
        """Open or create the file and bring its schema up to date.

        Raises ConfigError (folder not writable), DamagedError, StorageFullError.
        """
        self.path = path
        self._lock = threading.RLock()
        self._readers_lock = threading.Lock()
        self._depth = 0
        self._writer_thread: int | None = None
        self._readers: dict[threading.Thread, sqlite3.Connection] = {}
        with sqlite_errors(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._writer = self._connect()
            try:
                self._writer.execute("PRAGMA journal_mode=WAL")
                with self.transaction() as connection:
                    migrate(connection)
            except BaseException:
                self._writer.close()
                raise
            path.chmod(0o600)

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All or nothing, durable when the block ends; a block inside a block joins the outer one."""
        with self._lock, sqlite_errors(self.path):
            outermost = self._depth == 0
            if outermost:
                self._writer.execute("BEGIN IMMEDIATE")
                self._writer_thread = threading.get_ident()
            self._depth += 1
            try:
                yield self._writer
                if outermost:
                    self._writer.execute("COMMIT")
            except BaseException:
                if outermost and self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1
                if outermost:
                    self._writer_thread = None

    def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[sqlite3.Row]:
        """All rows; inside a transaction of this thread its own writes are seen."""
        with sqlite_errors(self.path):
            return self._reader().execute(sql, parameters).fetchall()

    def one(self, sql: str, parameters: Sequence[Value] = ()) -> sqlite3.Row | None:
        """The first row, if there is one."""
        with sqlite_errors(self.path):
            row: sqlite3.Row | None = self._reader().execute(sql, parameters).fetchone()
            return row

    def check(self) -> None:
        """Read every page. Raises DamagedError when one is malformed (slow on a large file)."""
        row = self.one("PRAGMA quick_check(1)")
        if row is None or row[0] != "ok":
            raise _damaged(self.path, str(row[0]) if row else "no answer")

    def compact(self) -> None:
        """Rewrite the file without what it keeps of deleted rows, and empty the WAL. Raises BackendError."""
        with self._lock, sqlite_errors(self.path):
            self._writer.execute("VACUUM")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close every connection; the WAL is folded into the file."""
        with self._lock, self._readers_lock, sqlite_errors(self.path):
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
            self._writer.close()

    def _reader(self) -> sqlite3.Connection:
        if self._writer_thread == threading.get_ident():
            return self._writer
        thread = threading.current_thread()
        reader = self._readers.get(thread)
        if reader is None:
            # Not the writer's lock: a new reader must not wait for a long transaction.
            with self._readers_lock:
                for gone in [other for other in self._readers if not other.is_alive()]:
                    self._readers.pop(gone).close()
                reader = self._readers[thread] = self._connect()
        return reader

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.create_function("folded", 1, _folded, deterministic=True)
        for pragma in ("foreign_keys=ON", "synchronous=FULL", "trusted_schema=OFF", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection


def _folded(value: object) -> str | None:
    """``folded(x)`` in SQL: the spelling that filters compare."""
    return None if value is None else fold(str(value))


@contextmanager
def sqlite_errors(path: Path) -> Generator[None]:
    """The one place where ``sqlite3`` errors become ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error
    except PermissionError as error:
        raise _not_writable(path) from error


def _translated(error: sqlite3.Error, path: Path) -> AssayError:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code == sqlite3.SQLITE_FULL:
        return StorageFullError(
            f"the disk of {path.parent} is full",
            hint="free some space and run the command again; nothing acknowledged was lost",
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return _not_writable(path)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(path, str(error))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(f"{path} is locked by another process", hint="stop it and try again")
    return BackendError(f"SQLite failed on {path}: {error}")


def _not_writable(path: Path) -> ConfigError:
    return ConfigError(
        f"the data folder {path.parent} is not writable",
        hint="give this user the right to write there, or set paths.data to another folder",
    )


def _damaged(path: Path, detail: str) -> DamagedError:
    return DamagedError(f"the database {path} is damaged ({detail})", hint="restore it from a backup")
