"""What `torch.func` is made of: the run of a function inside a transform, `vmap`, stateless calls of modules."""
