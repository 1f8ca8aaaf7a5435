"""The parts of widgets, a module for each.

A widget is a `Picture` of a `Scene`, which is data alone: dials, and panels of marks that say how they change with them.

`scene`: the data, and how it is written. Marks are made by `rect`, `circle`, `path`, `line`, `text`, `arrow_head`; a path may
be given as points. A mark changes by `mark.following(dial, x=[...])` (one value for each position), `mark.varying` (changes
alone), `mark.seen_from(dial, position)`, `mark.answering(dial)` where it would give an answer away, and `mark.asking(dial)` where
it is seen instead. `only(when, marks)` shows marks, panels, captions, dials or questions at some positions of dials.
`Ask.number` is a question about a number, `by_position` gathers questions for a dial.
`joint`: what follows several dials at once, `mark.following({"a": 3, "b": 4}, x=[...])`, one value for each combination.
`bound`: a dial that puts others in their places.
`motion`: what is seen between two positions. Nothing has to be declared: numbers, paths and numbers in texts go evenly from the
one to the other. `mark.moving` gives a property a time of its own; a `Panel` may have `tokens`, which travel along paths.
`grips`: what the reader takes hold of: a `Grip` turns a dial to the nearest position, or sets fields `Along` axes. `reach`:
the scenes that a saved page has for these. `hunts`: a `Hunt`, a game in which the reader clicks what is suspected.
`strokes`: paths and coordinates as they are written; a place on an axis keeps the number that it stands for. `polyline`,
`polygon` (a sign around corners), `growing` with a dial.
`axes`: an `Axis`, linear or logarithmic, with its ticks; a `Plane` of two, with tracks that end where they leave it, and
contour lines (`contours`).
`boxes`, `layout`: a graph: where its boxes stand (in rows, if it is wide), their cards, the arrows between them and the labels
next to these.
`heat`: a grid of tiles and numbers, such as a Jacobian; `passes`: the VJPs and JVPs that make one.
`words`: numbers, shapes, lists and plurals as they are written; `theme`: how marks look, by role.
A panel may have more marks than a page can hold: `page` draws those in sight alone. `Panel.far` are for its look from afar.
A `Link` tells what is behind marks; `known` says from where on, while the reader predicts.
`picture`: what shows and saves a scene, by `still`, `moving`, `player` and `page`. `plots`: curves by matplotlib.
"""
