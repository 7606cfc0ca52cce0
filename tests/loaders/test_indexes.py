"""Each of the nine indexes is asked for what it alone can answer, and is missed when it is taken away."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from graph.demo.database import EmbeddedDatabase, create_tables
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.loaders import Loaders
from graph.loaders.base import KeyLoader, KeyRange, RangeLoader
from graph.tables import catalogue
from graph.tables.catalogue import Index, Table
from graph.tables.reader import DatabaseRejected
from tests.demo.reading import rows
from tests.loaders.conftest import Operate
from tests.tables.indexes import execution_indexes


@dataclass(frozen=True)
class Case:
    """A partition of an index, and the loader that reads it."""

    index: Index
    partition: str
    loader: Callable[[Loaders], RangeLoader[Any]]

    @property
    def table(self) -> Table:
        return next(table for table, index in execution_indexes() if index is self.index)

    def expected(self) -> list[tuple[str, ...]]:
        """The primary keys of the partition's rows, by the index's sort key."""
        sort = self.index.sort
        assert sort is not None
        found = [item for item in rows(self.table, **{self.index.partition: self.partition}) if sort in item]
        return [tuple(item[name] for name in self.table.key) for item in sorted(found, key=lambda item: item[sort])]


CASES = [
    Case(
        catalogue.EXECUTIONS_BY_WORKFLOW,
        "plant-models:convert-qa-thumb",
        lambda loaders: loaders.executions.by_workflow,
    ),
    Case(catalogue.EXECUTIONS_BY_GROUP, "upload-2026-06-20", lambda loaders: loaders.executions.by_group),
    Case(catalogue.EXECUTIONS_BY_DATE, "execution", lambda loaders: loaders.executions.by_date),
    Case(catalogue.INPUTS_BY_ASSET, "plant-models:pump-station", lambda loaders: loaders.inputs.by_asset),
    Case(
        catalogue.CONFIGURATIONS_BY_OUTPUT_ASSET,
        "plant-models:pump-station",
        lambda loaders: loaders.configurations.by_output_asset,
    ),
    Case(catalogue.STEPS_BY_EXECUTION, SAMPLE_EXECUTION_ID, lambda loaders: loaders.steps.by_execution),
    Case(catalogue.STEPS_BY_PREDECESSOR, SAMPLE_EXECUTION_ID, lambda loaders: loaders.steps.by_predecessor),
    Case(catalogue.STEPS_BY_END_STATE, SAMPLE_EXECUTION_ID, lambda loaders: loaders.steps.by_end_state),
    Case(
        catalogue.STEP_INPUT_FILES_BY_ASSET,
        "plant-models:old-asset",
        lambda loaders: loaders.step_input_files.by_asset,
    ),
]
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.index.name)


def test_every_index_has_its_case() -> None:
    assert {case.index for case in CASES} == {index for _, index in execution_indexes()}
    assert len(CASES) == 9


@each
@pytest.mark.parametrize("forward", [True, False])
async def test_the_index_gives_its_rows_in_its_order(operate: Operate, case: Case, forward: bool) -> None:
    operation = operate()
    stretch = await case.loader(operation.loaders).load(KeyRange(case.partition, forward=forward))
    found, expected = [row.primary_key for row in stretch.rows], case.expected()
    assert sorted(found) == sorted(expected)
    assert len(found) > 1
    places = [row.position_in(case.index)[0] for row in stretch.rows]
    assert places == sorted(places, reverse=not forward)


@each
async def test_no_other_index_is_asked(operate: Operate, case: Case) -> None:
    operation = operate()
    await case.loader(operation.loaders).load(KeyRange(case.partition))
    assert [request.get("IndexName") for request in operation.requests] == [case.index.name]


@each
async def test_rows_of_the_index_are_not_read_again_by_key(operate: Operate, case: Case) -> None:
    operation = operate()
    loaders = operation.loaders
    stretch = await case.loader(loaders).load(KeyRange(case.partition))
    loaders_by_key: dict[Table, KeyLoader[Any]] = {
        catalogue.EXECUTIONS: loaders.executions.by_key,
        catalogue.INPUTS: loaders.inputs.by_key,
        catalogue.CONFIGURATIONS: loaders.configurations.by_key,
        catalogue.STEPS: loaders.steps.by_key,
        catalogue.STEP_INPUT_FILES: loaders.step_input_files.by_key,
    }
    by_key = loaders_by_key[case.table]
    assert [await by_key.load(row.primary_key) for row in stretch.rows] == list(stretch.rows)
    assert operation.tally.calls == 1


@pytest.fixture(scope="module")
def empty() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase({}) as database:
        yield database


@each
async def test_without_the_index_the_load_is_an_error(operate: Operate, empty: EmbeddedDatabase, case: Case) -> None:
    left = tuple(index for index in case.table.indexes if index is not case.index)
    name = f"{empty.names[case.table]}-without-{case.index.name}"
    create_tables(empty.client, {replace(case.table, indexes=left): name})
    operation = operate(client=empty.client, names=empty.names | {case.table: name})
    with pytest.raises(DatabaseRejected):
        await case.loader(operation.loaders).load(KeyRange(case.partition))
    empty.client.delete_table(TableName=name)
