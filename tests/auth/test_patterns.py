import re
import time
import warnings
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph.auth.patterns import Comparison, Undecidable, matcher

PYTHON = {"equals": r"^{}\Z", "contains": "(?s:.*){}(?s:.*)", "starts_with": "^{}.*", "ends_with": r"(?s:.*){}\Z"}
comparisons = st.sampled_from(get_args(Comparison))


def matches(comparison: Comparison, value: str, text: str) -> bool:
    return matcher(comparison, [value]).matches(text)


def test_a_plain_value_is_compared_as_text() -> None:
    assert matches("equals", "db1", "db1")
    assert not matches("equals", "db1", "db10")
    assert matches("starts_with", "db1", "db10")
    assert matches("ends_with", "/logs", "/workflows/executions/1/logs")
    assert matches("contains", "ab", "xaby")


def test_equals_ends_at_the_true_end() -> None:
    assert not matches("equals", "db1", "db1\n")
    assert not matches("ends_with", "db1", "db1\n")


def test_contains_looks_beyond_line_breaks() -> None:
    assert matches("contains", "secret", "a\nsecret\nb")
    assert not matches("contains", "a.b", "a\nb")


def test_an_alternative_splits_the_whole_expression() -> None:
    assert matches("equals", "a|b", "abc")
    assert not matches("equals", "a|b", "xb")


def test_any_of_several_values_is_enough() -> None:
    any_database = matcher("equals", ["a", "b.", "c"])
    assert [text for text in ("a", "b", "b1", "c", "d") if any_database.matches(text)] == ["a", "b1", "c"]


def test_no_value_matches_nothing() -> None:
    assert not matcher("contains", []).matches("")


def test_a_broken_value_matters_only_where_those_before_it_do_not_match() -> None:
    half_broken = matcher("equals", ["a", "(", "b"])
    assert half_broken.matches("a")
    with pytest.raises(Undecidable):
        half_broken.matches("b")
    assert not half_broken.is_certain


@pytest.mark.parametrize(
    "value",
    ["(", ")", "a{2,1}", "*", "[b-a]", "(?=a)", r"(a)\1", "(?P<n>a)", "a*+", "(?i)a", r"\q", "[a", "a**", r"\B"],
)
def test_what_python_or_re2_does_not_accept_is_undecidable(value: str) -> None:
    with pytest.raises(Undecidable):
        matches("starts_with", value, "a")


@pytest.mark.parametrize(
    ("value", "text"),
    [(r"\w+", "é"), (r"\bx", "éx"), ("(?i:k)", "\N{KELVIN SIGN}"), ("a$", "a\n"), ("[a-z]+", "\ud800")],
)
def test_texts_for_which_the_dialects_differ_are_undecidable(value: str, text: str) -> None:
    with pytest.raises(Undecidable):
        matches("contains", value, text)


@pytest.mark.parametrize("value", ["(a+)+b", "(a|aa)+b", "(a|a?)+b", "(.*)*b", "a*a*a*a*a*a*b", "([a-z]+)*b"])
@pytest.mark.parametrize("comparison", get_args(Comparison))
def test_no_pattern_runs_away(comparison: Comparison, value: str) -> None:
    started = time.thread_time()
    assert not matches(comparison, value, "a" * 1_000 + "!")
    assert time.thread_time() - started < 0.05


@pytest.mark.parametrize("value", [".{200}b.{200}c", "(?:[ab]*a[ab]{900}x)", "(?:a{1,500}){1,2}b"])
def test_large_patterns_are_undecidable_for_long_texts(value: str) -> None:
    large = matcher("contains", [value])
    text = "ab" * 500
    started = time.thread_time()
    with pytest.raises(Undecidable):
        large.matches(text)
    assert time.thread_time() - started < 0.01
    assert not large.is_certain


@pytest.mark.parametrize(
    "value", ["(" * 900 + ")" * 900, "a{1000}{1000}", "(((a{100}){100}){100}){100}", "a" * 3_000 + ".", "[" * 1_999]
)
def test_no_pattern_takes_long_to_compile(value: str) -> None:
    started = time.thread_time()
    assert not matcher("equals", [value]).is_certain
    assert time.thread_time() - started < 0.1


def test_only_what_matches_any_text_is_always_true() -> None:
    assert matcher("contains", ["x", ".*"]).is_always_true
    assert matcher("starts_with", [""]).is_always_true
    assert not matcher("equals", [".*"]).is_always_true
    assert not matcher("contains", [r"\.*"]).is_always_true


PIECES = r"""
    a b A - . .* | ( ) + * ? ?? { } {2} {,1} {1,} {0,2} {,} {} {a} ^ $ é [ ] # && ~~ --
    [ab] [^a] [a-c] []a] [a-] [-a] [\w-] [^\s] [\S\n] [\W] [\b] [[:alpha:]] [a-\d] [c-a]
    \. \- \d \D \w \W \s \S \b \B \A \Z \n \x41 \u00e9 \x4 \1 \0 \Q \pL \C \
    (?: (?s: (?i: (?i) (?= (?! (?P<a> (?#
"""
pieces = st.sampled_from("ab.*+?|()") | st.sampled_from([*PIECES.split(), "\n", "\v", " ", "[\b]"])
patterns = st.lists(pieces, max_size=6).map("".join)
texts = st.text(alphabet="aabbcAB-._ \n\v\x1cé٣K1\b", max_size=6)


@settings(max_examples=1_000, deadline=None)
@given(comparisons, patterns, st.lists(texts, min_size=1, max_size=8))
@example("contains", "a|b", ["xb"])
@example("equals", "a\\", ["a\\Z", "aZ"])
@example("ends_with", "?a", ["a"])
@example("starts_with", "{,}a", ["a"])
def test_it_agrees_with_python_or_is_undecidable(comparison: Comparison, value: str, some_texts: list[str]) -> None:
    compiled = matcher(comparison, [value])
    for text in some_texts:
        try:
            ours = compiled.matches(text)
        except Undecidable:
            assert not compiled.is_certain
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = re.match(PYTHON[comparison].replace("{}", value), text) is not None
        assert ours == expected
        assert expected or not compiled.is_always_true


@settings(max_examples=300)
@given(comparisons, st.text(max_size=8), texts)
def test_an_escaped_value_is_compared_literally(comparison: Comparison, word: str, text: str) -> None:
    compare = {
        "equals": text == word,
        "contains": word in text,
        "starts_with": text.startswith(word),
        "ends_with": text.endswith(word),
    }
    assert matches(comparison, re.escape(word), text) == compare[comparison]
