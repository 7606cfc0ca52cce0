import base64
import json
import os
import string
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.tables.cursors import Cursors, Position, SealBroken, binding

CURSORS = Cursors(["a secret"])
HERE = binding("Query.executions", None, "newest")
KEYS = st.text(max_size=100)
POSITIONS = st.lists(KEYS | st.integers(0, 10_000), min_size=1, max_size=4).map(tuple)


@given(POSITIONS)
def test_a_cursor_opens_to_the_position_that_it_was_sealed_for(position: Position) -> None:
    assert CURSORS.open(CURSORS.seal(position, HERE), HERE) == position


@given(POSITIONS)
def test_a_position_has_one_cursor(position: Position) -> None:
    assert CURSORS.seal(position, HERE) == Cursors(["a secret"]).seal(position, HERE)


@given(POSITIONS)
def test_a_cursor_needs_no_escaping_in_a_url(position: Position) -> None:
    assert set(CURSORS.seal(position, HERE)) <= set(string.ascii_letters + string.digits + "-_")


@given(POSITIONS, st.data())
def test_a_cursor_that_was_altered_is_refused(position: Position, data: st.DataObject) -> None:
    cursor = CURSORS.seal(position, HERE)
    place = data.draw(st.integers(0, len(cursor) - 1))
    letter = data.draw(st.sampled_from([letter for letter in string.ascii_letters if letter != cursor[place]]))
    with pytest.raises(SealBroken):
        CURSORS.open(cursor[:place] + letter + cursor[place + 1 :], HERE)


@given(POSITIONS, st.data())
def test_a_cursor_that_was_cut_is_refused(position: Position, data: st.DataObject) -> None:
    cursor = CURSORS.seal(position, HERE)
    with pytest.raises(SealBroken):
        CURSORS.open(cursor[: data.draw(st.integers(0, len(cursor) - 1))], HERE)


@pytest.mark.parametrize(
    "elsewhere",
    [
        binding("Workflow.executions", None, "newest"),
        binding("Query.executions", "another parent", "newest"),
        binding("Query.executions", None, "oldest"),
        b"",
    ],
)
def test_a_cursor_of_another_list_is_refused(elsewhere: bytes) -> None:
    with pytest.raises(SealBroken):
        CURSORS.open(CURSORS.seal(("2026-01-01", "a"), HERE), elsewhere)


def test_a_cursor_of_another_secret_is_refused() -> None:
    with pytest.raises(SealBroken):
        Cursors(["another secret"]).open(CURSORS.seal(("a",), HERE), HERE)


def test_secrets_rotate() -> None:
    old, both, new = Cursors(["old"]), Cursors(["new", "old"]), Cursors(["new"])
    assert both.open(old.seal(("a",), HERE), HERE) == ("a",)
    assert both.seal(("a",), HERE) == new.seal(("a",), HERE)
    with pytest.raises(SealBroken):
        new.open(old.seal(("a",), HERE), HERE)


@pytest.mark.parametrize("secrets", [[], [""], ["a secret", ""]])
def test_an_empty_secret_is_refused(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="secret"):
        Cursors(secrets)


@given(st.lists(st.text(string.printable, min_size=1, max_size=20), min_size=2, max_size=10))
def test_the_length_of_a_cursor_does_not_tell_rows_apart(names: list[str]) -> None:
    lengths = {len(CURSORS.seal(("2026-01-01T00:00:00Z", name.encode().hex()[:20]), HERE)) for name in names}
    assert len(lengths) == 1


@given(POSITIONS)
def test_a_cursor_shows_nothing_of_its_position(position: Position) -> None:
    opened = base64.urlsafe_b64decode(CURSORS.seal(position, HERE))
    assert not any(str(part).encode() in opened for part in position if len(str(part)) > 3)


@given(st.text(st.characters(exclude_categories=[])))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(SealBroken):
        CURSORS.open(text, HERE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "arrayconnection:-5",
        base64.b64encode(b"arrayconnection:-5").decode(),
        base64.b64encode(b"arrayconnection:abc").decode(),
        "!!!",
        "\ud800",
        "\x00",
        "ä" * 40,
        "AQA",
        base64.urlsafe_b64encode(b"\x01\x00").decode(),
        base64.urlsafe_b64encode(b"\x01\x00" + bytes(range(64))).decode(),
        base64.urlsafe_b64encode(b"\x02\x00" + bytes(range(64))).decode(),
    ],
)
def test_hostile_texts_are_refused(text: str) -> None:
    with pytest.raises(SealBroken):
        CURSORS.open(text, HERE)


def test_a_huge_text_is_refused_at_once() -> None:
    huge = "A" * 50_000_000
    start = time.thread_time()
    with pytest.raises(SealBroken):
        CURSORS.open(huge, HERE)
    assert time.thread_time() - start < 0.1


def test_the_longest_position_fits() -> None:
    longest = (39, "0" * 36, "2026-01-01T00:00:00Z", "\x01" * 1024)
    assert CURSORS.open(CURSORS.seal(longest, HERE), HERE) == longest


def test_a_binding_is_the_same_in_every_process() -> None:
    program = "from graph.tables.cursors import binding; print(binding('Query.executions', None, ['A', 'B']).hex())"
    bindings = {
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert bindings == {binding("Query.executions", None, ["A", "B"]).hex() + "\n"}


@pytest.mark.parametrize("hostile", ["\ud800", "a" * 1_000_000, "\x00", 2**70])
def test_a_binding_takes_whatever_a_caller_gives(hostile: object) -> None:
    assert binding("Query.executions", hostile) != binding("Query.executions", "other")


@given(st.lists(st.none() | st.text() | st.integers()), st.lists(st.none() | st.text() | st.integers()))
def test_lists_that_differ_have_bindings_that_differ(one: list[object], other: list[object]) -> None:
    assert (binding(*one) == binding(*other)) == (one == other)


NUMBERS = st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=5).map(tuple)


@given(NUMBERS)
def test_a_position_of_numbers_alone_is_packed(position: Position) -> None:
    cursor = CURSORS.seal(position, HERE)
    assert CURSORS.open(cursor, HERE) == position
    assert len(cursor) % 4 == 0
    with pytest.raises(SealBroken):
        CURSORS.open(cursor, b"elsewhere")


def test_a_cursor_of_a_line_of_a_log_is_short() -> None:
    assert len(CURSORS.seal((1_752_364_800_000, 0, 2**40 - 1, 99), HERE)) == 48
    assert len(CURSORS.seal((1_752_364_800_000, 2**64 - 1, 2**40 - 1, 99_999), HERE)) == 64


@pytest.mark.parametrize("position", [(5,), (5, 7), (1_752_364_800_000,)])
def test_cursors_of_numbers_that_were_not_packed_still_open(position: Position) -> None:
    """Those of releases up to 0.2.0."""
    text = json.dumps(position, separators=(",", ":")).encode().ljust(48)
    sealed = b"\x01\x00" + CURSORS._keys[0].encrypt(text, [HERE])
    assert CURSORS.open(base64.urlsafe_b64encode(sealed).decode(), HERE) == position
