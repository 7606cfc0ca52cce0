import pytest
import re2  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from graph.auth.dialect import Translation, Untranslatable, translate


@pytest.mark.parametrize(
    ("expression", "source"),
    [
        ("ab9", "ab9"),
        ("a-b/é", r"a\x{2d}b\x{2f}\x{e9}"),
        (r"^a\.b\Z", r"^a\x{2e}b\z"),
        ("(a|b)*?", "(?:a|b)*?"),
        ("a{,3}b{2}c{}", r"a{0,3}b{2}c\x{7b}\x{7d}"),
        ("[]a-c^-]", r"[\x{5d}a-c\x{5e}\x{2d}]"),
        ("[^[]", r"[^\x{5b}]"),
        ("(?s:.*)", "(?s:.*)"),
    ],
)
def test_most_expressions_agree_on_all_texts(expression: str, source: str) -> None:
    assert translate(expression) == Translation(source, ascii_only=False, no_final_newline=False)


@pytest.mark.parametrize("expression", [r"\d", r"[\w-]", r"\s", r"\bx", "(?i:k)"])
def test_classes_word_ends_and_case_agree_on_ascii(expression: str) -> None:
    assert translate(expression).ascii_only


def test_the_end_agrees_on_texts_without_a_final_line_break() -> None:
    assert translate("a$") == Translation(r"a\z", ascii_only=False, no_final_newline=True)


@given(st.text(max_size=20) | st.text(alphabet=r"ab()[]{}|*+?^$\.,-:1s", max_size=20))
def test_whatever_is_translated_is_an_expression_of_re2(expression: str) -> None:
    try:
        translation = translate(expression)
    except Untranslatable:
        return
    re2.compile(translation.source)
