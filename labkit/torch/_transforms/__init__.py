"""The parts of `torch.func`: the run of a function inside a transform, `vmap`, stateless calls of modules."""
