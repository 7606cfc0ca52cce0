"""Whoever lacks a permission lacks it on every way: each way of the schema to each object, under each missing tier.

The ways are derived from the schema, and the objects by walking them. A new object type, a new way to one, or a new
argument that is required of a way fails here until this file knows it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError
from graphql import GraphQLNonNull, GraphQLObjectType, GraphQLOutputType, get_named_type, is_required_argument

from graph.auth import routes
from graph.auth.policy import Policy
from graph.demo.cloudwatch import EmbeddedLogs, Written
from graph.demo.logs import log_clients
from graph.demo.model import (
    Database,
    Metadata,
    OutputFile,
    OutputMetadata,
    OutputResult,
    Run,
    Step,
    StepLog,
    identifier,
)
from graph.demo.rows import Row, asset_row, built, database_row, pipeline_row, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.script import Script
from graph.demo.stepfunctions import EmbeddedStepFunctions, Machine, Played
from graph.resolvers.gate import require_details, require_logs, require_metadata
from graph.resolvers.kinds import ENTITIES, decode_id
from graph.schema.fields import GUARD
from graph.settings import Settings
from graph.tables import ids
from graph.tables.builders.inputs import StepInputFileRecord
from graph.tables.catalogue import CONFIGURATIONS
from graph.tables.writer import ChangeWriter
from tests.harness import SUBGRAPH, Graph
from tests.memory import NAMES, MemoryDatabase
from tests.worlds import PIPELINE, WORKFLOW, asset, deny, everything_but, graph_for, items, run, viewer

INPUT, SOURCE, OUTPUT = asset("inputs", "input-asset"), asset("sources", "source-asset"), asset("outputs", "output")
GONE = asset("gone", "gone-asset")
DATABASES = ("home", "inputs", "sources", "outputs", "gone", "named", "captured")


def _machine(arn: str) -> Machine:
    """A distributed Map, then a Parallel with a Task in its branch, then a Map whose Task fails."""
    items_ = {"ProcessorConfig": {"Mode": "DISTRIBUTED"}, "StartAt": "Item", "States": {"Item": {"Type": "Pass"}}}
    branch = {"StartAt": "Inner", "States": {"Inner": {"Type": "Task", "End": True}}}
    failing = {"Type": "Task", "End": True}
    states = {
        "Items": {"Type": "Map", "ItemProcessor": items_, "Next": "Outer"},
        "Outer": {"Type": "Parallel", "Branches": [branch], "Next": "Each"},
        "Each": {"Type": "Map", "End": True, "ItemProcessor": {"StartAt": "job", "States": {"job": failing}}},
    }
    return Machine(arn, {"StartAt": "Items", "States": states})


def _played(machine: Machine, name: str) -> Played:
    script = Script(datetime(2026, 7, 14, 0, 4, tzinfo=UTC))
    started = script.add("MapStateStarted", script.enter("Map", "Items", 0), length=0)
    running = script.add("MapRunStarted", started, mapRunArn=_map_run(machine, name))
    last = script.leave("Map", "Items", running)
    last = script.task("Inner", script.add("ParallelStateStarted", script.enter("Parallel", "Outer", last)))
    started = script.add(
        "MapStateStarted", script.enter("Map", "Each", script.leave("Parallel", "Outer", last)), length=1
    )
    item = script.add("MapIterationStarted", started, name="Each", index=0)
    failed = script.work(script.enter("Task", "job", item), error="Broken")
    script.add("MapIterationFailed", failed, name="Each", index=0)
    script.add("ExecutionFailed", script.add("MapStateFailed", failed, error="Broken"), error="Broken")
    counts = {"total": 1, "succeeded": 1}
    map_runs = {_map_run(machine, name): {"status": "SUCCEEDED", "executionCounts": counts}}
    return Played(machine, name, "FAILED", script.events, map_runs=map_runs)


def _item(machine: Machine, name: str) -> Played:
    """What the Map run of an execution started."""
    script = Script(datetime(2026, 7, 14, 0, 5, tzinfo=UTC))
    script.add("ExecutionSucceeded", script.task("Item", 0), output="{}")
    return Played(machine, f"{name}-item", "SUCCEEDED", script.events, map_run=_map_run(machine, name))


def _map_run(machine: Machine, name: str) -> str:
    return f"{machine.arn.replace(':stateMachine:', ':mapRun:')}/Items:{name}"


MACHINE = _machine("arn:aws:states:us-west-2:123456789012:stateMachine:inside")


def _step(name: str) -> Step:
    return Step(
        step_id=identifier("step", name),
        pipeline=PIPELINE,
        status="FAILED",
        started_at="2026-07-14T09:30:00Z",
        files=(OutputFile("a.glb", 1),),
        output_metadata=(OutputMetadata("/", "key", "value", "a.json"),),
        results=(OutputResult("/a.txt", "text"),),
        sub_executions=({"resourceType": "stepFunctionsExecution", "executionArn": MACHINE.execution(name)},),
        logs=(
            {"logGroupName": "/aws/batch/job", "logGroupArn": "", "logStreamName": name, "label": "Job"},
            {"logGroupName": "/gone", "logGroupArn": "", "logStreamName": name, "label": "Gone"},
        ),
        log=StepLog("result", "error"),
    )


def _run(name: str, minute: int, *, steps: int = 1, **changes: Any) -> Run:
    return run(
        name,
        INPUT,
        GONE,
        minute=minute,
        steps=tuple(_step(f"{name}-{number}") for number in range(steps)),
        status="FAILED",
        error="error",
        log="log",
        group_id=f"group-{name}",
        metadata=(Metadata("inputs", INPUT, "/", {"a": "b"}), Metadata("captured", None, "/", {"a": "b"})),
        named_database="named",
        source_assets=(SOURCE,),
        output_asset=OUTPUT,
        **changes,
    )


WHOLE, CUT_ASSETS, CUT_DATABASES = (
    _run("whole", 1, steps=2),
    _run("cut-assets", 2, source_assets_truncated=True),
    _run("cut-databases", 3),
)
RUNS = (WHOLE, CUT_ASSETS, CUT_DATABASES)


def _migrated_input(of: Run) -> Row:
    return built(
        StepInputFileRecord(
            pipeline_execution_id=of.steps[0].step_id,
            execution_id=of.execution_id,
            database_id=INPUT.database_id,
            asset_id=INPUT.asset_id,
            key="/old.step",
        )
    )


def _rows() -> Iterator[Row]:
    yield from (database_row(Database(name, "", 1)) for name in DATABASES)
    yield from map(asset_row, (INPUT, SOURCE, OUTPUT))
    yield pipeline_row(PIPELINE)
    yield workflow_row(WORKFLOW)
    for of in RUNS:
        for row in (*run_rows(of), _migrated_input(of)):
            is_cut = of is CUT_DATABASES and row.table is CONFIGURATIONS
            yield Row(row.table, row.attributes | {"metadataSourceDatabasesTruncated": True}) if is_cut else row


def _lines() -> Iterator[Written]:
    """A line in the source of each step."""
    at = round(datetime(2026, 7, 14, 0, 4, tzinfo=UTC).timestamp() * 1000)
    for of in RUNS:
        yield from (Written("/aws/batch/job", step.logs[0]["logStreamName"], at, "line") for step in of.steps)


def _states() -> EmbeddedStepFunctions:
    """An execution of each run's own machine, and of the machine that each step registered."""
    own = _machine(WORKFLOW.arn)
    inner = [step.sub_executions[0]["executionArn"].rpartition(":")[2] for of in RUNS for step in of.steps]
    each = [*((own, of.execution_id) for of in RUNS), *((MACHINE, name) for name in inner)]
    return EmbeddedStepFunctions([make(machine, name) for machine, name in each for make in (_played, _item)])


