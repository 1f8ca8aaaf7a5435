"""What labs share.

`lab`: the base of every lab, a Jupyter widget with typed traits, words, a still picture and a saved page; `traits`; `shown`: how
it is displayed and saved. `module`: the JavaScript of all labs, a page that holds one of them, and its palettes. `reckoning`:
programs of scalars that a page computes. `passes`: the Jacobian of a function, one VJP or JVP at a time. `flow`, `layout`: where
the cards of a graph and its wires are. `sketch`: still pictures as plain SVG. `words`: numbers, shapes and lists as they are
written; `plots`: curves by matplotlib.
"""
