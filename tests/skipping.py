"""What a test does that lacks what it needs."""

import os
from typing import NoReturn

import pytest


def give_up(message: str) -> NoReturn:
    """Skips, which the run says at its end; fails where skips are forbidden, as continuous integration does."""
    if os.environ.get("SKIPS") == "forbidden":
        pytest.fail(message)
    pytest.skip(message)
