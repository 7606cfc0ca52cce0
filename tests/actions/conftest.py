"""Worlds to act in, over one emulator of DynamoDB."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from graph.demo.database import EmbeddedDatabase
from tests.actions.world import World

Make = Callable[..., World]


@pytest.fixture(scope="module")
def database() -> Iterator[EmbeddedDatabase]:
    with EmbeddedDatabase({}) as database:
        yield database


@pytest.fixture
def world(database: EmbeddedDatabase) -> Iterator[Make]:
    made: list[World] = []

    def make(*arguments: object, **options: object) -> World:
        made.append(partial(World, database)(*arguments, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.close()
