"""Logs of executions: where they are, and what of them may be shown."""
