"""What the global options mean: configuration, data folder, and an interrupt that loses nothing.

Arrives: ``--config`` and ``--data``. Leaves: a Config, an open Appliance, a ``cancelled()``
that the work asks.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import msgspec
import typer

if TYPE_CHECKING:
    from appliance.config import Config
    from appliance.wiring import Appliance

CONFIG_NAME = "config.toml"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The global options of one command line."""

    config_file: Path | None = None
    data: Path | None = None
    command: str = "assay"
    user: str = "local"
    groups: tuple[str, ...] = ()
    """Beside ``everyone``. Who holds the data folder holds all of it: this only narrows or widens a view."""

    def config(self) -> Config:
        """Defaults, then ``--config`` or the data folder's own config.toml, environment, ``--data``.

        Raises ConfigError.
        """
        from appliance.config import load_config

        flags: dict[str, object] = {"paths.data": str(self.data)} if self.data else {}
        if self.config_file:
            return load_config(self.config_file, flags=flags)
        first = load_config(flags=flags)
        own = first.data_dir() / CONFIG_NAME
        if not own.is_file():
            return first
        # The file lies in the data folder, so it cannot name another one.
        return load_config(own, flags={"paths.data": first.paths.data})

    @contextmanager
    def appliance(self, *, strategy_flags: dict[str, object] | None = None) -> Generator[Appliance]:
        """The opened data folder. Raises BusyError, ConfigError."""
        from appliance.domain import EVERYONE, Principal
        from appliance.wiring import Appliance

        config = self.config()
        if strategy_flags:
            config = overridden(config, strategy_flags)
        principal = Principal(user=self.user, groups=(EVERYONE, *self.groups))
        with Appliance(config, command=self.command, warn=warn, principal=principal) as opened:
            yield opened


def overridden(config: Config, flags: dict[str, object]) -> Config:
    """The configuration with dotted keys ("retrieval.rerank_k") set anew. Raises ConfigError."""
    from appliance.config import Config
    from appliance.errors import ConfigError

    tree = msgspec.to_builtins(config)
    for key, value in flags.items():
        section, name = key.split(".")
        tree[section][name] = value
    try:
        return msgspec.convert(tree, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error), hint="check the command's options") from error


def session_of(context: typer.Context) -> Session:
    """The session that the root callback made."""
    session = context.find_object(Session)
    assert session is not None, "the root callback runs before every command"
    return session


def warn(message: str) -> None:
    """Say a warning on stderr, in one line."""
    print(f"warning: {message}", file=sys.stderr, flush=True)


@contextmanager
def interruptible() -> Generator[Callable[[], bool]]:
    """Ask ``cancelled()``: true after the first Ctrl-C (or SIGTERM); a second one interrupts at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop.is_set
        return

    def note(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        print("stopping …", file=sys.stderr, flush=True)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