# ------------------------------------------------------------------------------------------------- the ways there are

TYPES = SUBGRAPH.core.type_map
NODE_TYPES = sorted(kind.name for kind in SUBGRAPH.core.get_possible_types(TYPES["Node"]))  # type: ignore[arg-type]
# Lines of the group that all executions share are of no source of a step.
NOWHERE = {"Execution.logEvents.nodes.source", "Execution.logEvents.edges.node.source", "MapRun.execution"}
# Every other warning is about what it stands beside.
WITH_SUBJECT = {"PipelineExecution.logEvents.warnings.subject", "RegisteredLog.events.warnings.subject"}
# What fields that have required arguments are asked with. Every other field is asked without any.
KEYS: Mapping[str, tuple[str, ...]] = {
    "execution": tuple(f'executionId: "{of.execution_id}"' for of in RUNS),
    "executionGroup": tuple(f'groupId: "{of.group_id}"' for of in RUNS),
    "pipelineExecution": tuple(f'pipelineExecutionId: "{step.step_id}"' for of in RUNS for step in of.steps),
    "workflow": (f'databaseId: "{WORKFLOW.database_id}", workflowId: "{WORKFLOW.workflow_id}"',),
    "pipeline": (f'databaseId: "{PIPELINE.database_id}", pipelineId: "{PIPELINE.pipeline_id}"',),
    "asset": tuple(f'databaseId: "{one.database_id}", assetId: "{one.asset_id}"' for one in (INPUT, SOURCE, OUTPUT)),
    "database": tuple(f'databaseId: "{name}"' for name in DATABASES),
}
# A representation has the arguments of the root of its type for a key.
REPRESENTATIONS = tuple(
    f'{{ __typename: "{get_named_type(root.type).name}", {key} }}'
    for name, root in SUBGRAPH.core.query_type.fields.items()  # type: ignore[union-attr]
    for key in KEYS.get(name, ())
)
ROOTS = {**KEYS, "_entities": tuple(f"representations: [{one}]" for one in REPRESENTATIONS)}
LOG_IDS = "LOG_ID"  # stands for the log id of the step at hand
BELOW: Mapping[tuple[str, str], str] = {
    ("PipelineExecution", "registeredLog"): f'logId: "{LOG_IDS}"',
    ("Stage", "visit"): "enteredEventId: 2",  # of the first state
    ("MapRun", "execution"): 'name: "nothing"',  # each of its own name is tried in test_map_runs
}

