"""How fields are declared: as plain attributes of a record, as answers of a resolver, or as pages of one.

Every field says which stored fields it reads. An attribute that is stored reads itself; all else names what it needs,
and the schema is not made when one does not. From this comes what an operation projects.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, TypeVar, get_type_hints

import strawberry
from strawberry.types.field import StrawberryField

from graph.context import Context, Extra
from graph.execution import ANSWERED, Answered, Bound, FieldRequest, InstanceOf
from graph.execution.strawberry_internals import resolve_info
from graph.resolvers.paging import DEFAULT_PAGE, LONGEST_PAGE, Page, PageRequest
from graph.schema.costs import ANSWER_COST, HISTORY_ROWS, PAGE_COST, Cost, HistoryRows, ListSize
from graph.schema.lookahead import selects_beyond
from graph.tables.rows import Row, StoredFields

TypeT = TypeVar("TypeT", bound=type)

Info = strawberry.Info[Context, None]

# Refuses a field of a record by raising Forbidden.
Guard = Callable[[Any, Context], None]

# The object types, the record classes that each shows, and the type that shows each record class.
TYPES: dict[str, type] = {}
RECORDS: dict[str, tuple[type, ...]] = {}
_SHOWN_BY: dict[type, str] = {}

READS = "reads"
BEGINS = "begins"
EXTRA = "extra"
GUARD = "guard"
_WITHOUT_ROWS = frozenset({"__typename", "totalCount"})  # the fields of a connection that no row is read for
_UNSET: Any = strawberry.UNSET
_PARENT: Any = strawberry.Parent[Any]  # type: ignore[misc]


def object_type(*records: type, description: str) -> Callable[[TypeT], TypeT]:
    """Declare an object type over the record classes that its attributes are read from."""

    def declare(cls: TypeT) -> TypeT:
        cls.is_type_of = InstanceOf(*records)  # type: ignore[attr-defined]
        RECORDS[cls.__name__] = records
        _SHOWN_BY.update(dict.fromkeys(records, cls.__name__))
        TYPES[cls.__name__] = declared = strawberry.type(cls, description=description)
        return declared

    return declare


def type_name(record: object) -> str:
    """Return the name of the type that shows a record."""
    return _SHOWN_BY[type(record)]


def attribute(
    description: str,
    *,
    reads: StoredFields | None = None,
    extra: Extra | None = None,
    cost: int = 1,
    name: str | None = None,
    most: int | None = None,
) -> Any:
    """Return a field that is an attribute of the record. ``reads`` are the stored fields behind one that is computed.

    ``extra`` is what resolvers read only where such a field is selected. ``name`` is given if it is not the
    attribute's, and ``most`` for a list that can be long.
    """
    directives: list[object] = _cost(cost)
    if most is not None:
        directives.append(ListSize(slicing_arguments=[], assumed_size=most, require_one_slicing_argument=False))
    return strawberry.field(
        name=name, description=description, metadata=_metadata(reads, extra=extra), directives=directives
    )


def answer(
    resolver: Callable[..., Awaitable[Any]],
    description: str,
    *,
    reads: StoredFields = (),
    begins: type[Row] | None = None,
    extra: Extra | None = None,
    guard: Guard | None = None,
    cost: int = ANSWER_COST,
) -> Any:
    """Return a field that a resolver answers. Parameters beyond the record and the context are the field's arguments.

    ``begins`` is a kind of row that the field is sure to need and that takes no more than the id of an execution to
    read, so that its read may begin with that of the execution. ``guard`` refuses the field before anything is read
    for it; ``extra`` is that of :func:`attribute`.
    """

    def bind(arguments: Mapping[str, Any]) -> Bound:
        given = _given(arguments)
        return _guarded(guard, partial(resolver, **given) if given else resolver)

    metadata = _metadata(reads, guard, begins, extra)
    return _answered(lambda _asked: bind, _extra(resolver, 2), description, _cost(cost), metadata)


def root(
    resolver: Callable[..., Awaitable[Any]],
    description: str,
    *,
    name: str | None = None,
    reads: StoredFields = (),
    sized_by: str | None = None,
    cost: int = ANSWER_COST,
) -> Any:
    """Return a field of the root that a resolver answers. Parameters beyond the context are the field's arguments.

    ``name`` is said where it is not the attribute's; ``sized_by`` names the argument that is as long as the list that
    is answered.
    """

    def bind(arguments: Mapping[str, Any]) -> Bound:
        given = _given(arguments)
        return lambda _root, context: resolver(context, **given)

    size = [ListSize(slicing_arguments=[sized_by])] if sized_by else []
    return _answered(
        lambda _asked: bind,
        _extra(resolver, 1),
        description,
        [*_cost(cost), *size],
        _metadata(reads),
        name=name,
    )


def page(
    resolver: Callable[..., Awaitable[Page[Any] | None]],
    description: str,
    *,
    reads: StoredFields = (),
    begins: type[Row] | None = None,
    guard: Guard | None = None,
    longest: int = LONGEST_PAGE,
    default: int = DEFAULT_PAGE,
    cost: int = PAGE_COST,
    history_rows: HistoryRows | None = None,
    is_forward_only: bool = False,
) -> Any:
    """Return a connection. Parameters beyond the record, the context and the page are arguments beside those of paging.

    ``begins`` and ``guard`` are those of :func:`answer`; ``longest`` is the most rows that one page may have,
    ``default`` how many it has where nothing is said; ``history_rows`` what bounds its rows in a whole
    operation. One that ``is_forward_only`` is read from its start alone.
    """

    def bind(asked: FieldRequest) -> Callable[[Mapping[str, Any]], Bound]:
        field, wants_rows = f"{asked.parent_type.name}.{asked.field_name}", selects_beyond(asked, _WITHOUT_ROWS)

        def bind_to(arguments: Mapping[str, Any]) -> Bound:
            given = _given(arguments)
            request = PageRequest(
                field=field,
                first=given.pop("first", None),
                after=given.pop("after", None),
                last=given.pop("last", None),
                before=given.pop("before", None),
                wants_rows=wants_rows,
                longest=longest,
                default=default,
            )
            return _guarded(guard, lambda record, context: resolver(record, context, request, **given))

        return bind_to

    parameters = [*_extra(resolver, 3), *_paging(longest, default, is_forward_only=is_forward_only)]
    directives = [Cost(weight=cost), _page_size(default, is_forward_only=is_forward_only)]
    metadata = _metadata(reads, guard, begins)
    if history_rows is not None:
        metadata[HISTORY_ROWS] = history_rows
    return _answered(bind, parameters, description, directives, metadata)


def reads_of(field: StrawberryField) -> StoredFields | None:
    """Return the stored fields that a field was declared to read; None for an attribute that reads itself."""
    return field.metadata.get(READS)


def begun_by(field: StrawberryField) -> type[Row] | None:
    """Return the kind of row whose read a field lets begin with that of its execution; None where it lets none."""
    return field.metadata.get(BEGINS)


def extra_of(field: StrawberryField) -> Extra | None:
    """Return what resolvers read only because a field shows it; None for most fields."""
    return field.metadata.get(EXTRA)


def _answered(
    bind: Callable[[FieldRequest], Callable[[Mapping[str, Any]], Bound]],
    parameters: Iterable[inspect.Parameter],
    description: str,
    directives: Sequence[object],
    metadata: dict[str, Any],
    *,
    name: str | None = None,
) -> Any:
    """Return a field whose arguments make the function that answers it for each record."""

    async def resolve(root: Any, info: Info, **arguments: Any) -> Any:
        raw = resolve_info(info)
        return await bind(raw)(arguments)(root, info.context)

    resolve.__signature__ = _signature(parameters)  # type: ignore[attr-defined]
    return strawberry.field(
        resolver=resolve,
        name=name,
        description=description,
        metadata=metadata | {ANSWERED: Answered(bind)},
        directives=directives,
    )


def _cost(points: int) -> list[object]:
    return [Cost(weight=points)] if points != 1 else []


def _guarded(guard: Guard | None, resolver: Bound) -> Bound:
    if guard is None:
        return resolver

    def guarded(record: Any, context: Context) -> Any:
        guard(record, context)
        return resolver(record, context)

    return guarded


def _metadata(
    reads: StoredFields | None,
    guard: Guard | None = None,
    begins: type[Row] | None = None,
    extra: Extra | None = None,
) -> dict[str, Any]:
    declared = {READS: reads, GUARD: guard, BEGINS: begins, EXTRA: extra}
    return {name: value for name, value in declared.items() if value is not None}


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if value is _UNSET else value for name, value in arguments.items()}


def _argument(name: str, kind: Any, description: str) -> inspect.Parameter:
    annotation = Annotated[kind | None, strawberry.argument(description=description)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_UNSET, annotation=annotation)


def _page_size(default: int, *, is_forward_only: bool) -> ListSize:
    return ListSize(
        assumed_size=default,
        slicing_arguments=["first"] if is_forward_only else ["first", "last"],
        sized_fields=["edges", "nodes"],
        require_one_slicing_argument=False,
    )


def _paging(longest: int, default: int, *, is_forward_only: bool) -> list[inspect.Parameter]:
    if is_forward_only:
        return [
            _argument("first", int, f"How many rows, 0 to {longest}; {default} unless given."),
            _argument("after", str, "Only rows after this cursor."),
        ]
    return [
        _argument("first", int, f"How many rows from the start, 0 to {longest}; {default} unless last is given."),
        _argument("after", str, "Only rows after this cursor."),
        _argument("last", int, f"How many rows from the end, 0 to {longest}; they still come in the list's order."),
        _argument("before", str, "Only rows before this cursor."),
    ]


def _extra(resolver: Callable[..., Any], skip: int) -> list[inspect.Parameter]:
    hints = get_type_hints(resolver, include_extras=True)
    parameters = list(inspect.signature(resolver).parameters.values())[skip:]
    return [
        inspect.Parameter(
            parameter.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_UNSET if parameter.default is None else parameter.default,
            annotation=hints[parameter.name],
        )
        for parameter in parameters
    ]


def _signature(arguments: Iterable[inspect.Parameter]) -> inspect.Signature:
    root = inspect.Parameter("root", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_PARENT)
    info = inspect.Parameter("info", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Info)
    return inspect.Signature([root, info, *arguments])
