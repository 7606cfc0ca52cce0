"""The audit: one line of the log for each denial and each link, as JSON, with nothing of the object but its name."""

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

    def linked(self, execution_id: str, file: str, version_id: str | None) -> None:
        """Note a link to a file of an execution, without the link."""
        line = {"user_id": self._user_id, "execution_id": execution_id, "file": file, "version_id": version_id}
        log.info("linked %s", json.dumps(line))
