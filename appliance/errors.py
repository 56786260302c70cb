"""The one error tree. Adapters translate vendor errors into it; only ``api/`` turns it into HTTP.

    AssayError
    ├── UserError            the caller can mend it: a path, a flag, a question          exit 2
    │   ├── NotFoundError    no such document, passage, run or collection               exit 2
    │   │   └── GoneError    deleted or erased since                                    exit 2
    │   ├── ForbiddenError   the asker has no right to do this                          exit 2
    │   ├── OverBudgetError  the asker's day is spent; says when the next one begins    exit 2
    │   └── RefusedFileError one file cannot be taken in; the others go on              exit 3
    ├── ConfigError          a key, a value or a folder of the installation is wrong    exit 2
    ├── BackendError         a store, an index or a model process failed                exit 1
    │   ├── BusyError        a bounded queue is full or the data folder is in use       exit 1
    │   ├── DamagedError     an index, a blob or a model file fails its checksum        exit 1
    │   ├── StorageFullError the disk is full; nothing acknowledged was lost            exit 1
    │   └── ExternalError    a search service outside failed, or answered nonsense      exit 1
    ├── ModelOutputError     a model's reply does not parse into its schema             exit 1
    └── CancelledError       the asker stopped it                                       exit 1
        └── PausedError      the asker holds it for a while                             exit 1

Running out of budget while a question is worked on is a result, not an error.
"""

from __future__ import annotations


class AssayError(Exception):
    """A failure with one line for the person who reads it, and a hint that says what to do."""

    retryable = False
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        """``message`` says what is wrong and where; ``hint`` says what to do about it."""
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """One line: the message, then the hint where there is one."""
        return f"{self.message} — {self.hint}" if self.hint else self.message


class UserError(AssayError):
    """The caller's input is wrong and the caller can mend it."""

    exit_code = 2


class NotFoundError(UserError):
    """The thing named does not exist, or the asker may not know that it does."""


class GoneError(NotFoundError):
    """It was here, the asker could read it, and it was deleted or erased since."""


class ForbiddenError(UserError):
    """The asker has no right to do this; the hint says who has."""


class OverBudgetError(UserError):
    """What a person may spend in a day is spent: no new question is taken until the next day begins."""

    def __init__(self, message: str, *, hint: str = "", retry_after_s: int) -> None:
        """``retry_after_s``: seconds until the day's budget begins anew."""
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class RefusedFileError(UserError):
    """One file cannot be taken in; the reason is for the person who owns the file."""

    exit_code = 3


class ConfigError(AssayError):
    """A configuration key, value or folder is wrong."""

    exit_code = 2


class BackendError(AssayError):
    """A store, an index or a model process failed."""

    retryable = True


class BusyError(BackendError):
    """A bounded queue is full, or another process holds the data folder."""


class DamagedError(BackendError):
    """A checksum does not match: the index, blob or model file must not be served."""

    retryable = False


class StorageFullError(BackendError):
    """The disk is full. What was acknowledged is on disk; the rest was not taken."""


class ExternalError(BackendError):
    """A search service outside the appliance failed or answered nonsense. Its own words are not in here."""

    def __init__(self, message: str, *, hint: str = "", retryable: bool = False) -> None:
        """``retryable``: the same question may well be answered later."""
        super().__init__(message, hint=hint)
        self.retryable = retryable


class ModelOutputError(AssayError):
    """A model's reply does not parse into the schema it was asked for."""

    retryable = True


class CancelledError(AssayError):
    """The person or program that asked has stopped the work."""


class PausedError(CancelledError):
    """The person or program that asked holds the work at a step boundary; it goes on from there."""
