// The scalar primitives of recorded programs (`reckoning.py`).

// As NumPy's of these names; what is true is 1.
const PRIMITIVES = {
  add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b, divide: (a, b) => a / b, power: Math.pow,
  negative: (a) => -a, absolute: Math.abs, sign: Math.sign, exp: Math.exp, exp2: (a) => 2 ** a, expm1: Math.expm1,
  log: Math.log, log2: Math.log2, log10: Math.log10, log1p: Math.log1p, sqrt: Math.sqrt, sin: Math.sin, cos: Math.cos,
  tan: Math.tan, arcsin: Math.asin, arccos: Math.acos, arctan: Math.atan, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh,
  arcsinh: Math.asinh, arccosh: Math.acosh, arctanh: Math.atanh, floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc,
  maximum: Math.max, minimum: Math.min, arctan2: Math.atan2, hypot: Math.hypot, greater: (a, b) => Number(a > b),
  greater_equal: (a, b) => Number(a >= b), less: (a, b) => Number(a < b), less_equal: (a, b) => Number(a <= b),
  equal: (a, b) => Number(a === b), not_equal: (a, b) => Number(a !== b), logical_and: (a, b) => Number(Boolean(a && b)),
  logical_or: (a, b) => Number(Boolean(a || b)), logical_not: (a) => Number(!a), where: (c, a, b) => (c ? a : b),
};

export function resultOf([name, args, rounded], numbers) {
  const result = PRIMITIVES[name](...args.map((arg) => (Array.isArray(arg) ? arg[0] : numbers[arg])));
  return rounded ? Math.fround(result) : result;
}
