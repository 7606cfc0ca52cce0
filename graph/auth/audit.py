"""The audit: a line of the log for each denial, link and action, as JSON, with nothing of the object but its name."""

import json
import logging

log = logging.getLogger(__name__)


class Audit:
    """Notes what one operation of a user was denied, each once."""

    def __init__(self, user_id: str) -> None:
        self._user_id = user_id
        self._noted: set[tuple[str, str, str]] = set()

    def denied(self, object_type: str, object_id: str, action: str, rule: str) -> None:
        """Note a denial, and the rule that decided: the id of a constraint, or why none allows it."""
        denial = (object_type, object_id, action)
        if denial in self._noted:
            return
        self._noted.add(denial)
        self._tell("denied", object_type, object_id, action, rule=rule)

    def allowed(self, object_type: str, object_id: str, action: str) -> None:
        """Note that an action begins."""
        self._tell("allowed", object_type, object_id, action)

    def done(self, object_type: str, object_id: str, action: str, outcome: str) -> None:
        """Note how an action that was allowed ended."""
        self._tell("done", object_type, object_id, action, outcome=outcome)

    def linked(self, execution_id: str, file: str, version_id: str | None) -> None:
        """Note a link to a file of an execution, without the link."""
        line = {"user_id": self._user_id, "execution_id": execution_id, "file": file, "version_id": version_id}
        log.info("linked %s", json.dumps(line))

    def _tell(self, what: str, object_type: str, object_id: str, action: str, **more: str) -> None:
        line = {"user_id": self._user_id, "object_type": object_type, "object_id": object_id, "action": action, **more}
        log.info("%s %s", what, json.dumps(line))
