"""Every kind of object with a global id, declared once: its id, its finder, and its key for other subgraphs.

The declarations make the valid ids, ``node`` and ``nodes``, and for an entity its ``@key``, ``_entities`` and which of
its fields other subgraphs may resolve too. A finder takes the key in an id, and passes the gate of its object.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graph.auth import routes
from graph.auth.objects import RULES
from graph.context import Context
from graph.loaders.base import KeyLoader
from graph.resolvers import engine_executions, executions, logs, map_runs, references, stages, steps, sub_executions
from graph.resolvers.engine_executions import EngineExecution
from graph.resolvers.gate import visible, visible_execution, visible_step
from graph.resolvers.registered import SubExecution, with_digest
from graph.resolvers.run_detail import Stage
from graph.tables import ids, keys
from graph.tables.ids import GlobalId
from graph.tables.records.definitions import AssetRow, DatabaseRow, PipelineRow, WorkflowRow
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.inputs import InputMetadataRow, InputRow, StepInputFileRow
from graph.tables.records.outputs import OutputFileRow, OutputMetadataRow, OutputResultRow
from graph.tables.records.steps import StepRow
from graph.tables.rows import ObjectRow, Row

Finder = Callable[[Context, tuple[str, ...]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Entity:
    """How other subgraphs refer to a type of the kind's name.

    Attributes:
        key: The fields of its key, which are all strings.
        find: Finds it by them, through the gate.
        is_shared: Whether other subgraphs may answer its fields too.
    """

    key: tuple[str, ...]
    find: Callable[..., Awaitable[Any]]
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object.

    Attributes:
        name: How its ids begin. An id that was given out leads to its object for ever, so this stays.
        parts: How many parts the key in its ids has; only the last may hold colons.
        find: Finds it by those parts; None where there is none or the viewer may not see it.
        entity: How other subgraphs refer to it; None where they do not.
    """

    name: str
    parts: int
    find: Finder
    entity: Entity | None = None


def kind_of(row: type[ObjectRow], find: Finder, entity: Entity | None = None) -> Kind:
    """Declare the kind of a row, whose ids hold the key of its table."""
    return Kind(row.kind, len(row.table.key), find, entity)


def definition(row: type[ObjectRow], find: Callable[..., Awaitable[Row | None]], *key: str) -> Kind:
    """Declare a kind that has permissions of its own and is shared with other subgraphs."""

    async def by_id(context: Context, parts: tuple[str, ...]) -> Row | None:
        return await find(context, *parts)

    return kind_of(row, by_id, Entity(key, find, is_shared=row in RULES))


async def _execution(context: Context, key: tuple[str, ...]) -> ExecutionRow | None:
    return await visible(context, await context.loaders.executions.by_key.load(key))


async def _step(context: Context, key: tuple[str, ...]) -> StepRow | None:
    found, execution = await context.scope.gather(
        context.loaders.steps.by_key.load(key), visible_execution(context, key[1])
    )
    return found if execution is not None else None


async def _input_file(context: Context, key: tuple[str, ...]) -> Row | None:
    found, execution = await context.scope.gather(
        context.loaders.inputs.by_key.load(key), visible_execution(context, key[0])
    )
    return found if execution is not None else None


async def _registered_log(context: Context, key: tuple[str, ...]) -> logs.RegisteredLog | None:
    of = await visible_step(context, key[0])
    return await logs.log_at(of, context, key[1]) if of else None


async def _sub_execution(context: Context, key: tuple[str, ...]) -> SubExecution | None:
    of = await visible_step(context, key[0])
    return with_digest(of, key[1]) if of else None


async def _engine_execution(context: Context, key: tuple[str, ...]) -> EngineExecution | None:
    of = await _sub_execution(context, key[:2])
    return await sub_executions.engine_execution(of, context) if of else None


async def _own_engine_execution(context: Context, key: tuple[str, ...]) -> EngineExecution | None:
    of = await visible_execution(context, key[0]) if keys.is_execution_id(key[0]) else None
    return await engine_executions.of_execution(of, context) if of else None


FindRun = Callable[[Context, tuple[str, ...]], Awaitable[EngineExecution | None]]


