import base64
import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import InvalidId
from graph.tables import ids
from graph.tables.ids import GlobalId

PARTS = {"Execution": 2, "Database": 1, "Stage": 3, "InputFile": 2}
KINDS = st.sampled_from(sorted(PARTS))
LAST = st.text(min_size=1, max_size=200)
PLAIN = LAST.filter(lambda text: ":" not in text)


@st.composite
def global_ids(draw: st.DrawFn) -> GlobalId:
    kind = draw(KINDS)
    return GlobalId(kind, (*[draw(PLAIN) for _ in range(PARTS[kind] - 1)], draw(LAST)))


def spelled(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@given(global_ids())
def test_an_id_leads_back_to_the_key_that_it_was_made_of(of: GlobalId) -> None:
    assert ids.decode(ids.encode(of.kind, *of.parts), PARTS) == of


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_is_an_id_or_refused(text: str) -> None:
    try:
        found = ids.decode(text, PARTS)
    except InvalidId:
        return
    assert ids.encode(found.kind, *found.parts) == text


@given(global_ids(), st.data())
def test_an_object_has_one_id(of: GlobalId, data: st.DataObject) -> None:
    text = ids.encode(of.kind, *of.parts)
    place = data.draw(st.integers(0, len(text) - 1))
    other = text[:place] + data.draw(st.sampled_from("AZaz09-_=+/ \n")) + text[place + 1 :]
    with contextlib.suppress(InvalidId):
        assert ids.decode(other, PARTS) != of or other == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "!!!",
        "arrayconnection:-5",
        "\ud800",
        "ä",
        "=" * 8,
        "A" * 5000,
        spelled("Execution"),
        spelled("Execution:a"),
        spelled("Execution:a:"),
        spelled("Execution::b"),
        spelled("Nothing:a:b"),
        spelled("Database:" + "a" * 1025),
        spelled("Database:abc") + "=",
        spelled("Database:abc") + "\n",
        base64.urlsafe_b64encode(b"Database:\xff\xfe").decode(),
    ],
)
def test_what_is_no_id_is_refused_without_saying_why(text: str) -> None:
    with pytest.raises(InvalidId) as refused:
        ids.decode(text, PARTS)
    assert str(refused.value) == "Not a global id of this graph."
    assert refused.value.extensions == {"code": "INVALID_ID"}
    assert refused.value.__cause__ is None


def test_the_last_part_may_hold_colons() -> None:
    assert ids.decode(ids.encode("InputFile", "0" * 32, "db:asset:/a:b"), PARTS).parts == ("0" * 32, "db:asset:/a:b")


def test_a_huge_text_is_refused_at_once() -> None:
    huge = "A" * 50_000_000
    start = time.thread_time()
    with pytest.raises(InvalidId):
        ids.decode(huge, PARTS)
    assert time.thread_time() - start < 0.1
