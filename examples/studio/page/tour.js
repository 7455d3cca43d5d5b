// A tour of three steps, shown at the first visit.

import { button, h } from "./dom.js";

const SEEN = "figrs-studio-toured";
/** The text of each step, and the part of the page that it is about. */
const STEPS = [
  ["[aria-label='Tiles']", "Choose a tile and click a cell. The cell keeps this tile, and the studio draws the rest of the board around it."],
  ["[role='toolbar']", "Another draws a new board with the tiles that you set; Undo brings back the last board. The heat map below the tiles shows the cells in which a tile can occur."],
  [".side details", "State the demands on every board here. Files, further down, saves a board as text, picture or map."],
];

/** True if the browser has stored an earlier visit, or if its storage cannot be read. */
function wasHere() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return true;
  }
}

/** Begins the tour in a view, if it is the first visit. */
export function tour(view) {
  if (wasHere()) return;
  let at = 0;
  const text = h("p");
  const count = h("span", { className: "small" });
  const mark = (isOn) => view.querySelector(STEPS[at][0])?.classList.toggle("toured", isOn);
  const end = () => {
    mark(false);
    box.remove();
    localStorage.setItem(SEEN, "1");
  };
  const next = button("Next", () => {
    if (at === STEPS.length - 1) return end();
    mark(false);
    at += 1;
    show();
  }, { className: "main" });
  const show = () => {
    text.textContent = STEPS[at][1];
    count.textContent = `${at + 1} of ${STEPS.length}`;
    next.textContent = at === STEPS.length - 1 ? "Done" : "Next";
    mark(true);
  };
  const box = h("section", { className: "panel stack tour", "aria-label": "First steps" }, text,
    h("div", { className: "row" }, count, h("span", { className: "gap" }), button("Skip", end), next));
  show();
  // The box of the tour moves with the view.
  view.append(box);
}
