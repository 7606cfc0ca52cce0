"""What changes something: aborting runs, deleting them, and registering what their steps started."""
