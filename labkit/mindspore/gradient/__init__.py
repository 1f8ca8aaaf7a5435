"""Derivatives as functions of functions: `grad`, `value_and_grad`, Jacobians, `vmap`, and the hooks of gradients."""
