"""Engines: what ran the executions and the state machines within their steps, asked what became of them."""
