"""One schema as it is served: what reads, prices, runs and shows by it."""

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import GraphQLError

from graph.documents import Document, Documents
from graph.documents.persisted import PersistedDocuments
from graph.documents.trusted import check_manifest
from graph.errors import original_of, present
from graph.http.limits import Limits
from graph.http.schema_masking import SchemaMask
from graph.schema import Schema
from graph.settings import Settings


class SchemaRuntime:
    """A schema with its documents, persisted documents and prices."""

    def __init__(self, schema: Schema, settings: Settings, trusted: Mapping[str, str], *, takes_texts: bool) -> None:
        self.schema = schema
        self.documents = Documents(schema.core, settings, sum(map(len, set(trusted.values()))))
        check_manifest(trusted, self.documents)
        self.persisted = PersistedDocuments(trusted, settings, takes_texts=takes_texts)
        self.limits = Limits(schema.core, settings)
        roots = (schema.core.query_type, schema.core.mutation_type)
        self.root_fields = frozenset(name for root in roots if root is not None for name in root.fields)
        self._schema_mask = None if settings.is_development else SchemaMask(schema.core)

    def has_long_texts(self, document: Document) -> bool:
        """Return whether a document selects texts that can fill a whole row."""
        return self.limits.has_long_texts(document.once(self.schema.selection).fields)

    def presented(self, errors: Iterable[GraphQLError], source: str) -> list[Any]:
        """Return errors as the client may see them."""
        return [
            self._schema_mask.mask(present(error), source)
            if self._schema_mask is not None and original_of(error) is None
            else present(error)
            for error in errors
        ]
