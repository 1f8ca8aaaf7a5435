"""The labs, a folder for each: its face, `run` (what is computed), `scene` and `view` (what is drawn), `words` (what is said).

A lab stands on the kit and may show a run as the explorer does; it knows no other lab.
"""
