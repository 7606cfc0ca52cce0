"""Worlds made for questions of permission: a few rows, and policies that are given instead of loaded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from graph.auth.access import Access
from graph.auth.constraints import FIELDS
from graph.auth.identity import Viewer
from graph.auth.policies import Policies
from graph.auth.policy import Policy
from graph.aws.clients import Clients
from graph.demo.data import Items
from graph.demo.model import Asset, Pipeline, Run, Selection, Specified, Step, Workflow, identifier
from graph.demo.rows import Row
from graph.errors import GraphError, Throttled
from graph.loaders import Loaders
from graph.loaders.base import Reading
from graph.operation import OperationScope
from graph.schema import Schema
from graph.settings import Settings
from graph.tables.catalogue import ALL_TABLES, EXECUTIONS, Table
from graph.tables.queries import Query
from graph.tables.reader import Item, ItemPage, Key, Reader
from graph.tables.records.executions import ExecutionRow
from graph.tables.rows import deciding_fields
from graph.tables.tally import Tally
from graph.tables.writer import ChangeWriter
from tests.auth.rows import ALL_ACTIONS, constraint, criterion
from tests.demo.reading import written
from tests.harness import SCHEMA, Graph, LockStepReader
from tests.memory import NAMES, MemoryDatabase
from tests.policies import compile_policy

Constraint = dict[str, Any]
EVERYTHING = [
    constraint(f"all-{kind}", kind, all_of=[criterion(fields[0], "contains", ".*")], allow=ALL_ACTIONS)
    for kind, fields in FIELDS.items()
]
PIPELINE = Pipeline("home", "convert", "Converter", "conversion", "Converts")
WORKFLOW = Workflow("home", "nightly", "Nightly", "conversion", "Converts", (Specified(PIPELINE, "job", "job-1"),))


def deny(kind: str, field: str, operator: str, value: Any, *actions: str) -> Constraint:
    """A rule that denies some actions, GET unless given, on what matches."""
    actions = actions or ("GET",)
    return constraint(f"deny-{kind}-{value}", kind, all_of=[criterion(field, operator, value)], deny=actions)


def allow(kind: str, field: str, operator: str, value: Any, *actions: str) -> Constraint:
    """A rule that allows some actions, GET unless given, on what matches."""
    actions = actions or ("GET",)
    return constraint(f"allow-{kind}-{value}", kind, all_of=[criterion(field, operator, value)], allow=actions)


def everything_but(*denials: Constraint) -> Policy:
    """A policy that allows everything that is not denied."""
    return compile_policy("user", ["plant-user"], [*EVERYTHING, *denials])


def only(*allowances: Constraint) -> Policy:
    """A policy that allows nothing but what is allowed."""
    return compile_policy("user", ["plant-user"], allowances)


def asset(database_id: str, asset_id: str, *tags: str, archived: bool = False) -> Asset:
    """An asset of which only the name matters."""
    at = "2026-06-01T08:00:00.000000" if archived else ""
    return Asset(database_id, asset_id, asset_id, "", tags=tags, archived_at=at)


def run(name: str, *inputs: Asset, minute: int = 0, **changes: Any) -> Run:
    """A run of one step, at a minute of its day."""
    of_run: dict[str, Any] = {
        "execution_id": identifier("run", name),
        "workflow": WORKFLOW,
        "started_at": f"2026-07-14T{minute // 60:02}:{minute % 60:02}:00Z",
        "steps": (Step(step_id=identifier("step", name), pipeline=PIPELINE, status="SUCCEEDED"),),
        "inputs": tuple(Selection(one) for one in inputs),
    }
    return Run(**of_run | changes)


def items(*rows: Iterable[Row]) -> Items:
    """The items of some rows, by table."""
    found: Items = {table: [] for table in ALL_TABLES}
    for part in rows:
        for table, attributes in part:
            found[table].append(attributes)
    return found


class MemoryReader(Reader):
    """Reads items that are in memory, whole, in the order of their keys. ``failing`` tables are throttled."""

    def __init__(self, held: Items) -> None:
        self.held = held
        self.failing: set[Table] = set()
        self.calls: list[str] = []

    async def query(self, query: Query, tally: Tally) -> ItemPage:
        self._called(query.table)
        keyed = query.index or query.table
        rows = [item for item in self.held[query.table] if item.get(keyed.partition) == query.partition]
        return ItemPage([written(row) for row in rows], None)

    async def get_items(
        self,
        table: Table,
        keys: Iterable[Key],
        attributes: Sequence[str],
        tally: Tally,
        *,
        is_consistent: bool = False,
    ) -> dict[Key, Item | GraphError]:
        self._called(table)
        stored = {tuple(item[name] for name in table.key): item for item in self.held[table]}
        return {key: written(stored[key]) for key in keys if key in stored}

    def _called(self, table: Table) -> None:
        self.calls.append(table.name)
        if table in self.failing:
            raise Throttled


def access(policy: Policy, reader: MemoryReader) -> Access:
    loaders = Loaders(Reading(reader, Tally(), deciding_fields, OperationScope()))
    return Access(viewer("bob"), policy, loaders)


def decoded(row: type[Any], item: Mapping[str, Any]) -> Any:
    return row.decode(written(item), deciding_fields(row))


def executions(reader: MemoryReader) -> list[ExecutionRow]:
    return [decoded(ExecutionRow, item) for item in reader.held[EXECUTIONS]]


class GivenPolicies:
    """Policies by user; everybody else has none."""

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self._policies = policies

    async def policy_of(self, user_id: str, *, is_mfa: bool) -> Policy:
        return self._policies.get(user_id, Policy(()))


def viewer(user_id: str, *, is_mfa: bool = False) -> Viewer:
    return Viewer(user_id, is_mfa=is_mfa, method="api_key")


@contextmanager
def graph_for(
    database: MemoryDatabase,
    policies: Mapping[str, Policy],
    settings: Settings | None = None,
    reader: type[Reader] = LockStepReader,
    logs: Clients | None = None,
    schema: Schema = SCHEMA,
    changes: ChangeWriter | None = None,
) -> Iterator[Graph]:
    """The graph over a database, for users whose policies are given."""
    graph = Graph(database, NAMES, settings, reader, schema, logs, changes=changes)
    graph.services = replace(graph.services, policies=cast("Policies", GivenPolicies(policies)))
    try:
        yield graph
    finally:
        graph.close()


def ids_in(data: Any) -> Sequence[str]:
    """Every value of a field ``id`` or ``executionId`` anywhere in an answer."""
    match data:
        case dict():
            own = [value for key, value in data.items() if key in ("id", "executionId") and isinstance(value, str)]
            return [*own, *(found for value in data.values() for found in ids_in(value))]
        case list():
            return [found for value in data for found in ids_in(value)]
        case _:
            return []
