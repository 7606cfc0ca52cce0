"""Paging, for every connection: turn arguments into a window, and entries into a page.

A window says where reading begins and stops, in the direction of reading; a source fills it with up to one entry more
than the page holds, which shows whether more follows. Pages hold rows and positions; cursors are sealed only when they
are selected.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from graph.context import Context
from graph.errors import BadUserInput, InvalidCursor
from graph.execution_warnings import ExecutionWarning, distinct
from graph.tables.cursors import Cursors, Position, SealBroken, binding

NodeT = TypeVar("NodeT")
Seal: TypeAlias = Callable[[Position], str]

DEFAULT_PAGE = 20
LONGEST_PAGE = 100


class ShortPageReason(Enum):
    """Why a page holds fewer than asked although more may follow."""

    READ_BUDGET = "READ_BUDGET"
    PERMISSION_BUDGET = "PERMISSION_BUDGET"
    TIME_BUDGET = "TIME_BUDGET"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The paging arguments of one connection field, as given, and what was selected below it."""

    field: str
    first: int | None = None
    after: str | None = None
    last: int | None = None
    before: str | None = None
    wants_rows: bool = True
    longest: int = LONGEST_PAGE
    default: int = DEFAULT_PAGE


@dataclass(frozen=True, slots=True)
class Window:
    """A page's rows: ``count`` of them after ``start`` and before ``stop``, in the direction of reading."""

    count: int
    forward: bool
    start: Position | None
    stop: Position | None


@dataclass(slots=True)
class Entry(Generic[NodeT]):
    """A row at its position, and an edge of the page that shows it. ``roles`` is filled where the edges have them."""

    node: NodeT
    position: Position
    roles: tuple[Any, ...] = ()
    seal: Seal | None = field(default=None, compare=False, repr=False)
    """Seals positions into cursors; set once a page shows the entry."""

    @property
    def cursor(self) -> str:
        """The sealed position of the row."""
        assert self.seal is not None  # noqa: S101 - only pages are shown
        return self.seal(self.position)


@dataclass(frozen=True, slots=True)
class Filled(Generic[NodeT]):
    """What a source read, in the direction of reading: up to ``count + 1`` entries.

    When reading ended early, ``stopped_at`` is the position to continue from, and ``reason`` the budget that ended it;
    None when a failed call did. ``warnings`` say what was not read.
    """

    entries: Sequence[Entry[NodeT]]
    reason: ShortPageReason | None = None
    stopped_at: Position | None = None
    warnings: Sequence[ExecutionWarning] = ()


@dataclass(frozen=True, slots=True)
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool
    has_previous_page: bool
    start: Position | None
    end: Position | None
    seal: Seal

    @property
    def start_cursor(self) -> str | None:
        """The cursor to go back from."""
        return None if self.start is None else self.seal(self.start)

    @property
    def end_cursor(self) -> str | None:
        """The cursor to go on from."""
        return None if self.end is None else self.seal(self.end)


@dataclass(frozen=True, slots=True)
class Page(Generic[NodeT]):
    """A page of a connection. ``count`` gives the length of the whole list where the connection has a total."""

    edges: Sequence[Entry[NodeT]]
    page_info: PageInfo
    short_page_reason: ShortPageReason | None = None
    count: Callable[[], Awaitable[int | None]] | None = field(default=None, repr=False)
    warnings: Sequence[ExecutionWarning] = ()

    @property
    def nodes(self) -> list[NodeT]:
        """The rows alone."""
        return [edge.node for edge in self.edges]


