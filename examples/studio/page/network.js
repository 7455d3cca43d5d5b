// Networks: nodes with bars. A click on a state observes it, and all posteriors come at once.

import { Lane, files } from "./api.js";
import { button, fold, h, isTyped, percent, select, settled } from "./dom.js";
import { download } from "./files.js";
import { History } from "./history.js";

/** A network to begin with. */
const GARDEN = `network garden { }
variable season { type discrete [ 2 ] { dry, wet }; }
variable rain { type discrete [ 2 ] { no, yes }; }
variable sprinkler { type discrete [ 2 ] { off, on }; }
variable grass { type discrete [ 2 ] { dry, wet }; }
variable shoes { type discrete [ 2 ] { clean, muddy }; }
probability ( season ) { table 0.6, 0.4; }
probability ( rain | season ) { (dry) 0.9, 0.1; (wet) 0.45, 0.55; }
probability ( sprinkler | season ) { (dry) 0.4, 0.6; (wet) 0.95, 0.05; }
probability ( grass | rain, sprinkler ) { (no, off) 1.0, 0.0; (no, on) 0.1, 0.9; (yes, off) 0.05, 0.95; (yes, on) 0.01, 0.99; }
probability ( shoes | rain ) { (no) 0.9, 0.1; (yes) 0.35, 0.65; }
`;
/** Largest number of nodes that are drawn as a graph; larger networks are shown as a list. */
const DRAWN = 120;
/** Largest number of states of a node that are shown; the least probable states are left out. */
const SHOWN = 12;
const WIDTH = 176;
const GAP = 36;

class NetworkView {
  source = { text: GARDEN, name: "garden.bif" };
  observed = {};
  nodes = [];
  cards = new Map();
  /** The size of the picture of the network; the next field is the scale at which it is drawn. */
  size = null;
  scale = 1;