Path = tuple[str, ...]


def _paths(kind: GraphQLObjectType, seen: frozenset[str] = frozenset()) -> Iterator[Path]:
    """The ways from a type to objects with an id, through types without one."""
    for name, of in kind.fields.items():
        target = get_named_type(of.type)
        if target.name in ("Node", "_Entity") or target.name in NODE_TYPES:
            yield (name,)
        elif isinstance(target, GraphQLObjectType) and target.name not in seen:
            yield from ((name, *rest) for rest in _paths(target, seen | {target.name}))


def _object_type(name: str) -> GraphQLObjectType:
    kind = TYPES[name]
    assert isinstance(kind, GraphQLObjectType)
    return kind


WAYS = {name: list(_paths(_object_type(name))) for name in NODE_TYPES}
ROOT_WAYS = [path for path in _paths(_object_type("Query")) if path[0] not in ("node", "nodes")]


def _selection(kind: str, path: Path, log_id: str = "") -> str:
    """A field with the fields below it, down to the id."""
    name, *rest = path
    arguments = BELOW.get((kind, name), "").replace(LOG_IDS, log_id)
    field_ = _object_type(kind).fields[name]
    target = get_named_type(field_.type).name
    missing = [each for each, argument in field_.args.items() if is_required_argument(argument)]
    assert bool(arguments) or not missing, f"{kind}.{name} requires {missing}: say in BELOW what to ask it with"
    below = _selection(target, tuple(rest), log_id) if rest else "id __typename"
    return f"{name}{f'({arguments})' if arguments else ''} {{ {below} }}"


@dataclass(frozen=True)
class Way:
    """A field that leads to objects, from the root (no parent) or from an object, itself got by id or from a list."""

    path: Path
    document: str
    kind: str = "Query"
    parent: str | None = None
    is_row: bool = False

    @property
    def name(self) -> str:
        return ".".join((self.kind, *self.path))

    @property
    def ends_in_list(self) -> bool:
        """Whether it leads to the rows of a list of executions."""
        return self.path[0] == "executions"


def _root_ways() -> Iterator[Way]:
    for path in ROOT_WAYS:
        root = _object_type("Query").fields[path[0]]
        is_called = any(is_required_argument(argument) for argument in root.args.values())
        assert not is_called or path[0] in ROOTS, f"say in ROOTS what to ask Query.{path[0]} with"
        bare = _selection("Query", path) if not is_called else ""
        for arguments in ROOTS.get(path[0], ("",)):
            rest = f"{{ {_selection(_named(root.type), path[1:]) if path[1:] else '... on Node { id __typename }'} }}"
            yield Way(path, bare or f"{path[0]}({arguments}) {rest}")


def _named(of: GraphQLOutputType) -> str:
    return get_named_type(of).name


def _ways_from(kind: str, object_id: str, log_ids: Mapping[str, str]) -> Iterator[Way]:
    for path in WAYS[kind]:
        selection = _selection(kind, path, log_ids.get(object_id, ""))
        yield Way(path, f'node(id: "{object_id}") {{ ... on {kind} {{ {selection} }} }}', kind, object_id)
        if kind == "Execution":
            execution_id = decode_id(object_id).parts[0]
            (group,) = (of.group_id for of in RUNS if of.execution_id == execution_id)
            rows = f'executions(filter: {{ groupId: "{group}" }}) {{ nodes {{ {selection} }} }}'
            yield Way(path, rows, kind, object_id, is_row=True)


