"""GraphQL over HTTP: one request, from its bytes to the answer, and all that stands around it."""
