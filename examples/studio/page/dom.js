// Elements of the page, made by functions.

/** An element with properties, attributes (those with a hyphen, `role` and `for`), listeners (`onclick`) and children. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button that does something. */
export function button(text, onclick, properties = {}) {
  return h("button", { type: "button", textContent: text, onclick, ...properties });
}

/** A switch with its label. `set` is called with true or false. */
export function toggle(text, checked, set) {
  const input = h("input", { type: "checkbox", checked, onchange: () => set(input.checked) });
  return Object.assign(h("label", { className: "switch" }, input, text), { input });
}

/** True if the number in a field is valid; else the field states which numbers are valid. */
function isTaken(input) {
  input.setCustomValidity("");
  const { min, max, step, validity } = input;
  const isWhole = step === "" || step === "1";
  const isOnStep = !validity.stepMismatch || !isWhole;
  if (isOnStep && !validity.badInput && !validity.rangeUnderflow && !validity.rangeOverflow) return true;
  const bounds = Number(max) < Number.MAX_SAFE_INTEGER ? ` from ${min} to ${max}` : `, ${min} or more`;
  input.setCustomValidity(`Write a ${isWhole ? "whole number" : "number"}${bounds}.`);
  input.reportValidity();
  return false;
}

/** A number with its label; empty is null. `set` is called once the number is changed. */
export function number(text, value, set, properties = {}) {
  const read = () => isTaken(input) && set(input.value === "" ? null : Number(input.value));
  const input = h("input", { type: "number", value: value ?? "", onchange: read, max: Number.MAX_SAFE_INTEGER, ...properties });
  return Object.assign(h("label", { className: "field" }, text, input), { input });
}

/** Two numbers, from and to, with one label. */
export function range(text, [least, most], set, properties = {}) {
  const read = () => {
    if (!inputs.every(isTaken)) return;
    const [least, most] = inputs.map((input) => (input.value === "" ? null : Number(input.value)));
    const isEmpty = least !== null && most !== null && least > most;
    inputs[1].setCustomValidity(isEmpty ? "less than the number before" : "");
    if (isEmpty) inputs[1].reportValidity();
    else set([least, most]);
  };
  const one = (value, name) =>
    h("input", { type: "number", min: 0, max: 4294967295, value: value ?? "", onchange: read, "aria-label": `${text}, ${name}`, ...properties });
  const inputs = [one(least, "at least"), one(most, "at most")];
  const pair = h("span", { className: "pair" }, inputs[0], "to", inputs[1]);
  return Object.assign(h("div", { className: "row" }, h("span", { textContent: text }), h("span", { className: "gap" }), pair), { inputs });
}

/** A line of text with its label. `set` is called once it is changed. */
export function line(text, value, set, properties = {}) {
  const input = h("input", { type: "text", value: value ?? "", spellcheck: false, onchange: () => set(input.value.trim()), ...properties });
  return Object.assign(h("label", { className: "field" }, text, input), { input });
}

/** A text of several lines with its label. `set` is called once nobody types for a while. */
export function text(label, value, set, properties = {}) {
  const input = h("textarea", { rows: 6, value: value ?? "", spellcheck: false, "aria-label": label, ...properties });
  input.oninput = settled(500, () => set(input.value));
  return Object.assign(h("label", { className: "fields small" }, label, input), { input });
}

/** A choice among values, each with its text. */
export function select(text, value, choices, set) {
  const options = choices.map(([key, name]) => h("option", { value: key, textContent: name, selected: key === value }));
  const input = h("select", { onchange: () => set(input.value) }, options);
  return Object.assign(h("label", { className: "field" }, text, input), { input });
}

/** A part of the side panel that can be folded, with a line that states its purpose. */
export function fold(title, about, open, ...children) {
  const help = about && h("p", { className: "small", textContent: about });
  return h("details", { className: "panel", open }, h("summary", { textContent: title }), h("div", { className: "fields" }, help, children));
}

/** A share in percent, never rounded to 0 or 100 where it is neither. */
export function percent(p) {
  if (p === 0) return "0 %";
  if (p < 0.001) return "< 0.1 %";
  if (p > 0.999 && p < 1) return "> 99.9 %";
  return `${(100 * p).toFixed(p < 0.1 || p > 0.9 ? 1 : 0)} %`;
}

/** True for a field in which letters are typed, which has an undo of its own. */
export const isTyped = (element) => element.matches("textarea, input:not([type=checkbox], [type=radio], [type=file])");

/** Calls a function once nothing has called this for some milliseconds. `cancel` forgets a call that waits, `flush` makes it at once. */
export function settled(milliseconds, act) {
  let [timer, waiting] = [0, null];
  const cancel = () => {
    clearTimeout(timer);
    waiting = null;
  };
  const flush = () => {
    const given = waiting;
    cancel();
    if (given) act(...given);
  };
  const call = (...given) => {
    cancel();
    waiting = given;
    timer = setTimeout(flush, milliseconds);
  };
  return Object.assign(call, { cancel, flush });
}
