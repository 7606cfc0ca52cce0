"""The one generic connection: edges, nodes and where the page stands in its list."""

from typing import Generic, TypeVar

import strawberry

from graph.resolvers.paging import Page, PageInfo as PageInfoRecord, ShortPageReason
from graph.schema import enums as enums  # registers the enumerations before they are used
from graph.schema.fields import Info, answer, attribute, object_type

NodeT = TypeVar("NodeT")


@object_type(PageInfoRecord, description="Where a page stands in its list.")
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool = attribute("Whether rows follow the page.", reads=())
    has_previous_page: bool = attribute("Whether rows precede the page.", reads=())
    start_cursor: str | None = attribute("The cursor to page back from.", reads=())
    end_cursor: str | None = attribute(
        "Where reading stopped: on a short page beyond the last edge, on an empty page the given after. Opaque and "
        "encrypted, since it may stand for a row that the viewer may not see.",
        reads=(),
    )
