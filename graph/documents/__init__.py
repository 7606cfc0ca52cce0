"""Documents: where their texts come from, how they are read, and how they are kept for the next request."""

from graph.documents.cache import Documents, NotValid
from graph.documents.document import Document, Sent

__all__ = ["Document", "Documents", "NotValid", "Sent"]
