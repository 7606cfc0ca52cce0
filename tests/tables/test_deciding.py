from decimal import Decimal
from typing import Any

import pytest

from graph.errors import MalformedValue
from graph.tables import deciding

ASSET = {"M": {"databaseId": {"S": "plant"}, "assetId": {"S": "pump"}, "more": {"N": "1"}}}
ONE_OF_EACH: dict[str, Any] = {
    "S": "text",
    "N": "1",
    "B": b"text",
    "BOOL": True,
    "NULL": True,
    "M": {},
    "L": [{"N": "1"}],
    "SS": ["text"],
    "NS": ["1"],
    "BS": [b"text"],
}


def read(decoder: Any, value: Any) -> Any:
    found = decoder(value, "attribute")
    return MalformedValue if isinstance(found, MalformedValue) else found


@pytest.mark.parametrize(
    ("decoder", "value", "found"),
    [
        (deciding.required_id, {"S": "plant"}, "plant"),
        (deciding.required_id, {"S": ""}, MalformedValue),
        (deciding.required_id, None, MalformedValue),
        (deciding.optional_id, {"S": "plant"}, "plant"),
        (deciding.optional_id, {"S": ""}, None),
        (deciding.optional_id, None, None),
        (deciding.ids, {"L": [{"S": "a"}, {"S": "b"}]}, ["a", "b"]),
        (deciding.ids, {"L": [{"S": "a"}, {"S": ""}]}, MalformedValue),
        (deciding.ids, {"L": []}, []),
        (deciding.ids, None, []),
        (deciding.asset_ids, {"L": [ASSET]}, [("plant", "pump")]),
        (deciding.asset_ids, {"L": [ASSET, {"M": {}}]}, MalformedValue),
        (deciding.asset_ids, {"L": [ASSET, {"S": "plant:pump"}]}, MalformedValue),
        (deciding.asset_ids, {"L": []}, []),
        (deciding.asset_ids, None, []),
        (deciding.flag, {"BOOL": True}, True),
        (deciding.flag, {"BOOL": False}, False),
        (deciding.flag, None, False),
        (deciding.compared_text, {"S": "pump"}, "pump"),
        (deciding.compared_text, {"NULL": True}, None),
        (deciding.compared_text, None, None),
        (deciding.compared_texts, {"L": [{"S": "hot"}, {"S": ""}]}, ["hot", ""]),
        (deciding.compared_texts, {"NULL": True}, []),
        (deciding.compared_texts, None, []),
        (deciding.compared_entry("type"), {"M": {"type": {"S": "Lambda"}}}, "Lambda"),
        (deciding.compared_entry("type"), {"M": {"type": {"NULL": True}}}, None),
        (deciding.compared_entry("type"), {"M": {"type": {"N": "1"}}}, MalformedValue),
        (deciding.compared_entry("type"), {"M": {}}, None),
        (deciding.compared_entry("type"), {"NULL": True}, None),
        (deciding.compared_entry("type"), None, None),
    ],
)
def test_what_vams_writes_is_read_and_what_lacks_a_part_is_not(decoder: Any, value: Any, found: Any) -> None:
    assert read(decoder, value) == found


@pytest.mark.parametrize(
    ("decoder", "right"),
    [
        (deciding.required_id, {"S"}),
        (deciding.optional_id, {"S"}),
        (deciding.ids, set()),
        (deciding.asset_ids, set()),
        (deciding.flag, {"BOOL"}),
        (deciding.compared_text, {"S", "NULL"}),
        (deciding.compared_texts, {"NULL"}),
        (deciding.compared_entry("type"), {"M", "NULL"}),
    ],
)
def test_every_other_kind_is_malformed(decoder: Any, right: set[str]) -> None:
    malformed = {kind for kind, held in ONE_OF_EACH.items() if read(decoder, {kind: held}) is MalformedValue}
    assert malformed == ONE_OF_EACH.keys() - right


def test_an_item_has_a_type_for_each_kind() -> None:
    found = deciding.item({kind: {kind: held} for kind, held in ONE_OF_EACH.items()})
    assert found == {
        "S": "text",
        "N": Decimal(1),
        "B": b"text",
        "BOOL": True,
        "NULL": None,
        "M": {},
        "L": [Decimal(1)],
        "SS": frozenset(["text"]),
        "NS": frozenset(["1"]),
        "BS": frozenset([b"text"]),
    }
    assert deciding.item({"B": {"B": "dGV4dA=="}}) == {"B": b"dGV4dA=="}  # not decoded, and still no text
