"""The DynamoDB tables of VAMS: their catalogue, their reader, their decoded rows. Knows nothing of GraphQL."""
