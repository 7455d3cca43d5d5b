// The views of the page: one view is shown at a time, and the address contains its name.

import { button } from "./dom.js";
import { levelView } from "./level.js";
import { boardView, KINDS } from "./board.js";
import { networkView } from "./network.js";
import { tour } from "./tour.js";

const views = [
  ["level", "Level", levelView],
  ...Object.entries(KINDS).map(([name, kind]) => [name, kind.title, () => boardView(name)]),
  ["network", "Network", networkView],
];
const work = document.querySelector("#work");
const nav = document.querySelector("#views");
const made = new Map();

function show(name) {
  const [, title, make] = views.find(([key]) => key === name) ?? views[0];
  for (const [key, view] of made) view.element.hidden = key !== name;
  if (!made.has(name)) {
    const view = make();
    made.set(name, view);
    work.append(view.element);
    Promise.resolve(view.start?.()).catch((problem) => view.wrong(problem.message));
  }
  for (const tab of nav.children) {
    if (tab.dataset.view === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = `${title} · figrs studio`;
}

let present = views[0][0];
const asked = () => {
  const name = location.hash.slice(1);
  // Other names are anchors within the page.
  if (views.some(([key]) => key === name)) present = name;
  return present;
};
for (const [name, title] of views) {
  const tab = button(title, () => (location.hash = name));
  tab.dataset.view = name;
  nav.append(tab);
}
addEventListener("hashchange", () => show(asked()));
show(asked());
if (present !== "network") tour(made.get(present).element);
