"""The gate answers what VAMS's rule says, for the users of the demo and for anybody."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.auth import routes
from graph.auth.policy import Policy
from graph.demo import world
from graph.demo.permissions import permission_rows
from graph.errors import GraphError
from graph.tables.catalogue import CONSTRAINTS, EXECUTIONS, Table
from graph.tables.queries import Query
from graph.tables.reader import Item, ItemPage, Key
from graph.tables.tally import Tally
from tests.auth.rows import constraint, criterion
from tests.auth.rule import allows_execution
from tests.demo.reading import ITEMS, written
from tests.policies import compile_policy
from tests.worlds import EVERYTHING, MemoryReader, access, executions


class ReaderOfDemo(MemoryReader):
    """Reads the demo's items, which nobody changes, so that each is found without looking at the others."""

    def __init__(self) -> None:
        super().__init__(ITEMS)
        self._rows = {
            (table, name): _grouped(rows, (name,))
            for table, rows in ITEMS.items()
            for name in {table.partition, *(index.partition for index in table.indexes)}
        }
        self._items = {table: _grouped(rows, table.key) for table, rows in ITEMS.items()}

    async def query(self, query: Query, tally: Tally) -> ItemPage:
        keyed = query.index or query.table
        return ItemPage(self._rows[query.table, keyed.partition].get((query.partition,), []), None)

    async def get_items(
        self,
        table: Table,
        keys: Iterable[Key],
        attributes: Sequence[str],
        tally: Tally,
        *,
        is_consistent: bool = False,
    ) -> dict[Key, Item | GraphError]:
        items = self._items[table]
        return {key: items[key][0] for key in keys if key in items}


def _grouped(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[tuple[Any, ...], list[Item]]:
    """Rows as they are read, by some of their attributes."""
    groups: dict[tuple[Any, ...], list[Item]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(written(row))
    return groups


DEMO = ReaderOfDemo()
DEMO_RUNS = executions(DEMO)
DEMO_CONSTRAINTS = [row.attributes for row in permission_rows() if row.table is CONSTRAINTS]


async def assert_as_the_rule_says(policy: Policy) -> int:
    guarded = access(policy, DEMO)
    verdicts = [(await guarded.page_of_executions()([row]))[0] for row in DEMO_RUNS]
    assert verdicts == [allows_execution(policy, item) for item in ITEMS[EXECUTIONS]]
    may = [await guarded.may_abort(row) for row in DEMO_RUNS]
    assert may == [
        bool(policy.allows("api", {"route__path": routes.execution(row.execution_id)}, "DELETE"))
        and allows_execution(policy, item, "POST")
        for row, item in zip(DEMO_RUNS, ITEMS[EXECUTIONS], strict=True)
    ]
    return sum(verdicts)


EVERY = len(ITEMS[EXECUTIONS])


@pytest.mark.parametrize(
    ("roles", "is_between"),
    [
        (["plant-user"], (1, EVERY - 1)),
        (["plant-user", "plant-admin"], (1, EVERY - 1)),
        (["demo-reader"], (EVERY, EVERY)),
        (["demo-admin"], (EVERY, EVERY)),
        ([], (0, 0)),
    ],
)
async def test_users_of_the_demo_see_what_the_rule_says(roles: list[str], is_between: tuple[int, int]) -> None:
    rows = [row for row in DEMO_CONSTRAINTS if row["groupId"] in roles]
    seen = await assert_as_the_rule_says(compile_policy("somebody@example.com", roles, rows))
    assert is_between[0] <= seen <= is_between[1]


VALUES = {
    "databaseId": ["plant-models", "plant-scans", "city-scans", "GLOBAL", "plant-.*", ".*", "#deleted", "GLO"],
    "assetName": [each.name for each in world.ASSETS[:6]] + ["P.*", ""],
    "assetType": [r"\.step", r"\.ifc", ""],
    "workflowId": ["convert-qa-thumb", "thumb", ".*"],
    "category": ["conversion", "preview", ""],
    "name": ["Convert.*", "Thumbnails", ""],
}
FIELDS_OF = {
    "workflow": ("databaseId", "workflowId", "category", "name"),
    "database": ("databaseId",),
    "asset": ("databaseId", "assetName", "assetType", "tags"),
}
TEXT_OPERATORS = ("equals", "contains", "does_not_contain", "starts_with", "ends_with", "is_one_of", "is_not_one_of")


@st.composite
def criteria(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    field = draw(st.sampled_from(FIELDS_OF[kind]))
    if field == "tags":
        operator = draw(st.sampled_from(["is_one_of", "is_not_one_of", "is_one_of", "contains"]))
        return criterion(field, operator, draw(st.sampled_from(["locked", "approved", ["large", "listed"]])))
    values = st.sampled_from(VALUES[field])
    return criterion(
        field, draw(st.sampled_from(TEXT_OPERATORS)), draw(st.one_of(values, st.lists(values, max_size=2)))
    )


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(FIELDS_OF)))
    effect = draw(st.sampled_from(["allow", "allow", "deny"]))
    actions = draw(st.lists(st.sampled_from(["GET", "POST"]), min_size=1, unique=True))
    return constraint(
        f"rule-{draw(st.integers(0, 10**9))}",
        kind,
        all_of=draw(st.lists(criteria(kind), max_size=2)),
        any_of=draw(st.lists(criteria(kind), max_size=2)),
        allow=actions if effect == "allow" else (),
        deny=actions if effect == "deny" else (),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(rules(), max_size=8), st.sets(st.sampled_from(sorted(FIELDS_OF))))
async def test_anybody_sees_what_the_rule_says(generated: list[dict[str, Any]], opened: set[str]) -> None:
    opening = [rule for rule in EVERYTHING if rule["objectType"] in (opened | {"api"})]
    await assert_as_the_rule_says(compile_policy("user", ["plant-user"], [*opening, *generated]))
