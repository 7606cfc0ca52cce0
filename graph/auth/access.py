"""The gate: every object passes it on every way to it, before anything of it leaves a resolver.

Identity does not exist yet, and the server runs as a demo on loopback only: whoever asks is its administrator.
"""

from collections.abc import Sequence

from graph.tables.rows import Row


class Access:
    """What the viewer of one operation may see."""

    async def sees(self, rows: Sequence[Row]) -> Sequence[bool]:
        """Whether the viewer may see each of some objects."""
        return [True for _ in rows]

    def may_read_logs(self, execution_id: str) -> bool:  # noqa: ARG002 - everybody may as yet
        """Whether the viewer may read the logs of an execution that it sees."""
        return True