@dataclass
class Reached:
    """What an answer gives on each way: ids with their types, and whether a field was refused."""

    ids: dict[Way, dict[str, str]] = field(default_factory=dict)
    refused: set[Way] = field(default_factory=set)


async def _follow(graph: Graph, ways: Iterable[Way], user: str) -> Reached:
    numbered = list(ways)
    document = "{ " + "\n".join(f"w{number}: {way.document}" for number, way in enumerate(numbered)) + " }"
    answer = await graph.ask(document, viewer=viewer(user))
    assert answer.data is not None, answer.errors
    found = Reached()
    for number, way in enumerate(numbered):
        found.ids[way] = dict(_objects(answer.data[f"w{number}"]))
    for error in answer.errors:
        assert error["extensions"]["code"] == "FORBIDDEN", error
        found.refused.add(numbered[int(str(error["path"][0])[1:])])
    return found


def _objects(data: Any) -> Iterator[tuple[str, str]]:
    match data:
        case {"id": str(found), "__typename": str(kind)}:
            yield found, kind
        case dict():
            yield from chain.from_iterable(map(_objects, data.values()))
        case list():
            yield from chain.from_iterable(map(_objects, data))


@dataclass
class World:
    """Every object, and every way to it, as one sees them who may see everything."""

    objects: dict[str, str]
    ways: Reached


async def _discover(graph: Graph) -> World:
    found = await _follow(graph, _root_ways(), "admin")
    objects: dict[str, str] = {}
    fresh = {key: kind for each in found.ids.values() for key, kind in each.items()}
    while fresh:
        objects |= fresh
        log_ids = await _log_ids(graph, fresh)
        steps = await _follow(
            graph, chain.from_iterable(_ways_from(kind, key, log_ids) for key, kind in fresh.items()), "admin"
        )
        found.ids |= steps.ids
        found.refused |= steps.refused
        fresh = {key: kind for each in steps.ids.values() for key, kind in each.items() if key not in objects}
    assert not found.refused
    return World(objects, found)


async def _log_ids(graph: Graph, objects: Mapping[str, str]) -> dict[str, str]:
    steps = [key for key, kind in objects.items() if kind == "PipelineExecution"]
    document = (
        "query($ids: [ID!]!) { nodes(ids: $ids) { ... on PipelineExecution { registeredLogs { nodes { logId } } } } }"
    )
    answer = await graph.data(document, viewer=viewer("admin"), ids=steps)
    return {
        step: node["registeredLogs"]["nodes"][0]["logId"] for step, node in zip(steps, answer["nodes"], strict=True)
    }


# --------------------------------------------------------------------------------------------- what is hidden by what


def _is_of(of: Run, object_id: str) -> bool:
    """Whether an object belongs to a run; its group has no other run."""
    kind, parts = decode_id(object_id).kind, decode_id(object_id).parts
    match kind:
        case "Execution" | "InputFile":
            return parts[0] == of.execution_id
        case _ if kind.startswith("Run"):
            return parts[0] == of.execution_id
        case "PipelineExecution":
            return parts[1] == of.execution_id
        case "ExecutionGroup":
            return parts[0] == of.group_id
        case "Asset" | "Database" | "Workflow" | "Pipeline":
            return False
        case _:
            return parts[0] in {step.step_id for step in of.steps}


@dataclass(frozen=True)
class Tier:
    """A permission that is missing, and what that hides: whole runs, single objects, kinds of objects, fields."""

    name: str
    policy: Policy
    runs: tuple[Run, ...] = ()
    objects: tuple[tuple[str, ...], ...] = ()
    kinds: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    rows_stay: bool = False

    def hides(self, object_id: str) -> bool:
        decoded = decode_id(object_id)
        kind = "InputFile" if decoded.kind == "MigratedInputFile" else decoded.kind
        return (
            any(_is_of(of, object_id) for of in self.runs)
            or (decoded.kind, *decoded.parts) in self.objects
            or kind in self.kinds
        )

    def refuses(self, way: Way) -> bool:
        return f"{way.kind}.{way.path[0]}" in self.refused


def _route(name: str, path: str, operator: str = "equals", **hidden: Any) -> Tier:
    return Tier(name, everything_but(deny("api", "route__path", operator, path)), **hidden)


