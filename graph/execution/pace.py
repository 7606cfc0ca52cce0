"""Whether an operation still begins things, in however many turns of the loop."""

from dataclasses import dataclass


@dataclass(slots=True)
class Pace:
    """What loads for the operation waits while it does, so that what is begun together is loaded together."""

    is_beginning: bool = False
