"""What widgets are made of; each drawer is a module.

`scene`: a picture that plays, as data. `picture`: what shows and saves it, by `still`, `moving`, `player` and `page`.
`theme`, `words`: how marks look, how numbers are written. `boxes`, `layout`, `contours`, `heat`, `plots`: parts of pictures.
`passes`: the pulls and pushes that make a Jacobian.
"""
