"""What happened inside a state machine, told from its events. Pure."""
