"""What happened in a run, and its parts."""
