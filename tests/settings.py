"""The tables of settings in docs/operations.md, made from the settings; ``python -m tests.settings`` writes them."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from graph.settings import Settings

PAGE = Path(__file__).parents[1] / "docs" / "operations.md"
BEGIN, END = "<!-- made by `make settings` -->\n", "<!-- end -->\n"


def groups() -> list[type[BaseSettings]]:
    """The classes that settings are declared in, each a task."""
    return [base for base in reversed(Settings.__bases__) if issubclass(base, BaseSettings)]


def tables() -> str:
    return "\n".join(_table(group) for group in groups())


def page() -> str:
    """The page with the tables as they have to be."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}"


def _table(group: type[BaseSettings]) -> str:
    title = (group.__doc__ or "").rstrip(".")
    return "\n".join([f"### {title}", "", "| Variable | Default | Meaning |", "| --- | --- | --- |", *_rows(group), ""])


def _rows(group: type[BaseSettings]) -> Iterator[str]:
    for name, field in group.model_fields.items():
        yield f"| `VAMS_GRAPH_{name.upper()}` | {_default(field)} | {field.description} |"


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    if default in (None, [], ""):
        return "none"
    return f"`{json.dumps([str(one) for one in default]) if isinstance(default, list) else default}`"


if __name__ == "__main__":
    PAGE.write_text(page())
