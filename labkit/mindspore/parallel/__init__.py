"""Data parallel training: what the settings of `set_auto_parallel_context` mean."""