async def paginate(
    context: Context,
    request: PageRequest,
    bound_to: Sequence[object],
    read: Callable[[Window], Awaitable[Filled[NodeT]]],
    count: Callable[[], Awaitable[int | None]] | None = None,
) -> Page[NodeT]:
    """Return the page of a request.

    ``bound_to`` are the parent's key and the filter, which cursors are bound to together with the field. ``read`` fills
    a window and is not called when only the total was selected.

    Raises:
        BadUserInput: for a page size below zero or over the cap, or ``first`` together with ``last``.
        InvalidCursor: for a cursor that was not made by this field with the same parent and filter.
    """
    bound, cursors = binding(request.field, *bound_to), context.cursors
    window = _window(request, cursors, bound)
    filled: Filled[NodeT] = await read(window) if request.wants_rows else Filled(())
    return _page(window, filled, partial(cursors.seal, binding=bound), count)


def paginate_around(
    context: Context,
    request: PageRequest,
    bound_to: Sequence[object],
    before: Filled[NodeT],
    behind: Filled[NodeT],
    centre: int,
    count: Callable[[], Awaitable[int | None]] | None = None,
) -> Page[NodeT]:
    """Make the page of ``first`` rows that has one row in its middle, as far as there are rows on both sides.

    ``before`` holds the rows up to a place, the nearest first, and ``behind`` those after it; ``centre`` counts the
    middle one in their order, from the first of them all.
    """
    bound = binding(request.field, *bound_to)
    entries = [*reversed(before.entries), *behind.entries]
    size = page_size(request)
    start = max(0, min(centre - size // 2, len(entries) - size))
    shown = entries[start : start + size]
    has_previous = start > 0 or before.reason is not None or before.stopped_at is not None
    has_next = start + size < len(entries) or behind.reason is not None or behind.stopped_at is not None
    first, last = (shown[0].position, shown[-1].position) if shown else (None, None)

    def seal(position: Position) -> str:
        return context.cursors.seal(position, bound)

    for entry in shown:
        entry.seal = seal
    info = PageInfo(has_next, has_previous, first, last, seal)
    is_short = len(shown) < size
    reason = (before.reason or behind.reason) if is_short else None
    warnings = distinct((*before.warnings, *behind.warnings))
    return Page(shown, info, reason, count, warnings)


def page_size(request: PageRequest) -> int:
    """Return how many rows from the start are asked for.

    Raises:
        BadUserInput: when that is out of bounds.
    """
    size = request.default if request.first is None else request.first
    if not 0 <= size <= request.longest:
        raise BadUserInput(f"'first' must be from 0 to {request.longest}.")
    return size


def _window(request: PageRequest, cursors: Cursors, bound: bytes) -> Window:
    if request.first is not None and request.last is not None:
        raise BadUserInput("Give 'first' or 'last', not both.")
    forward = request.last is None
    argument, size = ("first", request.first) if forward else ("last", request.last)
    size = request.default if size is None else size
    if not 0 <= size <= request.longest:
        raise BadUserInput(f"'{argument}' must be from 0 to {request.longest}.")
    after = None if request.after is None else _open("after", request.after, cursors, bound)
    before = None if request.before is None else _open("before", request.before, cursors, bound)
    return Window(size, forward, after, before) if forward else Window(size, forward, before, after)


def _open(argument: str, cursor: str, cursors: Cursors, bound: bytes) -> Position:
    try:
        return cursors.open(cursor, bound)
    except SealBroken:
        raise InvalidCursor(argument) from None


def _page(
    window: Window,
    filled: Filled[NodeT],
    seal: Seal,
    count: Callable[[], Awaitable[int | None]] | None,
) -> Page[NodeT]:
    shown = list(filled.entries[: window.count])
    stopped_early = filled.reason is not None or filled.stopped_at is not None
    goes_on = len(filled.entries) > window.count or stopped_early or window.stop is not None
    came_from = window.start is not None
    first = shown[0].position if shown else None
    last = filled.stopped_at or (shown[-1].position if shown else window.start)
    if not window.forward:
        shown.reverse()
        goes_on, came_from, first, last = came_from, goes_on, last, first
    for entry in shown:
        entry.seal = seal
    return Page(shown, PageInfo(goes_on, came_from, first, last, seal), filled.reason, count, distinct(filled.warnings))
