"""What every listener of this project is told, however it is started."""

from typing import Any

import uvicorn
from starlette.applications import Starlette

from graph.server.protocol import GuardedProtocol


def listener_config(app: Starlette | str, **options: Any) -> uvicorn.Config:
    """Make the configuration of a listener that speaks the guarded protocol and believes no forwarded header.

    Options are those of ``uvicorn.Config``.
    """
    return uvicorn.Config(
        app,
        http=GuardedProtocol,
        ws="none",
        access_log=False,  # a URL can hold variables
        proxy_headers=False,  # anybody could name an address of a trusted network
        server_header=False,
        **options,
    )
