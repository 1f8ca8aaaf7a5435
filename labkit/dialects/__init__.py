"""What both dialects use: types of arguments, names of the real packages, provenance of tensors, trees of modules.

`torch.txt.gz` and `mindspore.txt.gz` list the public names of the real packages, and are read only for an error message;
`class_paths_*.txt` list the modules in which the real packages define their classes.
"""
