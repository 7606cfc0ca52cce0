"""The REST routes of VAMS that fields of the graph stand for.

VAMS guards every route: the policy must allow the HTTP method on the path with its ids filled in, an object of the
type ``api`` with the one field ``route__path``. A field of the graph is guarded as the route that gives the same data.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, cast
from urllib.parse import quote

Ids = ParamSpec("Ids")

EXECUTIONS = "/workflows/executions"
"""GET lists executions."""


def _kept(route: Callable[Ids, str]) -> Callable[Ids, str]:
    """Return a route function that remembers its latest results: a page asks for few different ids."""
    return cast("Callable[Ids, str]", lru_cache(maxsize=1024)(route))


@_kept
def asset_executions(database_id: str, asset_id: str) -> str:
    """GET lists the executions that read or wrote an asset."""
    return f"{asset(database_id, asset_id)}/workflows/executions"


@_kept
def execution(execution_id: str) -> str:
    """DELETE aborts an execution. There is no GET: reading one is reading its details."""
    return f"{EXECUTIONS}/{_segment(execution_id)}"


@_kept
def execution_permanent(execution_id: str) -> str:
    """DELETE removes the rows of an execution."""
    return f"{execution(execution_id)}/permanent"


@_kept
def execution_details(execution_id: str) -> str:
    """GET reads an execution with its steps, configurations, inputs and outputs."""
    return f"{execution(execution_id)}/details"


@_kept
def execution_metadata(execution_id: str) -> str:
    """GET pages through the metadata of an execution."""
    return f"{execution(execution_id)}/details/metadata"


@_kept
def execution_logs(execution_id: str) -> str:
    """GET reads any text of a log."""
    return f"{execution(execution_id)}/logs"


@_kept
def database(database_id: str) -> str:
    """GET reads a database."""
    return f"/database/{_segment(database_id)}"


@_kept
def asset(database_id: str, asset_id: str) -> str:
    """GET reads an asset."""
    return f"{database(database_id)}/assets/{_segment(asset_id)}"


@_kept
def asset_download(database_id: str, asset_id: str) -> str:
    """POST gives a link to a file of an asset."""
    return f"{asset(database_id, asset_id)}/download"


@_kept
def workflow(database_id: str, workflow_id: str) -> str:
    """GET reads a workflow definition."""
    return f"{database(database_id)}/workflows/{_segment(workflow_id)}"


@_kept
def pipeline(database_id: str, pipeline_id: str) -> str:
    """GET reads a pipeline definition."""
    return f"{database(database_id)}/pipelines/{_segment(pipeline_id)}"


def _segment(text: str) -> str:
    """Return an id as one segment of a path: a slash in it must not make it look like another route."""
    return quote(text, safe="!$&'()*+,;=:@", errors="replace")
