"""Everything that this project uses of graphql-core beside its public face, which is ``from graphql import ...``.

``tests/execution/test_internals.py`` fails where a version of graphql-core has it no more, and where another module
goes past this one. The range of versions in pyproject.toml is the one that it was tested with.
"""

from graphql.execution.collect_fields import CollectedFields, FieldDetails, GroupedFieldSet
from graphql.execution.executor import Executor
from graphql.pyutils import AwaitableOrValue, Path
from graphql.validation.rules import overlapping_fields_can_be_merged

__all__ = [
    "AwaitableOrValue",
    "CollectedFields",
    "Executor",
    "FieldDetails",
    "GroupedFieldSet",
    "Path",
    "limit_overlap_checks",
]


def limit_overlap_checks(budget: int) -> None:
    """Bound the steps that the rule for overlapping fields takes for one document."""
    overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = budget
