"""Who asks the demo: whoever reaches it, as its administrator. It listens on loopback only."""

from dataclasses import dataclass

from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class Administrator:
    """The one viewer of the demo."""

    user_id: str = "demo-admin"


async def administrator(_request: Request) -> Administrator:
    """The demo's administrator, for any request."""
    return Administrator()
