"""Texts that lie in table rows, and how much of them to show."""

from dataclasses import dataclass
from functools import cached_property

from graph.context import Context
from graph.errors import BadUserInput
from graph.logs.redaction import redact_part
from graph.tables.records.inputs import S3Location

SMALLEST_PART = 4  # bytes of the longest character
LARGEST_PART = 262_144
DEFAULT_PART = 65_536
_MARGIN = 65_536  # bytes read before and behind a part, so that a secret across its ends is seen whole


@dataclass(frozen=True)
class StoredText:
    """A text as the graph shows it, already redacted where it can hold secrets; the flag is None where none is kept.

    ``stored`` is the text as it lies in the row, where the shown one is another.
    """

    text: str
    is_truncated: bool | None = None
    full_location: S3Location | None = None
    stored: str | None = None

    def content(self, max_bytes: int | None = None) -> str:
        """Return the text, or its leading part of at most ``max_bytes`` bytes of UTF-8 that ends in a whole character.

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

    @cached_property
    def stored_bytes(self) -> bytes:
        """The text as it lies in the row, in UTF-8."""
        return self._encoded if self.stored is None else self.stored.encode()


@dataclass(frozen=True, slots=True)
class StoredTextPart:
    """A part of a whole text, redacted. The offsets are of the text as stored, in bytes of UTF-8."""

    content: str
    from_byte: int
    to_byte: int
    total_bytes: int


def log_text(context: Context, text: str | None, is_truncated: bool | None = None) -> StoredText | None:
    """Return a log text, redacted before anything is cut from it; None where there is none."""
    return StoredText(context.logs.redacted(text), is_truncated, stored=text) if text else None


async def part(
    text: StoredText, context: Context, from_byte: int = 0, max_bytes: int = DEFAULT_PART
) -> StoredTextPart | None:
    """Return a part of the whole text, from S3 where the row holds only its beginning; None where it is gone there.

    Both ends are moved back to the beginning of a character.

    Raises:
        BadUserInput: for an offset beyond the end, a length out of bounds, and more bytes than one operation reads.
        UpstreamUnavailable: when S3 refuses or does not answer.
    """
    if not SMALLEST_PART <= max_bytes <= LARGEST_PART:
        raise BadUserInput(f"'maxBytes' must be from {SMALLEST_PART} to {LARGEST_PART}.")
    if from_byte < 0:
        raise BadUserInput("'fromByte' must not be negative.")
    first = max(0, from_byte - _MARGIN)
    count = from_byte - first + max_bytes + _MARGIN
    if text.is_truncated and text.full_location is not None:
        context.files.take_bytes(count)
        read = await context.files.store.read(text.full_location, first, count)
        if read is None:
            return None
        around, total = read
    else:
        around, total = text.stored_bytes[first : first + count], len(text.stored_bytes)
    if from_byte > total:
        raise BadUserInput("'fromByte' lies beyond the end of the text.")
    start = _boundary(around, from_byte - first)
    stop = _boundary(around, min(start + max_bytes, len(around)))
    content = await context.engines.off_loop(lambda: _shown(around, start, stop))
    return StoredTextPart(content, first + start, first + stop, total)


def _shown(around: bytes, start: int, stop: int) -> str:
    """Redact the bytes of a part, with those around it; what is no UTF-8 is shown as U+FFFD."""
    before, wanted, behind = (
        piece.decode(errors="replace") for piece in (around[:start], around[start:stop], around[stop:])
    )
    return redact_part(before + wanted + behind, len(before), len(before) + len(wanted))


def _boundary(text: bytes, offset: int) -> int:
    """Return the offset of the beginning of the character that an offset lies in."""
    for back in range(4):
        place = offset - back
        if place <= 0 or place >= len(text) or text[place] & 0xC0 != 0x80:
            return max(0, place)
    return offset  # no UTF-8: every byte is as good
