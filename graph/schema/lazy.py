"""Types that a file cannot import without a circle, named late.

The lower file names the upper one so; in order: connections, definitions and assets, inputs, outputs, logs and stages,
failures, engines, steps, executions.
"""

from typing import TYPE_CHECKING, Annotated

import strawberry

if TYPE_CHECKING:
    from graph.schema.engine import EngineExecution, SubExecution
    from graph.schema.execution import Execution
    from graph.schema.inputs import InputFile
    from graph.schema.step import PipelineExecution

LazyEngineExecution = Annotated["EngineExecution", strawberry.lazy("graph.schema.engine")]
LazyExecution = Annotated["Execution", strawberry.lazy("graph.schema.execution")]
LazyInputFile = Annotated["InputFile", strawberry.lazy("graph.schema.inputs")]
LazyPipelineExecution = Annotated["PipelineExecution", strawberry.lazy("graph.schema.step")]
LazySubExecution = Annotated["SubExecution", strawberry.lazy("graph.schema.engine")]
