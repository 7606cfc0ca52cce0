"""How VAMS judges objects that have permissions of their own: a route to each, and what constraints compare of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from graph.auth import routes
from graph.tables.records.definitions import AssetRow, DatabaseRow, PipelineRow, WorkflowRow
from graph.tables.rows import Row


@dataclass(frozen=True, slots=True)
class ObjectRule:
    """How objects of one kind are judged.

    Attributes:
        object_type: What constraints call the kind.
        ids: The attributes of a row that identify the object.
        route: The REST path of VAMS that GETs the object, made of those ids.
        compared: The attribute of the row that each field of a constraint is compared with.
    """

    object_type: str
    ids: tuple[str, ...]
    route: Callable[..., str]
    compared: Mapping[str, str]

    def ids_of(self, row: Row) -> tuple[str, ...]:
        """Return the ids of an object."""
        found = attrgetter(*self.ids)(row)
        return found if len(self.ids) > 1 else (found,)

    def fields_of(self, ids: Sequence[str], row: Row | None) -> Mapping[str, Any]:
        """Return what constraints compare of an object; of one without a row, its ids and otherwise nothing."""
        if row is not None:
            return {field: getattr(row, name) for field, name in self.compared.items()}
        known = dict(zip(self.ids, ids, strict=True))
        return {field: known.get(name, "") for field, name in self.compared.items()}


ASSET = ObjectRule(
    "asset",
    ("database_id", "asset_id"),
    routes.asset,
    {"databaseId": "database_id", "assetName": "name", "assetType": "asset_type", "tags": "tags"},
)
DATABASE = ObjectRule("database", ("database_id",), routes.database, {"databaseId": "database_id"})
PIPELINE = ObjectRule(
    "pipeline",
    ("database_id", "pipeline_id"),
    routes.pipeline,
    {
        "databaseId": "database_id",
        "pipelineId": "pipeline_id",
        "pipelineExecutionType": "execution_type_text",
        "category": "category",
        "name": "name",
    },
)
WORKFLOW = ObjectRule(
    "workflow",
    ("database_id", "workflow_id"),
    routes.workflow,
    {"databaseId": "database_id", "workflowId": "workflow_id", "category": "category", "name": "name"},
)

RULES: Mapping[type[Row], ObjectRule] = {
    AssetRow: ASSET,
    DatabaseRow: DATABASE,
    PipelineRow: PIPELINE,
    WorkflowRow: WORKFLOW,
}
