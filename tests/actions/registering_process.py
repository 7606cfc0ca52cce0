"""A process that registers events: ``python -m tests.actions.registering_process ENDPOINT KEY TABLE SEED``."""

import json
import sys

from graph.actions.registrar import Registrar
from graph.demo.database import loopback_client


def main() -> None:
    """Register each event of standard input, and print what became of each."""
    endpoint, access_key, table = sys.argv[1:]
    registrar = Registrar(loopback_client(endpoint, access_key=access_key), table, seconds=120)
    for line in sys.stdin:
        print(json.dumps(registrar.register(json.loads(line)).told()))


if __name__ == "__main__":
    main()
