"""One builder for each execution table: items as VAMS writes them, for every path that writes."""