  constructor() {
    this.lane = new Lane();
    this.glance = new Lane();
    this.past = new History();
    this.told = h("p", { className: "told", role: "status" });
    this.facts = h("p", { className: "facts", "aria-live": "polite" });
    this.undo = button("Undo", () => this.#travel("undo"), { title: "Ctrl+Z" });
    this.redo = button("Redo", () => this.#travel("redo"), { title: "Ctrl+Y" });
    this.map = h("div", { className: "map" });
    this.filter = h("input", { type: "search", placeholder: "Find a node", "aria-label": "Find a node", oninput: () => this.#show() });
    this.evidence = h("ul", { className: "fields" });
    this.input = h("input", { type: "file", "aria-label": "Open a network file", accept: ".bif,.bifxml,.xml,.cnf,.net,.uai,.xdsl", onchange: () => this.#open() });
    this.list = h("div");
    const save = (name, value) => download(name, "application/json", JSON.stringify(value, null, 1));
    this.element = h("div", { className: "view", onkeydown: (event) => this.#shortcut(event) },
      h("section", { className: "panel stack", "aria-label": "Network" },
        h("div", { className: "row", role: "toolbar", "aria-label": "Tools" },
          h("span", { className: "group" }, this.undo, this.redo),
          button("Clear evidence", () => this.#observe({})), h("span", { className: "gap" }),
          this.zooms = h("span", { className: "group" },
            button("−", () => this.#zoom(this.scale / 1.25), { "aria-label": "Smaller" }),
            button("Fit", () => this.#zoom(this.#fitting()), { title: "The whole network" }),
            button("+", () => this.#zoom(this.scale * 1.25), { "aria-label": "Larger" })),
          this.filter),
        this.map, this.facts, this.told),
      h("div", { className: "side" },
        h("section", { className: "panel stack", "aria-label": "Open" }, h("h2", { textContent: "Network" }), this.list,
          h("p", { className: "small", textContent: "Or a file: BIF, BIFXML, NET, XDSL, UAI, CNF" }), this.input),
        h("section", { className: "panel", "aria-label": "Evidence" }, h("h2", { textContent: "Evidence" }),
          h("p", { className: "small", textContent: "A click on a state observes it; another click removes the observation." }), this.evidence),
        fold("Export", "What is observed, and all probabilities, as JSON.", false, h("div", { className: "row" },
          button("Evidence", () => save("evidence.json", this.observed)),
          button("Posteriors", () => (this.answer ? save("posteriors.json", this.answer) : this.wrong("There are no posteriors: the evidence contradicts itself, or there is no answer.")))))));
  }

  async start() {
    const { networks } = await files().catch(() => ({ networks: [] }));
    const choices = [["", "garden (an example)"], ...networks.map((name) => [name, name])];
    this.list.append(select("Of the folder", "", choices, (name) => this.#load(name ? { file: name, name } : { text: GARDEN, name: "garden.bif" })));
    await this.#load(this.source);
  }

  async #open() {
    const file = this.input.files[0];
    this.input.value = "";
    if (file) await this.#load({ text: await file.text(), name: file.name });
  }

  async #load(source) {
    this.#plain();
    // Until the answer arrives, the page still shows the nodes of the previous network.
    this.map.inert = true;
    this.told.className = "told busy";
    this.told.textContent = `Reading ${source.name}`;
    try {
      const answer = await this.#ask(this.lane.change(), source, {}, true);
      // The answer is null because a later network was requested.
      if (!answer) return;
      this.source = source;
      this.observed = {};
      this.nodes = answer.network.nodes;
      this.kind = answer.network.kind;
      this.past = new History();
      this.#draw();
      this.#take(answer);
    } catch (problem) {
      this.#fail(problem);
    }
    this.map.inert = false;
  }

  #ask(ask, { file, text }, observe, describe = false) {
    return ask("/api/network", { ...(file ? { file } : { text }), observe, describe });
  }

  #observe(observed) {
    if (this.map.inert) return null;
    this.observed = observed;
    return this.#run();
  }

  #travel(way) {
    const observed = this.past[way]();
    if (observed) this.#observe(observed);
  }

  #shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || isTyped(event.target)) return;
    const letter = event.key.toLowerCase();
    if (letter !== "z" && letter !== "y") return;
    event.preventDefault();
    this.#travel(letter === "y" || event.shiftKey ? "redo" : "undo");
  }

  async #run() {
    this.#plain();
    this.told.classList.add("busy");
    try {
      const answer = await this.#ask(this.lane.change(), this.source, this.observed);
      if (answer) this.#take(answer);
    } catch (problem) {
      this.#blank();
      this.#fail(problem);
    }
  }

  /** Shows only the observed states, because the previous posteriors are those of other evidence. */
  #blank() {
    this.answer = null;
    for (const [name, { buttons }] of this.cards) {
      for (const [state, { toggle, bar, share }] of buttons) {
        const isSeen = this.observed[name] === state;
        bar.style.width = "0";
        share.textContent = isSeen ? "observed" : "";
        toggle.setAttribute("aria-pressed", isSeen);
        toggle.setAttribute("aria-label", `${name} ${state}${isSeen ? ", observed" : ""}`);
        toggle.classList.remove("never");
      }
    }
  }

  #take(answer) {
    this.answer = answer;
    this.past.push(this.observed);
    this.undo.disabled = !this.past.canUndo;
    this.redo.disabled = !this.past.canRedo;
    for (const [name, card] of this.cards) this.#fill(name, card);
    this.#list();
    const exact = answer.exact ? "exact" : "an estimate";
    const log = this.kind === "bayesian" ? answer.log_evidence : undefined;
    // Smaller probabilities are too small for floating-point numbers, so their logarithm is shown.
    const evidence = log === undefined ? "" : log < -690 ? `, logarithm of the probability of the evidence ${log.toFixed(2)}` : `, probability of the evidence ${this.#number(Math.exp(log))}`;
    this.told.className = "told";
    this.told.textContent = `${this.source.name}: ${this.nodes.length} nodes. ${answer.algorithm}, ${exact}${evidence}. ${Math.round(1000 * answer.seconds.query)} ms.`;
  }

  #number(p) {
    return p >= 0.001 ? p.toPrecision(4) : p.toExponential(3);
  }

  #list() {
    const items = Object.entries(this.observed).map(([name, state]) => {
      const { [name]: _, ...others } = this.observed;
      return h("li", { className: "row" }, h("span", { textContent: `${name} = ${state}` }), h("span", { className: "gap" }),
        button("Free", () => this.#observe(others), { "aria-label": `Free ${name}` }));
    });
    this.evidence.replaceChildren(...(items.length ? items : [h("li", { className: "small", textContent: "None: click a state to observe it." })]));
  }

  /** Says that something is wrong. */
  wrong(text) {
    this.told.className = "told wrong";
    this.told.textContent = text;
  }

  #fail(problem) {
    const clash = new Set(problem.body?.variables ?? []);
    for (const [name, card] of this.cards) {
      card.box.classList.toggle("clash", clash.has(name));
      card.box.classList.toggle("seen", name in this.observed);
    }
    this.past.push(this.observed);
    this.#list();
    this.wrong(problem.message);
  }

  /** Arranges nodes in layers, each node below its parents; within a layer nodes are sorted by the mean position of their parents. */
  #layers() {
    const depth = new Map();
    const parents = new Map(this.nodes.map(({ name, parents }) => [name, parents]));
    const open = this.nodes.map(({ name }) => [name, 0]);
    while (open.length) {
      const [name, tried] = open.pop();
      if (depth.has(name)) continue;
      const missing = parents.get(name).filter((parent) => !depth.has(parent));
      // Networks without directions have cycles, so each node is deferred at most once.
      if (missing.length && !tried) open.push([name, 1], ...missing.map((parent) => [parent, 0]));
      else depth.set(name, 1 + Math.max(-1, ...parents.get(name).map((parent) => depth.get(parent) ?? -1)));
    }
    const layers = [];
    for (const { name } of this.nodes) (layers[depth.get(name)] ??= []).push(name);
    const place = new Map();
    for (const layer of layers) {
      const mean = (name) => {
        const known = parents.get(name).map((parent) => place.get(parent)).filter((at) => at !== undefined);
        return known.length ? known.reduce((sum, at) => sum + at, 0) / known.length : 0.5;
      };
      const sorted = [...layer].sort((one, other) => mean(one) - mean(other));
      layer.splice(0, Infinity, ...sorted);
      layer.forEach((name, at) => place.set(name, (at + 0.5) / layer.length));
    }
    return layers;
  }

  #draw() {
    this.cards = new Map();
    const isGraph = this.nodes.length <= DRAWN;
    this.map.className = isGraph ? "map" : "map flow";
    for (const node of this.nodes) this.cards.set(node.name, this.#card(node));
    this.zooms.hidden = !isGraph;
    this.size = null;
    if (!isGraph) {
      this.map.replaceChildren(h("div", { className: "nodes" }, [...this.cards.values()].map(({ box }) => box)));
      this.#show();
      return;
    }
    const layers = this.#layers();
    const states = new Map(this.nodes.map(({ name, states }) => [name, Math.min(states.length, SHOWN)]));
    const widest = Math.max(...layers.map((layer) => layer.length));
    const width = widest * (WIDTH + GAP) + GAP;
    const at = new Map();
    let top = GAP / 2;
    for (const layer of layers) {
      const height = Math.max(...layer.map((name) => 36 + 27 * states.get(name)));
      const start = (width - layer.length * (WIDTH + GAP) + GAP) / 2;
      layer.forEach((name, place) => at.set(name, { x: start + place * (WIDTH + GAP), y: top, height: 36 + 27 * states.get(name) }));
      top += height + GAP;
    }
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("width", width);
    svg.setAttribute("height", top);
    svg.setAttribute("aria-hidden", "true");
    for (const { name, parents } of this.nodes) {
      for (const parent of parents) {
        const [from, to] = [at.get(parent), at.get(name)];
        const [x1, y1, x2, y2] = [from.x + WIDTH / 2, from.y + from.height, to.x + WIDTH / 2, to.y];
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        const bend = Math.max(20, (y2 - y1) / 2);
        path.setAttribute("d", `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2 - 4}m-4 -5l4 6l4 -6`);
        svg.append(path);
      }
    }
    const room = h("div");
    room.style.width = `${width}px`;
    room.style.height = `${top}px`;
    for (const [name, { box }] of this.cards) {
      box.style.left = `${at.get(name).x}px`;
      box.style.top = `${at.get(name).y}px`;
      box.style.setProperty("--height", `${at.get(name).height}px`);
      box.style.setProperty("--letters", name.length);
    }
    this.room = h("div", { className: "room" }, svg, room, [...this.cards.values()].map(({ box }) => box));
    this.map.replaceChildren(this.room);
    this.size = [width, top];
    this.#zoom(this.#fitting());
    this.#show();
  }

  /** The scale at which the whole network is seen. */
  #fitting() {
    if (!this.size) return 1;
    const [width, height] = this.size;
    const tall = Math.max(320, innerHeight - 260);
    return Math.min(1, (this.map.clientWidth || 800) / width, tall / height);
  }

  /** Draws the network at a scale; at small scales nodes show only their names, in letters that are large enough to read. */
  #zoom(scale) {
    if (!this.size) return;
    this.scale = Math.min(2, Math.max(0.08, scale));
    this.room.style.zoom = this.scale;
    this.map.classList.toggle("far", this.scale < 0.6);
    this.map.style.setProperty("--far", Math.min(3.2, 0.72 / this.scale));
  }

  #show() {
    const wanted = this.filter.value.trim().toLowerCase();
    let first = null;
    for (const [name, { box }] of this.cards) {
      const isFound = name.toLowerCase().includes(wanted);
      box.hidden = !isFound && this.nodes.length > DRAWN;
      box.style.opacity = isFound ? "" : "0.35";
      if (isFound && wanted) first ??= box;
    }
    first?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #card({ name, states }) {
    const rows = h("div", { role: "group", "aria-label": name });
    const box = h("div", { className: "node" }, h("h3", { textContent: name, title: name }), rows);
    const buttons = new Map();
    const card = { box, rows, buttons, states };
    for (const state of states.slice(0, 2000)) {
      const bar = h("span", { className: "bar" });
      const share = h("span", { className: "p" });
      const toggle = button("", () => {
        const { [name]: was, ...others } = this.observed;
        this.#observe(was === state ? others : { ...others, [name]: state });
      });
      const text = h("span", { textContent: state });
      toggle.append(bar, text, share);
      toggle.addEventListener("pointerenter", () => this.#preview(name, state));
      toggle.addEventListener("focus", () => this.#preview(name, state));
      toggle.addEventListener("pointerleave", () => this.#plain());
      buttons.set(state, { toggle, bar, share });
    }
    return card;
  }

  /** Fills the bars of a node. */
  #fill(name, { box, rows, buttons, states }) {
    const shares = this.answer.marginals[name];
    let shown = states;
    if (states.length > SHOWN) {
      const order = [...states].sort((one, other) => shares[other] - shares[one]).slice(0, SHOWN);
      shown = states.filter((state) => order.includes(state) || this.observed[name] === state).slice(0, SHOWN + 1);
    }
    const children = shown.map((state) => buttons.get(state)?.toggle).filter((toggle) => toggle);
    // Moving a button would take its focus.
    if (children.length !== rows.children.length || children.some((child, place) => rows.children[place] !== child)) rows.replaceChildren(...children);
    for (const state of shown) {
      const { toggle, bar, share } = buttons.get(state) ?? {};
      if (!toggle) continue;
      const p = shares[state];
      const isSeen = this.observed[name] === state;
      bar.style.width = `${100 * p}%`;
      share.textContent = percent(p);
      toggle.setAttribute("aria-pressed", isSeen);
      toggle.setAttribute("aria-label", `${name} ${state}, ${percent(p)}${isSeen ? ", observed" : ""}`);
      toggle.classList.toggle("never", p === 0 && this.answer.exact);
      toggle.classList.remove("lost");
    }
    box.classList.toggle("seen", name in this.observed);
    box.classList.remove("clash");
  }

  #plain() {
    this.#preview.cancel();
    this.glance.stop();
    this.facts.textContent = "";
    for (const { buttons } of this.cards.values()) for (const { toggle } of buttons.values()) toggle.classList.remove("lost");
  }

  /** Shows the states that a click on a state would make impossible. */
  #preview = settled(200, async (name, state) => {
    if (!this.answer?.exact || this.observed[name] === state || !this.cards.has(name)) return;
    const before = this.answer;
    const { [name]: _, ...others } = this.observed;
    try {
      const after = await this.#ask(this.glance.change(), this.source, { ...others, [name]: state });
      if (!after?.exact || before !== this.answer) return;
      let lost = 0;
      for (const [node, { buttons }] of this.cards) {
        for (const [value, { toggle }] of buttons) {
          const isLost = node !== name && before.marginals[node][value] > 0 && after.marginals[node][value] === 0;
          toggle.classList.toggle("lost", isLost);
          lost += isLost;
        }
      }
      const told = lost ? `would make ${lost} ${lost === 1 ? "state" : "states"} of other nodes impossible (dashed)` : "would make no state of another node impossible";
      this.facts.textContent = `${name} = ${state} ${told}; its probability is ${percent(before.marginals[name][state])} now.`;
    } catch (problem) {
      if (problem.isAnswer && before === this.answer) this.facts.textContent = `${name} = ${state} is impossible with the evidence.`;
    }
  });
}

/** The view of networks. */
export function networkView() {
  return new NetworkView();
}
