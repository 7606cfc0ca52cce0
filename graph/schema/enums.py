"""The enumerations of the graph, over those that the rows are decoded to."""

import strawberry

from graph.engines import engine, inside
from graph.history import StageStatus, StageTransitionKind
from graph.logs import reading, sources
from graph.resolvers import paging
from graph.tables import keys, states

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
    inside.StageSource,
    description="What stages are known from: the definition, the history alone, or nothing that could be read.",
)
strawberry.enum(
    StageStatus,
    description=(
        "What became of a state. CAUGHT: it failed and a Catch took over. NOT_STARTED: it was not entered, in a "
        "history that was read whole. UNKNOWN: the events that tell were not read."
    ),
)
strawberry.enum(StageTransitionKind, description="When a transition is taken.")
strawberry.enum(
    paging.ShortPageReason,
    description="Why a page holds fewer rows than asked although more may follow. Its endCursor goes on from there.",
)
