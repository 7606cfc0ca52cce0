"""Types that stand in files which know each other, by name."""

from typing import TYPE_CHECKING, Annotated

import strawberry

if TYPE_CHECKING:
    from graph.schema.asset import Asset, Database
    from graph.schema.definitions import Pipeline, Workflow
    from graph.schema.engine import EngineExecution, SubExecution
    from graph.schema.execution import Execution, ExecutionGroup
    from graph.schema.failures import ExecutionFailure
    from graph.schema.inputs import InputFile, InputMetadata
    from graph.schema.logs import LogEventConnection, RegisteredLog
    from graph.schema.outputs import OutputFile, OutputMetadata, OutputResult
    from graph.schema.stages import Stage
    from graph.schema.step import PipelineExecution

LazyAsset = Annotated["Asset", strawberry.lazy("graph.schema.asset")]
LazyDatabase = Annotated["Database", strawberry.lazy("graph.schema.asset")]
LazyEngineExecution = Annotated["EngineExecution", strawberry.lazy("graph.schema.engine")]
LazyExecution = Annotated["Execution", strawberry.lazy("graph.schema.execution")]
LazyExecutionFailure = Annotated["ExecutionFailure", strawberry.lazy("graph.schema.failures")]
LazyExecutionGroup = Annotated["ExecutionGroup", strawberry.lazy("graph.schema.execution")]
LazyInputFile = Annotated["InputFile", strawberry.lazy("graph.schema.inputs")]
LazyInputMetadata = Annotated["InputMetadata", strawberry.lazy("graph.schema.inputs")]
LazyLogEventConnection = Annotated["LogEventConnection", strawberry.lazy("graph.schema.logs")]
LazyOutputFile = Annotated["OutputFile", strawberry.lazy("graph.schema.outputs")]
LazyOutputMetadata = Annotated["OutputMetadata", strawberry.lazy("graph.schema.outputs")]
LazyOutputResult = Annotated["OutputResult", strawberry.lazy("graph.schema.outputs")]
LazyPipeline = Annotated["Pipeline", strawberry.lazy("graph.schema.definitions")]
LazyPipelineExecution = Annotated["PipelineExecution", strawberry.lazy("graph.schema.step")]
LazyRegisteredLog = Annotated["RegisteredLog", strawberry.lazy("graph.schema.logs")]
LazyStage = Annotated["Stage", strawberry.lazy("graph.schema.stages")]
LazySubExecution = Annotated["SubExecution", strawberry.lazy("graph.schema.engine")]
LazyWorkflow = Annotated["Workflow", strawberry.lazy("graph.schema.definitions")]
