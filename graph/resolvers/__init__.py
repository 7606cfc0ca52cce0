"""How fields are answered. Resolvers take and give records; they know no schema type."""
