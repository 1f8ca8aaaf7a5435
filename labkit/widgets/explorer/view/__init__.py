"""How a run looks: its boxes, and the three views of them."""
