"""One row class for each table: what the graph shows, as plain attributes."""
