"""The interface of everything that has a global id."""

from typing import Any

import strawberry

from graph.schema.fields import attribute, type_name


@strawberry.interface(
    description=(
        "An object with a global id. Ids are opaque and stable, survive a deployment, and hold no account and no ARN; "
        "each object can be fetched again by node."
    )
)
class Node:
    """Anything with a global id."""

    id: strawberry.ID = attribute("The global id.", reads=())

    @classmethod
    def resolve_type(cls, value: Any, *_: Any) -> str:
        """Return the name of the type of an object."""
        return type_name(value)