def _object(name: str, kind: str, field_: str, value: str, **hidden: Any) -> Tier:
    return Tier(name, everything_but(deny(kind, field_, "equals", value)), **hidden)


# A rule about nothing that exists: the policy allows everything there is, and yet not everything there could be.
_NOT_QUITE_ALL_ASSETS = everything_but(deny("asset", "databaseId", "equals", "elsewhere"))
_NOT_QUITE_ALL_DATABASES = everything_but(deny("database", "databaseId", "equals", "elsewhere"))
_OF_RUNS = frozenset(
    {"Execution", "PipelineExecution", "InputFile", "InputMetadata", "OutputFile", "OutputMetadata", "OutputResult"}
    | {"RegisteredLog", "SubExecution", "EngineExecution", "RunEngineExecution", "Stage", "RunStage"}
    | {"MapRun", "RunMapRun", "ChildExecution", "RunChildExecution", "ChildStage", "RunChildStage"}
)
_BEYOND_ROWS = frozenset(f"Execution.{path[0]}" for path in WAYS["Execution"])
_METADATA = frozenset(
    f"{kind}.{name}" for kind in ("Execution", "PipelineExecution") for name in ("inputMetadata", "outputMetadata")
)
_LINES = frozenset({"Execution.logEvents", "PipelineExecution.logEvents", "RegisteredLog.events"})

TIERS = (
    Tier("nothing", everything_but()),
    _object("workflow", "workflow", "workflowId", "nightly", runs=RUNS, objects=(("Workflow", "home", "nightly"),)),
    _object("database named", "database", "databaseId", "named", runs=RUNS, objects=(("Database", "named"),)),
    _object("database captured", "database", "databaseId", "captured", runs=RUNS, objects=(("Database", "captured"),)),
    _object("input asset", "asset", "databaseId", "inputs", runs=RUNS, objects=(("Asset", "inputs", "input-asset"),)),
    _object(
        "source asset", "asset", "databaseId", "sources", runs=RUNS, objects=(("Asset", "sources", "source-asset"),)
    ),
    _object("output asset", "asset", "databaseId", "outputs", runs=RUNS, objects=(("Asset", "outputs", "output"),)),
    _object("deleted asset's database", "database", "databaseId", "gone", runs=RUNS, objects=(("Database", "gone"),)),
    Tier("truncated source assets", _NOT_QUITE_ALL_ASSETS, runs=(CUT_ASSETS,)),
    # An asset that is not named may be one that is gone, which is judged by its database.
    Tier("truncated source databases", _NOT_QUITE_ALL_DATABASES, runs=(CUT_ASSETS, CUT_DATABASES)),
    _object("pipeline", "pipeline", "pipelineId", "convert", kinds=frozenset({"Pipeline"})),
    _route(
        "route of the list",
        routes.EXECUTIONS,
        kinds=frozenset({"ExecutionGroup"}),
        refused=frozenset({"Query.executions", "Workflow.executions", "ExecutionGroup.executions"}),
    ),
    _route("route of details", "/details", "ends_with", kinds=_OF_RUNS, refused=_BEYOND_ROWS, rows_stay=True),
    _route(
        "route of metadata",
        "/metadata",
        "ends_with",
        kinds=frozenset({"InputMetadata", "OutputMetadata"}),
        refused=_METADATA,
    ),
    _route("route of logs", "/logs", "ends_with", refused=_LINES),
    _route("route of the asset", routes.asset("inputs", "input-asset"), objects=(("Asset", "inputs", "input-asset"),)),
    _route(
        "route of the asset's history",
        "/assets/.*/workflows/executions",
        "ends_with",
        refused=frozenset({"Asset.executions", "Asset.migratedInputFiles"}),
    ),
    _route("route of the database", routes.database("captured"), objects=(("Database", "captured"),)),
    _route("route of the workflow", routes.workflow("home", "nightly"), kinds=frozenset({"Workflow"})),
    _route("route of the pipeline", routes.pipeline("home", "convert"), kinds=frozenset({"Pipeline"})),
)
each_tier = pytest.mark.parametrize("tier", TIERS, ids=lambda tier: tier.name)


DATABASE = MemoryDatabase(items(_rows()))


@pytest.fixture(params=[True, False], ids=["plans", "graphql-core"])
def graph(request: pytest.FixtureRequest) -> Iterator[Graph]:
    """The graph by either executor: a verdict may depend on neither."""
    policies = {"admin": everything_but(), **{tier.name: tier.policy for tier in TIERS}}
    settings = Settings(
        cursor_secrets=["a secret of the tests"],
        fast_execution=request.param,
        history_pages_per_operation=1_000,  # many ways are asked together
    )
    clients = replace(log_clients(), logs=EmbeddedLogs(_lines()), states=_states())
    with graph_for(DATABASE, policies, settings, logs=clients, schema=SUBGRAPH) as graph:
        yield graph


