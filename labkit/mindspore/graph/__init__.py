"""Graph mode: functions recorded as programs, with their branches, loops and writes."""
