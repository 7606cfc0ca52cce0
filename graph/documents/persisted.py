"""Texts that requests name by an id or a hash: those that the operator trusts, and those that clients left here."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from graph.documents.trusted import sha256
from graph.errors import PersistedQueryNotSupported, PersistedQueryRequired
from graph.settings import Settings

_LEFT_CHARACTERS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """Which document a request is about: its text, its id, its hash, or its text with its hash to keep it by."""

    text: str | None = None
    id: str | None = None
    hash: str | None = None


class Persisted:
    """Finds the texts, and keeps those that clients leave, the latest in this process.

    Args:
        trusted: The texts of the manifest by their ids; their hashes name them too.
        settings: How many others are kept.
        takes_texts: Whether others are taken.
    """

    def __init__(self, trusted: Mapping[str, str], settings: Settings, *, takes_texts: bool = True) -> None:
        self._trusted = {sha256(text): text for text in trusted.values()} | dict(trusted)
        self._takes_texts = takes_texts
        self._most_left = settings.apq_documents if self._takes_texts else 0
        self._left: OrderedDict[tuple[str | None, str], str] = OrderedDict()
        self._characters = 0

    def text(self, wanted: DocumentRef, user: str) -> str | None:
        """Return the text that a user wants; None for an id or a hash that is not known.

        Raises:
            PersistedQueryRequired: for a text, where only trusted documents are taken.
            PersistedQueryNotSupported: for an id or a hash, where none is ever known.
        """
        if wanted.text is not None:
            if not self._takes_texts:
                raise PersistedQueryRequired
            return wanted.text
        if not self._trusted and not self._most_left:
            raise PersistedQueryNotSupported
        key = wanted.hash or (wanted.id or "").removeprefix("sha256:")
        return self._trusted.get(key) or self._left_by(None, key) or self._left_by(user, key)

    def keep(self, wanted: DocumentRef, user: str) -> None:
        """Keep a valid text under its hash.

        One with strings in it is kept for its user alone: nobody else is told whether it was sent.
        """
        if wanted.text is None or wanted.hash is None or not self._most_left:
            return
        key = (user if '"' in wanted.text else None, wanted.hash)
        self._characters += 0 if key in self._left else len(wanted.text)
        self._left[key] = wanted.text
        while len(self._left) > self._most_left or self._characters > _LEFT_CHARACTERS:
            _, text = self._left.popitem(last=False)
            self._characters -= len(text)

    def _left_by(self, user: str | None, key: str) -> str | None:
        text = self._left.get((user, key))
        if text is not None:
            self._left.move_to_end((user, key))
        return text
