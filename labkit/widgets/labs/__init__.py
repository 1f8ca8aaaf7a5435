"""The labs: for each a Python module and the JavaScript next to it, or a folder of them that has the name of the lab.

A lab stands on the kit and may show a run as the explorer does; it knows no other lab.
"""
