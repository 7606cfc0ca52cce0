"""How AWS is reached: clients, credentials, signatures, connections, authorities, and the one way to call it."""
