"""Objects by global id. Each kind is found by its key and passes the gate of the object that it belongs to."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from graph.auth import routes
from graph.context import Context
from graph.errors import BadUserInput
from graph.loaders.base import KeyLoader
from graph.operation import OperationScope
from graph.resolvers import engine_executions, executions, logs, references, stages, sub_executions
from graph.resolvers.engine_executions import EngineExecution
from graph.resolvers.gate import visible, visible_execution, visible_step
from graph.resolvers.inside import Stage
from graph.resolvers.registered import SubExecution, with_digest
from graph.tables import ids, keys
from graph.tables.ids import GlobalId
from graph.tables.records.executions import ExecutionRow
from graph.tables.records.steps import StepRow
from graph.tables.rows import Row

MOST = 100

Finder = Callable[[Context, tuple[str, ...]], Awaitable[Any]]


async def node(context: Context, text: str) -> Any:
    """The object of a global id, if there is one and the viewer may see it.

    Raises:
        InvalidId: when the text is no global id.
    """
    decoded: GlobalId = ids.decode(text)
    return await _FINDERS[decoded.kind](context, decoded.parts)


async def nodes(context: Context, texts: Sequence[str]) -> list[Any]:
    """The objects of some global ids, in their order; the error of one stands in its place.

    Raises:
        BadUserInput: for more than a hundred ids.
    """
    if len(texts) > MOST:
        raise BadUserInput(f"'ids' takes at most {MOST} ids.")

    return await gather_settled(context.scope, (partial(node, context, text) for text in texts))


async def gather_settled(scope: OperationScope, finds: Iterable[Callable[[], Awaitable[Any]]]) -> list[Any]:
    """Finds some objects together; the error of one stands in its place. None is begun that is given up before."""

    async def settled(find: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await find()
        except Exception as error:  # of any kind: a list is never null for one of its objects
            return error

    return list(await scope.gather(*map(settled, finds)))


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


def _within_run(find: Callable[[Context, tuple[str, ...]], Awaitable[EngineExecution | None]]) -> Finder:
    """Finds a stage by the key of its run and its name."""

    async def find_stage(context: Context, key: tuple[str, ...]) -> Stage | None:
        run = await find(context, key)
        return await stages.stage_named(run.owner, run.reference, context, key[-1]) if run else None

    return find_stage


async def _group(context: Context, key: tuple[str, ...]) -> executions.ExecutionGroup | None:
    return await executions.group(context, key[0])


def _within_step(
    loader: Callable[[Context], KeyLoader[Any]], route: Callable[[str], str] = routes.execution_details
) -> Finder:
    """Finds a row whose partition is a step, which leads to the execution that guards it and to the row's own route."""

    async def find(context: Context, key: tuple[str, ...]) -> Row | None:
        found, of = await context.scope.gather(loader(context).load(key), visible_step(context, key[0]))
        return found if of is not None and context.access.permits(route(of.execution_id)) else None

    return find


def _defined(find: Callable[..., Awaitable[Row | None]]) -> Finder:
    return lambda context, key: find(context, *key)


_FINDERS: Mapping[str, Finder] = {
    "Execution": _execution,
    "ExecutionGroup": _group,
    "PipelineExecution": _step,
    "InputFile": _input_file,
    "MigratedInputFile": _within_step(lambda context: context.loaders.step_input_files.by_key),
    "InputMetadata": _within_step(lambda context: context.loaders.input_metadata.by_key, routes.execution_metadata),
    "OutputFile": _within_step(lambda context: context.loaders.output_files.by_key),
    "OutputMetadata": _within_step(lambda context: context.loaders.output_metadata.by_key, routes.execution_metadata),
    "OutputResult": _within_step(lambda context: context.loaders.output_results.by_key),
    "RegisteredLog": _registered_log,
    "SubExecution": _sub_execution,
    "EngineExecution": _engine_execution,
    "RunEngineExecution": _own_engine_execution,
    "Stage": _within_run(_engine_execution),
    "RunStage": _within_run(_own_engine_execution),
    "Asset": _defined(references.asset),
    "Database": _defined(references.database),
    "Workflow": _defined(references.workflow),
    "Pipeline": _defined(references.pipeline),
}
