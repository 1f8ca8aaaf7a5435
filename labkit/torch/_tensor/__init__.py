"""`Tensor`, by subject: its fields, its place on the tape, its gradient, its attributes, conversion and printing."""
