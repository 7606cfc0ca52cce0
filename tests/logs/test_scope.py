import re

from hypothesis import given
from hypothesis import strategies as st

from graph.logs.scope import LogScope, Owner, literal, of_execution, of_step, registered_prefixes
from tests.logs.test_service import batch, source

ARN = "arn:aws:logs:us-west-2:123456789012:log-group:/shared"


def test_the_shared_group_is_searched_for_the_execution_and_for_the_step() -> None:
    assert of_execution(f"{ARN}:*", "run") == LogScope(ARN, terms=("run",))
    assert of_step(ARN, Owner("run", "step")).pattern == '"run" "step"'


def test_a_scope_without_terms_has_no_pattern() -> None:
    assert LogScope(ARN).pattern is None


@given(st.text(), st.text())
def test_a_text_stays_one_quoted_term(text: str, other: str) -> None:
    pattern = LogScope(ARN, terms=("run",)).containing(text).containing(other).pattern
    assert pattern is not None
    terms = re.fullmatch(r'(?s)"run"((?: "[^"]*[^"\\]")*)', pattern)
    assert terms is not None
    assert pattern.count('"') == 2 * (1 + bool(literal(text)) + bool(literal(other)))


def test_a_scope_is_one_stream_only_when_all_of_it_is_wanted() -> None:
    assert LogScope(ARN, streams=("a",)).only_stream == "a"
    assert LogScope(ARN, streams=("a",)).containing("x").only_stream is None
    assert LogScope(ARN, streams=("a", "b")).only_stream is None
    assert LogScope(ARN, prefix="a").only_stream is None


def test_prefixes_are_those_that_were_registered() -> None:
    sources = [batch(prefix="a/"), source("/studio"), source("/x", log_stream_prefix="b/", is_registered=False)]
    assert registered_prefixes(sources) == ("a/",)
