"""Mutants of solutions that are right answers: why, which changes they are, and in which exercises.

A row is a class of equivalence: the reason, a pattern of the change as `mutants` names it, and the exercises it is true of
(none named: of all). `tests/classroom/test_mutants.py` tries each of these mutants on thousands of inputs.
"""

import re
from typing import NamedTuple


class Equivalence(NamedTuple):
    """Why a mutant gives what the solution gives, for all inputs that the statement allows."""

    reason: str
    change: str
    exercises: str = ""


CLASSES = [Equivalence(*row) for row in (
    # what may stand anywhere
    ("a - b and b - a have one square", r"\((?P<a>.+) - (?P<b>.+?)\) \*\* 2.* -> .*\((?P=b) - (?P=a)\) \*\* 2"),
    ("the first of one item is its last", r"(\)|pull\(g\)|a|w2\))\[(:, )?0\].* -> .*\[(:, )?-1\]"),
    ("axis 1 of two axes is the last", r"sum\(1\).* -> .*sum\(-1\)"),
    ("minus zero is zero", r"-(np\.zeros|torch\.zeros|ms\.Tensor\(0\.0\))"),
    ("a float of NumPy is a float, and where a number is asked for a number of any type may come",
     r"return float\((.+?)\)(.*) -> return \1\2$|return (.+)//(.+) -> return .+/", "run-accuracy run-plan"),
    ("float(), asnumpy() and ** take a tensor or an array of one number alike", r"^norm = float\(\(.*asnumpy.* -> ", "grad-clip"),
    ("a tensor of no axes may be a number, a leaf or a Parameter the tensor it holds",
     r"loss\.item\(\)|return .*w\.detach\(\)\)? -> |layer\.weight\.value\(\)\) -> ",
     "step-port run-loop step-write rnn-truncate"),
    ("a tensor plus a number is a tensor", r"(total|seen) = ms\.Tensor\(0\.0\) -> (total|seen) = 0\.0",
     "port-accumulate port-two-outputs"),
    ("a leaf times a number is what it is times a tensor of that number", r"h = torch\.tensor\(0\.5\) -> h = 0\.5",
     "tape-mend-loop"),
    ("x * w is symmetric, and dx comes first", r"-> def forward\(w, x, y\)", "grad-mend"),
    ("has_aux=True leaves out what the other output is",
     r"return \(\(logits - y\) \*\* 2, -?logits|return \(\(x \*\* 2 \* y\)\.sum\(\), ", "grad-mend grad-unpack"),
    ("the larger of two does not depend on their order, and a number is as good as a tensor of it",
     r"maximum\(z, 0\.0\)$|maximum\(ms\.Tensor\(0\.0\), z\)$", "loss-mend"),
    ("what has no history has none to lose", r"doubled: h = h\.detach", "tape-mend-loop"),
    ("the quotient of both derivatives is the same for f and -f", r"grad\(8 \* x - x \*\* 4", "port-second-order"),
    ("float16 takes what is added from float32, in which it is then computed",
     r"weights = w\.astype\(np\.float32\) -> weights = w$", "fp-update"),
    # orders
    ("sums and products do not depend on the order, nor does a maximum", r"\[::-1\]",
     "start-mend backprop-write backprop-mend-order backprop-mend-twice engine-program engine-mend-levels port-accumulate "
     "clip-longest run-accuracy rule-convolution parallel-words"),
    ("each turn does its own part, whatever the others did", r"\[::-1\]", "fd-gradient engine-arrays vector-unbroadcast"),
    ("the inner product is symmetric", r"-> .*(@ \(x @ a\)|a @ x @ x|x @ b|v @ u)|cosine\(v, u\)|cosine\(mean, ",
     "newton-step clip-prove"),
    ("the arguments are alike", r"\): -> def (largest|proof|step|plan)", "scale-largest clip-prove clip-mend run-plan"),
    ("the norm and a step for each parameter know no order", r"\[x, y\].* -> .*\[y, x\]|\[w1, w2\].* -> .*\[w2, w1\]",
     "clip-port sick-loop"),
    ("w and g have one shape and dtype, and what is added and multiplied knows no order",
     r"zeros_like\(g\)|train\(w, lr, g, steps\)", "fp-rest"),
    ("a sign in numerator and denominator goes", r"e = -np\.exp", "rule-softmax rule-cross-entropy"),
    ("there are as many labels as rows", r"len\(labels\)", "rule-cross-entropy"),
    ("what is centred stands twice in a product", r"centred = -\(|centred = x\.mean\(axis=0\) - x", "rule-batch-norm"),
    ("2 * x * y is symmetric: the derivative of x**2 * y for x", r"step\(y, x\)$", "port-two-outputs"),
    ("(x * c - 1)**2 is symmetric, and the gradient is for the argument in front", r"lambda c, x", "port-accumulate"),
    ("-1, 0, 1, 2 are the same four places as 0, 1, 2, 3", r"v\[i - 1\]", "port-accumulate"),
    # the ward
    ("a column has one item in each row", r"z\[:, 0\] -> .*\[:, -1\]", "ward-patch"),
    ("a product is symmetric", r"def share\(scale, value, pieces\)", "ward-patch"),
    ("a sum knows no order, nor do the items of a dict", r"items\(\)\)\[::-1\]|values\(\)\)\[::-1\]|items\(\).*turns",
     "ward-patch"),
    ("a tensor of no axes to a power is as good as a number", r"\*\* 0\.5 -> norm = sum", "ward-patch"),
    ("where the mean is wrong, it is so in every step", r"'pieces'\)\[0\] == 2: -> .*\[(1|-1)\]", "ward-patch"),
    ("the gradients are longer than the limit in every step", r"'arriving'\)\[0\] != .* -> .*\[(1|-1)\]",
     "ward-patch ward-diagnose"),
    ("after the warmup all rates are alike", r"'rates'\)\[-1\].* -> .*\[(-1 - 1|-2)\]", "ward-diagnose"),
    ("an overflow shows in the gradients as well, which are measured later", r"= 'skips' -> .* 'gradients'", "ward-diagnose"),
    ("what has been paid, found, replaced is so already", r"doubled", "ward-patch ward-diagnose"),
    # an evaluation without a tape
    ("without a tape it is all the same whether w is a leaf, and made once or twice", r"w = torch\.tensor\(w, requires_grad",
     "memory-leak"),
    ("a sum knows no order", r"zip\(.*\[::-1\]", "memory-leak memory-bytes"),
    ("there is a label for each row", r"len\(y\).* -> .*len\(x\)", "memory-leak"),
    ("a mean of one number is a number", r"float\(total\) / .* -> .*\(total / ", "memory-leak"),
    ("total is a tensor, and has a grad_fn", r"'grad_fn', None\).* -> .*'grad_fn'\)", "memory-leak"),
    # once more
    ("what is there already is written again", r"turns \+ turns|doubled: (for|gradient)", "fd-gradient"),
    ("a state that is made once more is the same", r"for t in range.*turns \+ turns|doubled: (for t in range|states)",
     "rnn-backward"),
    ("the last node of the walk has no parents: it is a leaf", r"(for node in .*\[:-1\])|(for node in .*turns)",
     "backprop-write backprop-mend-order backprop-mend-twice"),
    ("a node has its place already", r"doubled: (if node|for|place)|for parent.*turns", "backprop-mend-order"),
    ("the branches of this `if` only set slopes", r"doubled: if", "engine-program dual-program"),
    ("instructions that run once more give their values once more, and the last is the same", r"doubled: for|turns \+ turns",
     "dual-program"),
    ("sum and product do not ask which argument is called a, and tanh has one", r"a, b = \(places\[-1\], places\[0\]\)",
     "dual-program"),
    ("what has been summed along an axis has length 1 there", r"turns|doubled", "engine-arrays vector-unbroadcast"),
    ("the same candidate once more is no other maximum or minimum", r"turns \+ turns",
     "engine-mend-levels memory-segments"),
    ("what has been clipped, made, registered, cleared is that already", r"doubled",
     "clip-port clip-mend step-write step-port memory-mend run-loop sick-loop rnn-truncate"),
    ("the second round counts every sample once more, right and seen alike", r"doubled: for", "run-accuracy"),
    ("beyond the end there is no sample: nothing is counted, and the mean of none has the gradient 0",
     r"\) \+ 1, size\)", "run-loop run-accuracy"),
    # what nobody sees
    ("labkit's grad of an array differentiates its sum", r"anp\.sum.* -> f = lambda x: anp\.log", "curve-power"),
    ("a vector turned round has the same quotient, and one of length 1 stays when it is divided by its length",
     r"-> v = -|doubled: v = v / ", "curve-power"),
    ("an inner product has no order", r"hvp\(f, x, v\) @ v", "curve-power"),
    ("a distance has no sign", r"abs\(j - i\)", "many-colours"),
    ("-2, -1, 0 are the same three rows as 1, 2, 0", r"j % -3", "many-colours"),
    ("every item is set afterwards", r"np\.ones", "fd-gradient"),
    ("grad is 0 before", r"-> grad = 2 \* error \* x", "backprop-mend-reset"),
    ("tanh has one argument", r"a\[-1\]", "engine-program"),
    ("MindSpore differentiates the sum of an output",
     r"h \*\* 3$|\(rounded\(x\) - t\) \*\* 2\)\(x\)|\(x - target\) \*\* 2$|astype\(ms\.float16\) \* x \* 2",
     "sens-two-parts straight-through port-detach scale-static"),
    ("the slope of h**3 is even, and so is that of tanh", r"-first\(x\)|-x,\)", "sens-two-parts vector-columns"),
    ("where it is not chosen, any number with a finite slope may stand; the first `where` sends nothing back there",
     r"x, [02]\.0\)$|, -?1\.0\)$|sqrt\(safe\)\)$", "nan-repair"),
    ("the four are near each other: any number near them will do", r"np\.(mean|min)\(x\)", "logsumexp-rule"),
    ("names of parameters are not asked for; 0.1 is what SGD takes by itself", r"super\(\)|SGD\(layer\.trainable_params\(\)\)$",
     "step-write"),
    ("both have as many rows", r"len\((x|y|labels|logits)\b.* -> ", "parallel-accumulate run-loop run-accuracy"),
    ("-inf and nan are not finite either", r"all_finite\(\(-mean,\)\)", "clip-mend"),
    ("a mean that begins as a number is an array after the first gradient", r"zeros_like\((rate|decay)\)", "adamw-mend"),
    ("a length has no sign, and minus zero is zero", r"-\(g @ w\.T\)|return -0$", "rnn-horizon"),
    ("the cosine is even", r"done = -|\(warm - (step|total)\)", "warmup-rate"),
    ("a cosine does not change with a length, and that of one direction is 1",
     r"mean = |\(clip\(a\) \+ clip\(b\)\) |cosine\(clip\(a\) \+ clip\(b\), mean\)|cosine\(mean, mean\)", "clip-prove"),
    ("of a length and its limit that are equal the quotient is 1", r"norm > limit.* -> if norm >= limit", "scale-repair"),
    ("forward and back run the same n layers", r"return \(gradient, (len|forward, forward)", "memory-mend"),
    ("s = n is as good as s = 1, which comes first; no s above n divides n", r"\[:-1\]|range\(1, n( |\))", "memory-segments"),
    ("s divides n", r"n // s", "memory-segments"),
    ("the batch can be divided by the count, and a slice takes 2.0 for 2", r"len\(y\) / count",
     "parallel-accumulate parallel-words"),
    ("x, y and mask have as many rows", r"len\((x|mask)\) // count$", "parallel-words"),
    ("with all rows in the first micro-batch and none in the others the sum is the same, as it is with one more that is empty",
     r"size = len\(y\)( \* count)?$|range\(count \+ 1\)", "parallel-words"),
    # what the tolerance does not see, and no legitimate input shows
    ("what lr * g loses in float16 is far less than the gap of the weights", r"lr \* g$", "fp-update"),
    ("with the scale nothing is lost in float16, so float32 gives the same", r"return \(w \* x\)\.sum", "scale-static"),
    ("65504 to 65520 becomes 65504, so no input is there", r"65505", "scale-largest"),
    ("1e-8 is far below the root, and where it is added differs between frameworks", r"\+ 1e-08\) -> .*(- 1|\+ 2|\+ -1)e-08\)",
     "step-adam"),
)]  # fmt: skip


def classes_of(exercise: str, change: str) -> list[Equivalence]:
    """The classes that a mutant of an exercise belongs to."""
    return [c for c in CLASSES if exercise in (c.exercises.split() or [exercise]) and re.search(c.change, change)]
