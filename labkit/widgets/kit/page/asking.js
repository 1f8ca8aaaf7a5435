// "Predict first": a question about the next step, its answer compared with the engine's.
import { make } from "./elements.js";

const APART = 0.03; // of the answer: a slip nearer to it is none

export function askControl() {
  const element = make("form", { className: "lk-ask", hidden: true });
  const number = (text) => Number(text.trim().replace(/[\u2212\u2013]/g, "-").replace(",", "."));
  const near = (given, value, tolerance) =>
    typeof value === "number"
      ? Math.abs(given - value) <= tolerance * Math.max(Math.abs(value), 1e-12)
      : given === value;
  return {
    element,
    hide() { element.hidden = true; },
    ask(ask, goOn) {
      const isNumber = typeof ask.answer === "number";
      const choose = (words) => make("button", { type: "button", className: "lk-button lk-wide", onclick: () => judge(words) }, words);
      const inputs = isNumber
        ? [make("input", { type: "text", inputMode: "decimal", size: 10, "aria-label": ask.question, autocomplete: "off" })]
        : ask.choices.map(choose);
      const reply = make("span", { className: "lk-reply", role: "status" });
      const check = make("button", { type: "submit", className: "lk-button lk-wide", hidden: !isNumber }, "Check");
      const show = make("button", { type: "button", className: "lk-button lk-wide", onclick: () => goOn() }, "Show me");
      const on = make("button", { type: "button", className: "lk-button lk-wide", hidden: true, onclick: () => goOn() }, "Go on");
      element.onsubmit = (event) => {
        event.preventDefault();
        const { value } = inputs[0];
        if (value.trim() === "" || Number.isNaN(number(value))) reply.textContent = "Please enter a number, such as -2.43.";
        else judge(number(value));
      };
      const judge = (given) => {
        if (near(given, ask.answer, ask.tolerance ?? 0.02)) {
          reply.textContent = `Right. ${ask.because || ""}`;
          check.hidden = show.hidden = true;
          if (!isNumber) for (const one of inputs) one.disabled = one.textContent !== given;
          on.hidden = false;
          on.focus();
          return;
        }
        const slip = (ask.slips || []).find(([value]) => !near(value, ask.answer, APART) && near(given, value, ask.tolerance ?? 0.02));
        reply.textContent = slip ? slip[1] : ask.otherwise || "Not that. Look at the upstream gradient, and at the local gradient on the edge.";
      };
      element.replaceChildren(make("span", {}, ask.question), ...inputs, check, show, on, reply);
      element.hidden = false;
      inputs[0].focus();
    },
  };
}