_WORLD: list[World] = []


@pytest.fixture
async def world(graph: Graph) -> World:
    if not _WORLD:
        _WORLD.append(await _discover(graph))
    return _WORLD[0]


async def test_every_type_and_every_way_is_there_to_be_judged(world: World) -> None:
    assert set(world.objects.values()) == set(NODE_TYPES)
    led_somewhere = {way.name for way, found in world.ways.ids.items() if found}
    ways = [*(f"Query.{'.'.join(path)}" for path in ROOT_WAYS)]
    ways += [".".join((kind, *path)) for kind, paths in WAYS.items() for path in paths]
    subjects = {way for way in ways if way.endswith(("Warning.subject", "warnings.subject"))}
    assert set(ways) - led_somewhere == NOWHERE | (subjects - WITH_SUBJECT)


@each_tier
async def test_every_way_gives_the_same_verdict(tier: Tier, graph: Graph, world: World) -> None:
    reached = await _follow(graph, world.ways.ids, tier.name)
    wrong: dict[str, Any] = defaultdict(list)
    for way, all_ids in world.ways.ids.items():
        expected, is_refused = _expected(tier, way, all_ids)
        if (set(reached.ids[way]), way in reached.refused) != (expected, is_refused):
            wrong[way.name].append((way.document, set(reached.ids[way]) ^ expected, is_refused))
    assert not wrong


def _expected(tier: Tier, way: Way, all_ids: Mapping[str, str]) -> tuple[set[str], bool]:
    """The ids that a way should give, and whether it should be refused."""
    if way.is_row:
        listed = not any(_is_of(of, way.parent or "") for of in tier.runs)
        if "Query.executions" in tier.refused:
            return set(), True
        if not listed:
            return set(), False
    elif way.parent is not None and tier.hides(way.parent):
        return set(), False
    if tier.refuses(way):
        return set(), True
    return {key for key in all_ids if not _hides_at(tier, way, key)}, False


def _hides_at(tier: Tier, way: Way, object_id: str) -> bool:
    """A list shows the rows of executions whose details are closed, and so does the history of an asset."""
    if way.ends_in_list and tier.rows_stay and decode_id(object_id).kind == "Execution":
        return False
    return tier.hides(object_id)


@pytest.mark.parametrize("seed", range(2))
async def test_no_verdict_depends_on_the_order_of_the_fields(seed: int, graph: Graph, world: World) -> None:
    for tier in TIERS[1:10:3]:
        shuffled = list(world.ways.ids)
        Random(seed).shuffle(shuffled)  # noqa: S311 - any order will do
        reached = await _follow(graph, shuffled, tier.name)
        in_order = await _follow(graph, world.ways.ids, tier.name)
        assert (reached.ids, reached.refused) == (in_order.ids, in_order.refused)


@each_tier
async def test_many_nodes_give_the_verdict_of_one(tier: Tier, graph: Graph, world: World) -> None:
    shown = [key for key in world.objects if not tier.hides(key)]
    document = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }"
    keys_ = list(world.objects)
    for start in range(0, len(keys_), 100):
        part = keys_[start : start + 100]
        answer = await graph.ask(document, viewer=viewer(tier.name), ids=part)
        assert answer.errors == []
        assert answer.data == {"nodes": [{"id": key} if key in shown else None for key in part]}


@each_tier
async def test_many_entities_give_the_verdict_of_one(tier: Tier, graph: Graph, world: World) -> None:
    document = f"{{ _entities(representations: [{' '.join(REPRESENTATIONS)}]) {{ ... on Node {{ id }} }} }}"
    everything = (await graph.data(document, viewer=viewer("admin")))["_entities"]
    assert {world.objects[one["id"]] for one in everything} == set(ENTITIES)
    answer = await graph.ask(document, viewer=viewer(tier.name))
    assert answer.errors == []
    assert answer.data == {"_entities": [None if tier.hides(one["id"]) else one for one in everything]}


async def test_nobody_sees_anything(graph: Graph, world: World) -> None:
    reached = await _follow(graph, world.ways.ids, "nobody")
    assert not any(reached.ids.values())
    assert all(way.is_row or way.path[0] == "executions" for way in reached.refused)


