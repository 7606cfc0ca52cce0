"""How operations are executed: by plans that complete what is plain by code made for it, and ask resolvers for more.

It knows nothing of this graph but what its schema declares. Errors are graphql-core's: a value that is not as expected
is left to it.
"""

from graph.execution.declared import ANSWERED, Answered, Bound, FieldRequest, InstanceOf
from graph.execution.executor import execute
from graph.execution.plan import Planner
from graph.execution.plans import Plans

__all__ = ["ANSWERED", "Answered", "Bound", "FieldRequest", "InstanceOf", "Planner", "Plans", "execute"]
