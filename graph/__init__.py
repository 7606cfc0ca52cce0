"""VAMS Graph: the GraphQL API over the workflow executions of VAMS."""

__version__ = "0.1.0"