# ------------------------------------------------------------------------------------------------- the fields there are

_ROUTES_OF_GUARDS = {
    require_details: {"route of details"},
    require_metadata: {"route of details", "route of metadata"},
    require_logs: {"route of details", "route of logs"},
}
_SUB_EXECUTIONS = "subExecutions { nodes { %s } }"
WITHIN_STEPS = {
    "RegisteredLog": "registeredLogs(first: 1) { nodes { ... } }",
    "SubExecution": _SUB_EXECUTIONS % "...",
    "EngineExecution": _SUB_EXECUTIONS % "engineExecution { ... }",
    "HistoryEvent": _SUB_EXECUTIONS % "engineExecution { history(first: 1) { nodes { ... } } }",
    "Stage": _SUB_EXECUTIONS % "stages(first: 1) { nodes { ... } }",
    "MapRun": _SUB_EXECUTIONS % "stages(first: 1) { nodes { mapRun { ... } } }",
}
GUARDED = [
    (kind, name, of.extensions["strawberry-definition"].metadata[GUARD])
    for kind, of_kind in TYPES.items()
    if isinstance(of_kind, GraphQLObjectType) and not kind.startswith("__")
    for name, of in of_kind.fields.items()
    if GUARD in of.extensions["strawberry-definition"].metadata
]


@pytest.mark.parametrize("name", ["details", "metadata", "logs"])
async def test_every_guarded_field_needs_its_routes(name: str, graph: Graph, world: World) -> None:
    tier = next(tier for tier in TIERS if tier.name == f"route of {name}")
    for kind, field_, guard in GUARDED:
        target = get_named_type(_object_type(kind).fields[field_].type)
        below = " { __typename }" if isinstance(target, GraphQLObjectType) else ""
        rows = f'executions(filter: {{ groupId: "{WHOLE.group_id}" }}) {{ nodes {{ answer: {field_}{below} }} }}'
        step = f'pipelineExecution(pipelineExecutionId: "{WHOLE.steps[0].step_id}") {{ answer: {field_}{below} }}'
        if kind in WITHIN_STEPS:
            answered = f"answer: {field_}{below}"
            step = step.replace(answered, WITHIN_STEPS[kind].replace("...", answered))
        if kind != "Execution" and tier.hides(
            ids.encode("PipelineExecution", WHOLE.steps[0].step_id, WHOLE.execution_id)
        ):
            continue
        answer = await graph.ask(f"{{ {rows if kind == 'Execution' else step} }}", viewer=viewer(tier.name))
        expected = ["FORBIDDEN"] if tier.name in _ROUTES_OF_GUARDS[guard] else []
        assert answer.codes == expected, f"{kind}.{field_}"


def test_every_guarded_field_is_nullable() -> None:
    assert GUARDED
    for kind, name, _ in GUARDED:
        assert not isinstance(_object_type(kind).fields[name].type, GraphQLNonNull), f"{kind}.{name}"


def test_every_field_that_leads_to_an_object_is_nullable_or_a_row_of_a_page() -> None:
    for kind, of_kind in TYPES.items():
        if not isinstance(of_kind, GraphQLObjectType) or kind.startswith("__") or kind.endswith(("Connection", "Edge")):
            continue
        for name, of in of_kind.fields.items():
            target = _named(of.type)
            if target == "Node" or target in NODE_TYPES or target.endswith("Connection"):
                is_list = name == "nodes"
                assert is_list or not isinstance(of.type, GraphQLNonNull), f"{kind}.{name}"


# --------------------------------------------------------------------------------------------- what changes something

# What each mutation is asked with, of a run and of its group.
CHANGES: Mapping[str, str] = {
    "abortExecution": 'abortExecution(input: {{ executionId: "{run}" }}) {{ __typename }}',
    "abortExecutionGroup": 'abortExecutionGroup(input: {{ groupId: "{group}" }}) {{ isComplete }}',
    "deleteExecution": 'deleteExecution(input: {{ executionId: "{run}", confirm: true }}) {{ __typename }}',
}
OF_RUN = frozenset({"abortExecution", "deleteExecution"})


@dataclass(frozen=True)
class Right:
    """A right to change that is missing, what it forbids, and of which runs; all of them are still seen."""

    name: str
    policy: Policy
    forbids: frozenset[str] = OF_RUN
    runs: tuple[Run, ...] = RUNS


def _post(name: str, kind: str, value: str, runs: tuple[Run, ...] = RUNS) -> Right:
    return Right(name, everything_but(deny(kind, "databaseId", "equals", value, "POST")), runs=runs)


