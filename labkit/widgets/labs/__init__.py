"""The labs, a folder for each: the lab, `run` (computes), `scene` and `view` (draw), `words` (sentences).

A lab stands on the kit and may show a run as the explorer does; it knows no other lab.
"""
