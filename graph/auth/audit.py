"""The audit: one line of the log for each denial, as JSON, with nothing of the object but its name."""

import json
import logging

log = logging.getLogger(__name__)


class Audit:
    """Notes what one operation of a user was denied, each once."""

    def __init__(self, user_id: str) -> None:
        self._user_id = user_id
        self._noted: set[tuple[str, str, str]] = set()

    def denied(self, object_type: str, object_id: str, action: str, rule: str) -> None:
        """Notes a denial, and the rule that decided: the id of a constraint, or why none allows it."""
        denial = (object_type, object_id, action)
        if denial in self._noted:
            return
        self._noted.add(denial)
        line = {
            "user_id": self._user_id,
            "object_type": object_type,
            "object_id": object_id,
            "action": action,
            "rule": rule,
        }
        log.info("denied %s", json.dumps(line))
