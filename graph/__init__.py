"""VAMS Graph: the GraphQL API over the workflow executions of VAMS."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette

__version__ = "0.2.0"


def create_app() -> "Starlette":
    """Return the ASGI application over a deployment, as the environment sets it; for any ASGI server or Lambda adapter.

    Raises:
        NotConfigured: when nothing tells who asks.
        MissingTableNames: when neither the environment nor SSM names every table.
    """
    from graph.app import application  # made when it is called, so that the version can be read without it

    return application()
