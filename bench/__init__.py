"""What things cost, measured: each module is a command of its own."""
