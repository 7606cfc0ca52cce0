"""The comparisons of constraint criteria, safe against any pattern.

VAMS turns the value of a criterion into a Python regular expression. Most values are plain words, and those become
string operations. The rest runs on RE2 (``google-re2``) rather than on Python's ``re``: a backtracking engine can take
exponential time on a pattern that some administrator once stored and on a name that any user may choose, holds the
interpreter lock meanwhile and cannot be interrupted, while proving patterns harmless would refuse many honest ones.
What RE2 may read differently is refused by :mod:`graph.auth.dialect`. A refused or broken pattern is not "no match",
since that would silence a deny rule: it raises `Undecidable`, for which the caller denies, as Casbin does on an
error inside a matcher.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn

import re2  # type: ignore[import-untyped]

from graph.auth.dialect import Untranslatable, translate

Comparison = Literal["equals", "contains", "starts_with", "ends_with"]

# The expressions that VAMS matches from the start of the text. The value is not bracketed, so a ``|`` in it splits the
# whole expression: ``equals`` with the value ``a|b`` holds for any text that starts with ``a``.
_EXPRESSIONS: dict[Comparison, str] = {
    "equals": r"^{}\Z",
    "contains": "(?s:.*){}(?s:.*)",
    "starts_with": "^{}.*",
    "ends_with": r"(?s:.*){}\Z",
}
_PLAIN = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^A-Za-z0-9])*", re.DOTALL)
_PREFIX = re.compile(r"[\w/@ -]+(?![*+?{])")  # plain characters, the last of them not repeated
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_REMEMBERED_TEXTS = 64
_MOST_STEPS = 100_000

USUAL_LENGTH = 1_000
"""Characters up to which a certain matcher is certain; ids, names and paths of VAMS are shorter."""


class Undecidable(Exception):
    """Whether a criterion holds cannot be told; the only safe decision is to deny."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A comparison of one text with the values of a criterion."""

    matches: Callable[[str], bool]
    """Raises Undecidable."""
    is_certain: bool
    """It never raises for a text of usual length that can be encoded."""
    is_always_true: bool


def matcher(comparison: Comparison, values: Sequence[str]) -> Matcher:
    """Compile a criterion that holds when the comparison holds with any of the values; none of no values does."""
    words: list[str] = []
    tests: list[Callable[[str], bool]] = []
    is_certain = True
    for value in values:
        word = _plain_word(comparison, value)
        if word is not None:
            words.append(word)
            continue
        try:
            expression = _Expression(_EXPRESSIONS[comparison].replace("{}", value))
        except (Untranslatable, re2.error):
            # The values are tried in order: those before this one may still match, those after it are never reached.
            is_certain = False
            tests.append(_undecidable)
            break
        is_certain = is_certain and expression.is_certain
        tests.append(_expression_test(comparison, value, expression))
    if words:
        tests.insert(0, _word_test(comparison, tuple(words)))
    return Matcher(_any_of(tests), is_certain, is_always_true=comparison != "equals" and "" in words)


def _plain_word(comparison: Comparison, value: str) -> str | None:
    """Return the word that a value stands for, without a leading or trailing ``.*``; None for a real pattern."""
    if comparison in ("contains", "ends_with"):
        value = value.removeprefix(".*")
    if comparison in ("contains", "starts_with"):
        value = value.removesuffix(".*")
    return _ESCAPED.sub(r"\1", value) if _PLAIN.fullmatch(value) else None


def _word_test(comparison: Comparison, words: tuple[str, ...]) -> Callable[[str], bool]:
    match comparison:
        case "equals":
            return frozenset(words).__contains__
        case "starts_with":
            return lambda text: text.startswith(words)
        case "ends_with":
            return lambda text: text.endswith(words)
        case "contains":
            if len(words) == 1:
                (word,) = words
                return lambda text: word in text
            return lambda text: any(word in text for word in words)


def _expression_test(comparison: Comparison, value: str, expression: "_Expression") -> Callable[[str], bool]:
    remembered = lru_cache(_REMEMBERED_TEXTS)(expression.matches)
    prefix = _PREFIX.match(value) if comparison in ("equals", "starts_with") and "|" not in value else None
    start = prefix.group() if prefix else ""

    def test(text: str) -> bool:
        if not text.startswith(start):
            return False
        return remembered(text) if len(text) <= USUAL_LENGTH else expression.matches(text)

    return test


class _Expression:
    """A Python regular expression, matched from the start of a text by RE2."""

    def __init__(self, expression: str) -> None:
        self._translation = translate(expression)
        self._pattern = re2.compile(self._translation.source, _OPTIONS)
        # A linear engine may still take a step for each pair of a character and an instruction of its program.
        self._longest_text = _MOST_STEPS // self._pattern.programsize
        self.is_certain = self._longest_text >= USUAL_LENGTH and not (
            self._translation.ascii_only or self._translation.no_final_newline
        )

    def matches(self, text: str) -> bool:
        if len(text) > self._longest_text:
            raise Undecidable
        if self._translation.ascii_only and not text.isascii():
            raise Undecidable
        if self._translation.no_final_newline and text.endswith("\n"):
            raise Undecidable
        try:
            return self._pattern.match(text.encode()) is not None
        except UnicodeEncodeError as error:  # a lone surrogate
            raise Undecidable from error


def _any_of(tests: Sequence[Callable[[str], bool]]) -> Callable[[str], bool]:
    if len(tests) == 1:
        return tests[0]
    return lambda text: any(test(text) for test in tests)


def _undecidable(_text: str) -> NoReturn:
    raise Undecidable


def _quiet_options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False  # a refused pattern is reported by an exception, not on standard error
    options.never_capture = True
    options.max_mem = 1 << 20  # per pattern; beyond it RE2 refuses to compile or matches more slowly, still linearly
    return options


_OPTIONS = _quiet_options()
