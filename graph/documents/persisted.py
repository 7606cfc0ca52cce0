"""Texts that requests name by an id or a hash: trusted documents, and those that clients registered by their hash."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from graph.documents.trusted import sha256
from graph.errors import PersistedQueryNotSupported, PersistedQueryRequired
from graph.settings import Settings

_MOST_CHARACTERS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """How a request names its document: by text, id or hash; text and hash together register it."""

    text: str | None = None
    id: str | None = None
    hash: str | None = None


class PersistedDocuments:
    """Finds texts, and keeps the latest that clients registered with this process.

    Args:
        trusted: The texts of the manifest by their ids; their hashes name them too.
        settings: How many registered texts are kept.
        takes_texts: Whether requests may send and register texts.
    """

    def __init__(self, trusted: Mapping[str, str], settings: Settings, *, takes_texts: bool = True) -> None:
        self._trusted = {sha256(text): text for text in trusted.values()} | dict(trusted)
        self._takes_texts = takes_texts
        self._most_registered = settings.apq_documents if self._takes_texts else 0
        self._registered: OrderedDict[tuple[str | None, str], str] = OrderedDict()
        self._characters = 0

    def text(self, ref: DocumentRef, user: str) -> str | None:
        """Return the text of a document; None for an unknown id or hash.

        Raises:
            PersistedQueryRequired: for a text, when only trusted documents may run.
            PersistedQueryNotSupported: for an id or a hash, when no document has one.
        """
        if ref.text is not None:
            if not self._takes_texts:
                raise PersistedQueryRequired
            return ref.text
        if not self._trusted and not self._most_registered:
            raise PersistedQueryNotSupported
        key = ref.hash or (ref.id or "").removeprefix("sha256:")
        return self._trusted.get(key) or self._registered_by(None, key) or self._registered_by(user, key)

    def keep(self, ref: DocumentRef, user: str) -> None:
        """Keep a valid text under its hash.

        A text with strings is kept for its user alone, so that nobody else learns that it was sent.
        """
        if ref.text is None or ref.hash is None or not self._most_registered:
            return
        key = (user if '"' in ref.text else None, ref.hash)
        self._characters += 0 if key in self._registered else len(ref.text)
        self._registered[key] = ref.text
        while len(self._registered) > self._most_registered or self._characters > _MOST_CHARACTERS:
            _, text = self._registered.popitem(last=False)
            self._characters -= len(text)

    def _registered_by(self, user: str | None, key: str) -> str | None:
        text = self._registered.get((user, key))
        if text is not None:
            self._registered.move_to_end((user, key))
        return text
