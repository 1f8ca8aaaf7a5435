// A text is not seen while a token passes over it: what is half covered would be read as another number.

const LETTER = 0.6; // of the size of the font
const TOUCH = 3; // px that they may overlap

export class Covered {
  constructor(tokens, views) {
    this.tokens = tokens.filter(({ mark }) => mark.tag === "rect");
    const near = (item) => item.mark.tag === "text" && item.node;
    this.texts = new Map(this.tokens.length ? views.filter(({ hidden }) => !hidden).map((view) => [view.svg, view.items.filter(near)]) : []);
  }

  show() {
    for (const [svg, texts] of this.texts) {
      const seen = this.tokens.filter(({ node, name }) => node.parentNode === svg && name !== "hidden");
      for (const item of texts) item.node?.toggleAttribute("data-under", seen.some(({ at }) => overlap(at, item)));
    }
  }

  end() { for (const texts of this.texts.values()) for (const { node } of texts) node?.removeAttribute("data-under"); }
}

function overlap({ x, y, width, height }, { mark: { at }, text }) {
  const size = at["font-size"] || 12, wide = text.length * size * LETTER;
  const left = at.x - { start: 0, middle: wide / 2, end: wide }[at["text-anchor"] || "start"];
  return left + TOUCH < x + width && left + wide - TOUCH > x && at.y - size + TOUCH < y + height && at.y - TOUCH > y;
}