def _delete(name: str, path: str, mutation: str) -> Right:
    policy = everything_but(deny("api", "route__path", "equals", path, "DELETE"))
    return Right(name, policy, frozenset({mutation}), (WHOLE,))


RIGHTS = (
    _delete("route of abort", routes.execution(WHOLE.execution_id), "abortExecution"),
    _delete("route of deletion", routes.execution_permanent(WHOLE.execution_id), "deleteExecution"),
    _post("POST of the input asset", "asset", "inputs"),
    _post("POST of the source asset", "asset", "sources"),
    _post("POST of the output asset", "asset", "outputs"),
    _post("POST of the deleted asset's database", "database", "gone"),
    _post("POST of an asset that may be among those that are not named", "asset", "elsewhere", (CUT_ASSETS,)),
)


class _Unwritable:
    """A client of DynamoDB that refuses to write, by which it can be told that somebody was about to."""

    def __getattr__(self, name: str) -> Any:
        def refuse(**_: Any) -> None:
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": ""}}, name)

        return refuse


@pytest.fixture
def acting() -> Iterator[Graph]:
    """The graph with actions: the runs have ended, so that aborting them changes nothing, and deleting them fails."""
    policies = {"admin": everything_but(), **{one.name: one.policy for one in (*TIERS, *RIGHTS)}}
    settings = Settings(cursor_secrets=["a secret of the tests"], actions=True, delete_executions=True)
    changes = ChangeWriter(_Unwritable(), NAMES, attempts=1)
    clients = replace(log_clients(), logs=EmbeddedLogs(_lines()), states=_states())
    with graph_for(DATABASE, policies, settings, logs=clients, schema=SUBGRAPH, changes=changes) as graph:
        yield graph


async def _verdict(graph: Graph, mutation: str, of: Run, user: str) -> str:
    """What somebody is told who would change a run: nothing, or that it is forbidden, or else that it was tried."""
    text = CHANGES[mutation].format(run=of.execution_id, group=of.group_id)
    answer = await graph.ask(f"mutation {{ {text} }}", viewer=viewer(user))
    assert answer.data is not None
    if answer.codes == ["UPSTREAM_UNAVAILABLE"] or answer.data[mutation] is not None:
        return "tried"
    assert answer.codes in ([], ["FORBIDDEN"])
    return "forbidden" if answer.codes else "nothing"


def test_every_mutation_is_there_to_be_judged() -> None:
    assert SUBGRAPH.core.mutation_type is not None
    assert set(SUBGRAPH.core.mutation_type.fields) == set(CHANGES)


@each_tier
@pytest.mark.parametrize("mutation", CHANGES)
async def test_nobody_changes_what_they_do_not_see(mutation: str, tier: Tier, acting: Graph) -> None:
    for of in RUNS:
        kind = "ExecutionGroup" if "Group" in mutation else "Execution"
        key = (of.group_id,) if kind == "ExecutionGroup" else (of.execution_id, "home:nightly")
        expected = "nothing" if tier.hides(ids.encode(kind, *key)) else "tried"
        assert await _verdict(acting, mutation, of, tier.name) == expected


@pytest.mark.parametrize("right", RIGHTS, ids=lambda right: right.name)
@pytest.mark.parametrize("mutation", CHANGES)
async def test_nobody_changes_what_they_only_see(mutation: str, right: Right, acting: Graph) -> None:
    for of in RUNS:
        expected = "forbidden" if mutation in right.forbids and of in right.runs else "tried"
        assert await _verdict(acting, mutation, of, right.name) == expected


@pytest.mark.parametrize("mutation", CHANGES)
async def test_nobody_changes_anything(mutation: str, acting: Graph) -> None:
    assert [await _verdict(acting, mutation, of, "nobody") for of in RUNS] == ["nothing"] * len(RUNS)


@each_tier
async def test_what_is_hidden_costs_as_much_as_what_is_not_there(tier: Tier, acting: Graph) -> None:
    for of in RUNS:
        if not tier.hides(ids.encode("Execution", of.execution_id, "home:nightly")):
            continue
        texts = {}
        for name, run_id in (("hidden", of.execution_id), ("absent", identifier("absent"))):
            text = CHANGES["abortExecution"].format(run=run_id, group="")
            answer = await acting.ask(f"mutation {{ {text} }}", viewer=viewer(tier.name))
            texts[name] = (answer.data, answer.errors)
        assert texts["hidden"] == texts["absent"]
