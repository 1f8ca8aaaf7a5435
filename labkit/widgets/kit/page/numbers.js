// Numbers as they are written on cards and in sentences: `number` and what is like it in `words.py`.

const NUMBER_FORMATS = {
  "3": (value) => minus(general(value, 3)),
  "2": (value) => minus(general(value, 2)),
  "(3": (value) => (value < 0 ? `(${minus(general(value, 3))})` : minus(general(value, 3))),
  "6": (value) => general(value, 6, true),
  px: (value) => fixed(value, 1).replace(/\.0$/, "").replace(/^-0$/, "0"),
  f1: (value) => fixed(value, 1),
  f2: (value) => fixed(value, 2),
  i: (value) => (Math.abs(value) < 1e15 ? minus(String(Math.trunc(value) + 0)) : minus(general(value, 3))),
};

export function inWords(value, format) { return NUMBER_FORMATS[format](value); }

function minus(words) { return words.replaceAll("-", "\u2212"); }

// As Python's format "g" with so many digits; zero has a sign if `signed`.
export function general(value, digits, signed = false) {
  if (!value) return signed && Object.is(value, -0) ? "-0" : "0";
  const [size, power] = halfEven(value, digits).split("e"), exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return String(Number(`${size}e${power}`));
  return `${Number(size)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

// With so many digits after the point, as Python's format "f" has them.
function fixed(value, digits) {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.${"0".repeat(digits)}`;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "", exact = Math.abs(value).toFixed(60), end = exact.indexOf(".") + 1 + digits;
  const low = exact.slice(0, end), even = Number(low.at(-1)) % 2 === 0;
  return sign + (/^50*$/.test(exact.slice(end)) && even ? low : Math.abs(value).toFixed(digits));
}

// In exponents; what lies just between two goes to the even one, where JavaScript goes away from zero.
function halfEven(value, digits) {
  const found = value.toExponential(digits - 1);
  if (!value.toExponential(digits).includes("5e")) return found;
  const more = value.toExponential(60);
  const [size] = more.split("e"), rest = size.slice(size.indexOf(".") + digits); // "-1.125000" has its digits after the point
  if (!/^50*$/.test(rest)) return found;
  const low = `${size.slice(0, size.indexOf(".") + digits)}e${more.split("e")[1]}`;
  return Number(low.split("e")[0].at(-1)) % 2 ? found : low;
}
