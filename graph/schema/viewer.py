"""Who asks."""

from graph.auth import identity
from graph.context import Context
from graph.schema.fields import answer, attribute, object_type


async def roles(_viewer: identity.Viewer, context: Context) -> tuple[str, ...]:
    """Return the roles that count in the session."""
    return context.policy.roles


@object_type(identity.Viewer, description="The user on whose behalf the operation runs.")
class Viewer:
    """Who asks."""

    user_id: str = attribute("The id of the user.", reads=())
    roles: list[str] | None = answer(roles, "The roles that count in this session.")
