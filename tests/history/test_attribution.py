"""Properties of attribution, over random machines that run in both dialects."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.history import StageStatus, attribute, parse_definition, parse_events
from tests.history.machines import Machine, machines
from tests.history.simulation import Simulation

runs = given(machine=machines(), seed=st.integers(0, 2**32), written=st.booleans())
many = settings(max_examples=150, deadline=None)


def simulate(machine: Machine, seed: int, *, written: bool) -> Simulation:
    return Simulation(machine, Random(seed), written=written)


@runs
@many
def test_each_visit_is_found_where_it_ran_with_what_became_of_it(machine: Machine, seed: int, written: bool) -> None:
    run = simulate(machine, seed, written=written)
    attribution = attribute(parse_events(run.events), parse_definition(machine))
    found = [
        (visit.name, visit.scope.path(), visit.status, visit.attempts, visit.entered_event_id, visit.exited_event_id)
        for visit in attribution.visits
    ]
    assert found == [
        (seen.name, seen.path, seen.status, seen.attempts, seen.entered, seen.exited) for seen in run.seen
    ]
