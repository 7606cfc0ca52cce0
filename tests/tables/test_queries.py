import re
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graph.tables.catalogue import EXECUTIONS, EXECUTIONS_BY_DATE
from graph.tables.queries import Between, OneOf, Prefix, Query, query_request

ALL = Query(EXECUTIONS, EXECUTIONS_BY_DATE, "execution", None, (), ("status",), False, None, None)

TOKEN = re.compile(r"[#:\w]+")
BOTH, OPEN = Between("a", "b"), Between(None, None)
WORDS = {"AND", "NOT", "IN", "BETWEEN", "begins_with"}


@given(
    index=st.sampled_from([None, EXECUTIONS_BY_DATE]),
    sort=st.sampled_from([None, Prefix("2026"), Between("a", None), Between(None, "b"), BOTH, OPEN]),
    conditions=st.lists(
        st.builds(OneOf, st.sampled_from(["status", "name", "a:b"]), st.tuples(st.text(), st.text()), st.booleans())
    ).map(tuple),
    attributes=st.lists(st.text(min_size=1), min_size=1, unique=True).map(tuple),
)
def test_no_name_and_no_value_stands_in_an_expression(
    index: Any, sort: Any, conditions: tuple[OneOf, ...], attributes: tuple[str, ...]
) -> None:
    query = replace(ALL, index=index, sort=sort, conditions=conditions, attributes=attributes)
    request = query_request(query, "physical")
    used = {
        token
        for name in ("KeyConditionExpression", "ProjectionExpression", "FilterExpression")
        for token in TOKEN.findall(request.get(name, ""))
    } - WORDS
    assert used == {*request["ExpressionAttributeNames"], *request["ExpressionAttributeValues"]}
    assert all(token[0] in "#:" for token in used)
