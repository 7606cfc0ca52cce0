"""The enumerations of the graph, over those that the rows are decoded to."""

from enum import Enum

import strawberry

from graph import execution_warnings
from graph.actions.abort import AbortOutcome
from graph.engines import engine, run_detail
from graph.execution.strawberry_internals import enum_definition
from graph.history import StageStatus, StageTransitionKind
from graph.logs import reading, sources
from graph.resolvers import paging
from graph.tables import keys, states


def _describe(kind: type[Enum], **members: str) -> None:
    """Describe the members of an enumeration, all of them, whose class is not the schema's own."""
    definition = enum_definition(kind)
    for value in definition.values:
        value.description = members.pop(value.name)


strawberry.enum(
    states.ExecutionStatus,
    description="How far an execution or a step has come. A stored text that is none of these is UNKNOWN.",
)
strawberry.enum(
    states.StatusSource,
    description=(
        "Where a status comes from. STORED: as the row says. LIVE: the engine was asked, because the stored status was "
        "not terminal and stale. DERIVED: the row is not terminal, but its run is."
    ),
)
strawberry.enum(states.TriggerType, description="What started an execution.")
strawberry.enum(states.PipelineExecutionType, description="The service that runs a pipeline.")
strawberry.enum(states.OutputLocationType, description="Where an execution writes to: an asset, or its results alone.")
strawberry.enum(states.OutputFileType, description="What an output file is.")
strawberry.enum(states.MetadataScope, description="What metadata was captured from.")
strawberry.enum(states.AssetStatus, description="Whether an asset is in use.")
strawberry.enum(states.AssetRole, description="Which way an execution touched an asset.")
strawberry.enum(keys.FileSelection, description="What an input selects.")
strawberry.enum(sources.LogKind, description="How a log source became known.")
strawberry.enum(sources.LogSourceType, description="The service that writes to a log source.")
strawberry.enum(
    reading.LogReadStatus,
    description=(
        "How the reading of a log went. READ: it has lines. EMPTY: it has none, or no more. DENIED: the server may not "
        "read it. NOT_FOUND: it does not exist. ERROR: it could not be read. SKIPPED: it is one more than an operation "
        "reads. UNSCOPED: the stream of its job is not known, so that all streams that could be were searched for the "
        "ids of the execution and the step."
    ),
)
strawberry.enum(engine.EngineName, name="Engine", description="The service that ran a state machine or a flow.")
strawberry.enum(engine.RedriveStatus, description="Whether a run can be redriven.")
strawberry.enum(
    run_detail.StageSource,
    description="What stages are known from: the definition, the history alone, or nothing that could be read.",
)
strawberry.enum(
    StageStatus,
    description=(
        "What became of a state. CAUGHT: it failed and a Catch took over. NOT_STARTED: it was not entered, in a "
        "history that was read whole. UNKNOWN: the events that tell were not read."
    ),
)
strawberry.enum(
    AbortOutcome,
    description=(
        "How an abort ended. ALREADY_TERMINAL: the run had ended. INCOMPLETE: it stopped in part, and a repeat goes "
        "on. FAILED: nothing of it changed; of members of a group only."
    ),
)
strawberry.enum(StageTransitionKind, description="When a transition is taken.")
_describe(
    strawberry.enum(
        execution_warnings.ExecutionWarningCode,
        description="May grow in any release: clients show the message of a code that they do not know.",
    ),
    HISTORY_CUT="A history is longer than what is read of one.",
    HISTORY_UNAVAILABLE="A history could not be read, or not to its end.",
    HISTORY_NOT_KEPT="The engine keeps no history of such a run.",
    OPERATION_BUDGET="The operation had no reads or no time left; one that asks for less comes further.",
    ENGINE_DENIED="The server may not ask the service that runs it.",
    ENGINE_UNAVAILABLE="The service that runs it did not answer, or with what is not known.",
    RUN_GONE="The engine has forgotten the run.",
    EVENT_UNKNOWN="A history has events of types that are not known.",
    INDEX_UNKNOWN="The engine does not tell which branch or iteration it was.",
    DEFINITION_UNAVAILABLE="The definition could not be read, so that stages are told from the history alone.",
    DEFINITION_ODD="The definition contradicts itself.",
    STAGES_CUT="There are more stages, or stages nested deeper, than are shown.",
    REGISTRATION_INCOMPLETE="A step registered something without what is needed to find it.",
    NOT_FOLLOWED="What was registered is of a type whose service is not asked.",
    JOB_GONE="The service has forgotten the job.",
    STREAM_UNKNOWN="The log stream of a job is not known.",
    STREAM_MISMATCH="A job writes to another log group than was registered.",
    LOG_DENIED="The server may not read the log.",
    LOG_NOT_FOUND="The log, or a stream of it, does not exist, or not any more.",
    LOG_UNAVAILABLE="The log could not be read.",
    LOG_SKIPPED="There are more logs than one operation reads.",
    LINES_LEFT_OUT="Lines of a log were left out.",
    WATCH_LIMIT="There is more to watch than is watched.",
    STOP_FAILED="Something could not be stopped.",
    STOP_UNSUPPORTED="Something cannot be stopped from here.",
    WRITE_FAILED="Something was done and could not be noted.",
    CLEANUP_LEFT="Something was left that is to be removed.",
)
strawberry.enum(
    paging.ShortPageReason,
    description="Why a page holds fewer rows than asked although more may follow. Its endCursor goes on from there.",
)
