"""Requests whose answers are kept: what clients see does not change by accident.

``python -m tests.recorded`` records them anew; how ``answers.jsonl`` differs then is what a change does to clients.
"""
