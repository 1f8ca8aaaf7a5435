// What follows several dials as a sum, each adding a part of its own; as `adding.py`.

const DIGITS = 10; // of the largest part: what of a sum lies beyond is rounding

export function added(look, mark, sums) {
  for (const name in sums) {
    const parts = sums[name], total = (values) => values.reduce((sum, part) => sum + Number(part), 0);
    if (name === "text") look.text = number(exactly(parts.map(Number), total(parts)));
    else if (name === "d") {
      let i = 0;
      const shifted = (n) => { const k = i++; return String(tenth(Number(n) + total(parts.map((part) => part[k])))); };
      (look.at ||= {}).d = (look.at.d ?? mark.at.d).replace(/-?[\d.]+/g, shifted);
    } else (look.at ||= {})[name] = tenth((look.at[name] ?? mark.at[name]) + total(parts));
  }
}

// A sum of parts, as exact as the largest of them.
function exactly(parts, total) {
  const largest = Math.max(...parts.map(Math.abs)), places = DIGITS - 1 - Math.floor(Math.log10(largest));
  return Number.isFinite(total) && largest && places >= 0 && places <= 100 ? Number(total.toFixed(places)) : total;
}

function tenth(value) { return Math.floor(value * 10 + 0.5) / 10 + 0; }

// A number with three significant digits, as `number` in `words.py` writes it: what lies in the middle goes to the even digit.
export function number(value, digits = 3) {
  if (Number.isNaN(value)) return "nan";
  const minus = value < 0 ? "\u2212" : "", size = Math.abs(value);
  if (size === Infinity) return `${minus}inf`;
  if (size === 0) return "0";
  const exact = size.toExponential(60).replace(".", ""), middle = /^50*$/.test(exact.slice(digits).split("e")[0]);
  const near = middle && exact[digits - 1] % 2 === 0 ? size * (1 - 1e-12) : size;
  const [head, power] = near.toExponential(digits - 1).split("e");
  const plain = (words) => (words.includes(".") ? words.replace(/\.?0+$/, "") : words);
  if (power < -4 || power >= digits) return `${minus}${plain(head)}e${power < 0 ? "\u2212" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return minus + plain(near.toFixed(Math.max(0, digits - 1 - power)));
}