def _map_run_within(find: FindRun) -> Finder:
    """Return a finder of Map runs, by the key of the run and their name within its machine."""

    async def find_map_run(context: Context, key: tuple[str, ...]) -> map_runs.MapRun | None:
        run = await find(context, key)
        return await map_runs.named(run, key[-1], context) if run else None

    return find_map_run


def _child_within(find: FindRun, place: int) -> FindRun:
    """Return a finder of what Map runs started, by the key of the run and their name at some place of it."""

    async def find_child(context: Context, key: tuple[str, ...]) -> EngineExecution | None:
        run = await find(context, key)
        kind, _, rest = key[place].partition("/")
        label, _, name = rest.replace(":", "/").partition("/")
        return await map_runs.child(run, f"{kind}/{label}:{name.replace('/', ':')}", context) if run else None

    return find_child


def _within_run(find: FindRun) -> Finder:
    """Return a finder of stages, by the key of their run and their name."""

    async def find_stage(context: Context, key: tuple[str, ...]) -> Stage | None:
        run = await find(context, key)
        return await stages.stage_named(run.owner, run.reference, context, key[-1]) if run else None

    return find_stage


async def _group(context: Context, key: tuple[str, ...]) -> executions.ExecutionGroup | None:
    return await executions.group(context, key[0])


def _within_step(
    loader: Callable[[Context], KeyLoader[Any]], route: Callable[[str], str] = routes.execution_details
) -> Finder:
    """Return a finder of rows of a step's partition, which the step's execution and the row's route guard."""

    async def find(context: Context, key: tuple[str, ...]) -> Row | None:
        found, of = await context.scope.gather(loader(context).load(key), visible_step(context, key[0]))
        return found if of is not None and context.access.permits(route(of.execution_id)) else None

    return find


_DECLARED = (
    kind_of(ExecutionRow, _execution, Entity(("executionId",), executions.execution)),
    Kind("ExecutionGroup", 1, _group, Entity(("groupId",), executions.group)),
    kind_of(StepRow, _step, Entity(("pipelineExecutionId",), steps.step)),
    kind_of(InputRow, _input_file),
    kind_of(StepInputFileRow, _within_step(lambda context: context.loaders.step_input_files.by_key)),
    kind_of(
        InputMetadataRow, _within_step(lambda context: context.loaders.input_metadata.by_key, routes.execution_metadata)
    ),
    kind_of(OutputFileRow, _within_step(lambda context: context.loaders.output_files.by_key)),
    kind_of(
        OutputMetadataRow,
        _within_step(lambda context: context.loaders.output_metadata.by_key, routes.execution_metadata),
    ),
    kind_of(OutputResultRow, _within_step(lambda context: context.loaders.output_results.by_key)),
    Kind("RegisteredLog", 2, _registered_log),
    Kind("SubExecution", 2, _sub_execution),
    Kind("EngineExecution", 2, _engine_execution),
    Kind("RunEngineExecution", 1, _own_engine_execution),
    Kind("Stage", 3, _within_run(_engine_execution)),
    Kind("RunStage", 2, _within_run(_own_engine_execution)),
    Kind("MapRun", 3, _map_run_within(_engine_execution)),
    Kind("RunMapRun", 2, _map_run_within(_own_engine_execution)),
    Kind("ChildExecution", 3, _child_within(_engine_execution, 2)),
    Kind("RunChildExecution", 2, _child_within(_own_engine_execution, 1)),
    Kind("ChildStage", 4, _within_run(_child_within(_engine_execution, 2))),
    Kind("RunChildStage", 3, _within_run(_child_within(_own_engine_execution, 1))),
    definition(AssetRow, references.asset, "databaseId", "assetId"),
    definition(DatabaseRow, references.database, "databaseId"),
    definition(WorkflowRow, references.workflow, "databaseId", "workflowId"),
    definition(PipelineRow, references.pipeline, "databaseId", "pipelineId"),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _DECLARED}
_PARTS: Mapping[str, int] = {kind.name: kind.parts for kind in _DECLARED}
ENTITIES: Mapping[str, Entity] = {kind.name: kind.entity for kind in _DECLARED if kind.entity is not None}


def decode_id(text: str) -> GlobalId:
    """Return the kind and the key that a global id stands for.

    Raises:
        InvalidId: when it is none.
    """
    return ids.decode(text, _PARTS)
