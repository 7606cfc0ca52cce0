"""Documents: where their texts come from, how they are read, and how they are kept for the next request."""

from graph.documents.cache import Documents, ValidationFailed
from graph.documents.document import BoundDocument, Document

__all__ = ["BoundDocument", "Document", "Documents", "ValidationFailed"]
