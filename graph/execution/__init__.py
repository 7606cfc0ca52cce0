"""Execute operations by plans: compiled code completes plain values, and resolvers are called for the rest.

It knows only what the schema declares. graphql-core completes unexpected values, so errors are its own.
"""

from graph.execution.declared import ANSWERED, Answered, Bound, FieldRequest, InstanceOf
from graph.execution.executor import execute
from graph.execution.plan import Planner
from graph.execution.plans import Plans

__all__ = ["ANSWERED", "Answered", "Bound", "FieldRequest", "InstanceOf", "Planner", "Plans", "execute"]
