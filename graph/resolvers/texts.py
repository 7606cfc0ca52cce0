"""Texts that lie in table rows, and how much of them to show."""

from dataclasses import dataclass
from functools import cached_property

from graph.context import Context
from graph.errors import BadUserInput
from graph.tables.records.inputs import S3Location


@dataclass(frozen=True)
class StoredText:
    """A text as the graph shows it, already redacted where it can hold secrets; the flag is None where none is kept."""

    text: str
    is_truncated: bool | None = None
    full_location: S3Location | None = None

    def content(self, max_bytes: int | None = None) -> str:
        """The text, or its leading part of at most ``max_bytes`` bytes of UTF-8 that ends in a whole character.

        Raises:
            BadUserInput: for a negative number of bytes.
        """
        if max_bytes is None:
            return self.text
        if max_bytes < 0:
            raise BadUserInput("'maxBytes' must not be negative.")
        return self._encoded[:max_bytes].decode(errors="ignore")

    @property
    def byte_length(self) -> int:
        """The length of the whole text in bytes of UTF-8."""
        return len(self._encoded)

    @cached_property
    def _encoded(self) -> bytes:
        return self.text.encode()


def log_text(context: Context, text: str | None, is_truncated: bool | None = None) -> StoredText | None:
    """A log text, redacted before anything is cut from it; None where there is none."""
    return StoredText(context.logs.redacted(text), is_truncated) if text else None
