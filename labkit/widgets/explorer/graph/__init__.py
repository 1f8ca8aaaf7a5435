"""What the page of the graph explorer is given: boxes, edges, words and arrays of a run, in each way of folding."""
