// The view to design a board in: toolbar, palette, heat map, previews of clicks, undo and files.
// Subclasses for levels and for the five boards add the rest.

import { Lane, Problem } from "./api.js";
import { button, fold, h, isTyped, number, percent, select, settled, toggle } from "./dom.js";
import { download, rowsOf } from "./files.js";
import { Grid, cellOf, key, shade, thumbnail } from "./grid.js";
import { History } from "./history.js";

const TOOLS = [
  ["paint", "Paint", "Paint cells: they are set, and the rest is drawn around them"],
  ["erase", "Erase", "Free cells that were set; also by the right button and by Delete"],
  ["region", "Region", "Mark a region to draw anew; also by Shift and dragging, or Shift and the arrows"],
];

/** Milliseconds after which the previous board is dimmed. */
const PATIENCE = 400;

/**
 * A view to design boards in. Classes for levels and boards give
 *
 * - `palette`: the symbols, each `{symbol, name, draw(context, x, y, side)}`, and `drawCell`, as `Grid` wants it;
 * - `draw(ask)`: the board of the present state, `{values, path, told, good}`; `verdict(ask, drawn)`, if it exists, returns a further message about the board;
 * - `blank()`: an empty board of the size that is asked for, if the state has one;
 * - `sharesOf()`: what the probabilities depend on; `shares(ask)`: steps of `{cells, isProven, told}`, each better than the one before; a cell is an object of symbols and shares;
 * - `sharesWith(ask, row, column, symbol)`: the first of these with one more cell set;
 * - `more(ask)`: ten further boards, each `{values, state}`; `another()`: the change of the state for the next one;
 * - `demands()`, `extras()`: parts of the side; `exports()`: pairs of a name and a function; `take(rows)`: a board that was read.
 */
export class Designer {
  constructor(title, state) {
    this.state = state;
    this.chosen = null;
    this.mode = "off";
    this.showsPath = true;
    this.previews = true;
    this.cells = null;
    this.sharesTold = "";
    this.known = null;
    this.lane = new Lane();
    this.glance = new Lane();
    this.errand = new Lane();
    this.further = new Lane();
    this.pictured = "";
    this.past = new History();
    this.grid = new Grid(`${title}: arrows move, Enter sets the chosen tile, Delete frees, Shift and arrows mark a region`, {
      draw: (...given) => this.drawCell(...given),
      background: (...given) => this.background?.(...given),
      paint: (cells) => this.#paint(cells),
      erase: (cells) => this.#erase(cells),
      end: (...given) => this.drawEnd?.(...given),
      moved: () => this.#moved(),
      typed: (letter) => this.#typed(letter),
    });
    this.#build(title);
  }

  #build(title) {
    const tool = ([name, text, about]) =>
      Object.assign(button(text, () => this.#tool(name), { title: about, "aria-pressed": name === "paint" }), { name });
    this.tools = TOOLS.map(tool);
    this.undoButton = button("Undo", () => this.#travel("undo"), { title: "Ctrl+Z" });
    this.redoButton = button("Redo", () => this.#travel("redo"), { title: "Ctrl+Y" });
    this.seed = number("Seed", this.state.seed, (seed) => this.change({ seed: seed ?? 0, ...this.fresh?.() }), { min: 0, step: 1 });
    this.again = button("Draw region anew", () => this.#anew(), { className: "main" });
    this.release = button("Release region", () => this.#release());
    this.told = h("p", { className: "told", role: "status" });
    this.facts = h("p", { className: "facts", "aria-live": "polite" });
    this.gallery = h("div", { className: "gallery", role: "group", "aria-label": "Further boards" });
    const bar = h("div", { className: "row", role: "toolbar", "aria-label": "Tools" },
      h("span", { className: "group" }, this.tools),
      h("span", { className: "group" }, this.undoButton, this.redoButton),
      button("Another", () => this.change(this.another()), { className: "main" }),
      button("Ten more", () => this.#ten()),
      this.seed,
      h("span", { className: "gap" }),
      h("span", { className: "group" },
        button("−", () => this.#zoom(0.8), { "aria-label": "Smaller" }),
        button("+", () => this.#zoom(1.25), { "aria-label": "Larger" })));
    this.regionBar = h("div", { className: "row", hidden: true }, this.again, this.release);
    this.list = h("fieldset", { className: "palette" }, h("legend", { className: "small", textContent: "The tile to set" }));
    // Colours depend on the square root of the probability, so that small probabilities have different colours.
    this.scale = h("div", { className: "scale", hidden: true }, h("span"), this.#gradient(0, 0.5), h("span"), this.#gradient(0.5, 1), h("span"));
    this.method = h("p", { className: "small" });
    this.wayToggle = toggle("Show the path", this.showsPath, (on) => { this.showsPath = on; this.#heat(); });
    this.paletteBox = h("section", { className: "panel stack", "aria-label": "Tiles" },
      h("div", { className: "row" }, h("h2", { textContent: "Tiles" }), h("span", { className: "gap" }), button("Free all", () => this.change({ pins: {}, kept: null }), { title: "Free all cells that were set or kept" })),
      h("p", { className: "small", textContent: "Choose a tile and click a cell: the cell keeps the tile, and the studio draws the rest around it." }),
      this.list,
      select("Heat map", this.mode, [["off", "off"], ["chosen", "probability of the chosen tile"], ["open", "how open each cell is"]], (mode) => { this.mode = mode; this.#heat(); }),
      this.scale, this.method,
      this.wayToggle,
      toggle("Tell what a click would exclude", this.previews, (on) => { this.previews = on; this.#moved(); }));
    this.demandsBox = h("div", { className: "stack" });
    this.moreBox = h("div", { className: "more" });
    this.element = h("div", { className: "view", onkeydown: (event) => this.#shortcut(event) },
      h("section", { className: "stack", "aria-label": title }, h("div", { className: "panel stack" }, bar, this.regionBar, this.grid.stage, this.facts, this.told), this.gallery, this.moreBox),
      h("div", { className: "side" }, this.paletteBox, this.demandsBox));
    this.filesBox = this.#files();
  }

  #gradient(from, to) {
    const canvas = h("canvas", { width: 64, height: 1, "aria-hidden": "true" });
    const context = canvas.getContext("2d");
    for (let x = 0; x < 64; x++) {
      context.fillStyle = shade(from + ((to - from) * x) / 63);
      context.fillRect(x, 0, 1, 1);
    }
    return canvas;
  }

  #files() {
    this.text = h("textarea", { rows: 8, spellcheck: false, "aria-label": "The board as text" });
    const takeText = () => this.#read(() => this.text.value.split(/\r?\n/).filter((row) => row));
    this.input = h("input", { type: "file", "aria-label": "Import a file", accept: ".txt,.json,.png,.tmx,.tmj,.csv,.ldtk", onchange: () => this.#import() });
    const save = async (make) => {
      try {
        const made = await make();
        // The answer is null because a later file was requested.
        if (!made) return;
        const [name, type, content] = made;
        download(name, type, content);
      } catch (problem) {
        this.#fail(problem);
      }
    };
    const row = h("div", { className: "row" }, this.exports().map(([name, make]) => button(name, () => save(make))));
    return fold("Files", "Take the board along, or bring one.", false, h("p", { className: "small", textContent: "Export" }), row,
      h("p", { className: "small", textContent: "Import: text, JSON, PNG, TMX, LDtk" }), this.input,
      h("p", { className: "small", textContent: "The board as text, to copy or to change" }), this.text,
      h("div", { className: "row" }, button("Take the text", takeText)));
  }

  /** Builds the palette again, for other symbols. */
  palettes() {
    const was = this.chosen;
    this.chosen = this.palette.some(({ symbol }) => symbol === was) ? was : this.palette[0]?.symbol;
    const name = `tile-${Math.random().toString(36).slice(2)}`;
    this.shareTexts = new Map();
    const items = this.palette.map(({ symbol, name: meaning, draw }) => {
      const picture = h("canvas", { width: 22, height: 22, "aria-hidden": "true" });
      const context = picture.getContext("2d");
      context.imageSmoothingEnabled = false;
      this.background?.(context, 22, 22);
      draw(context, 0, 0, 22);
      const share = h("span", { className: "share" });
      this.shareTexts.set(symbol, share);
      const input = h("input", { type: "radio", name, value: symbol, checked: symbol === this.chosen, onchange: () => this.#choose(symbol) });
      return h("label", {}, input, picture, h("span", { textContent: `${meaning} ${symbol}` }), share);
    });
    this.list.replaceChildren(this.list.firstChild, ...items);
  }

  #choose(symbol) {
    this.chosen = symbol;
    for (const input of this.list.querySelectorAll("input")) input.checked = input.value === symbol;
    this.#heat();
    this.#moved();
  }

  #typed(letter) {
    const found = this.palette.some(({ symbol }) => symbol === letter);
    if (found) this.#choose(letter);
    return found;
  }

  #tool(name) {
    this.grid.tool = name;
    for (const tool of this.tools) tool.setAttribute("aria-pressed", tool.name === name);
  }

  /** Chooses the size of cells so that all columns fit into the window, within limits. */
  #fit() {
    const { grid } = this;
    const room = grid.stage.clientWidth || 800;
    const height = Math.max(320, innerHeight - 340);
    const side = Math.floor(Math.min(room / grid.columns, height / grid.rows));
    grid.side = Math.round(Math.min(Math.max(side, this.least ?? 16), this.most ?? 44));
  }

  #zoom(factor) {
    this.grid.side = Math.round(Math.min(Math.max(this.grid.side * factor, 8), 72));
    this.grid.render();
  }

  #shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || isTyped(event.target)) return;
    const letter = event.key.toLowerCase();
    const way = letter === "z" ? (event.shiftKey ? "redo" : "undo") : letter === "y" ? "redo" : null;
    if (!way) return;
    event.preventDefault();
    this.#travel(way);
  }

  #travel(way) {
    const state = this.past[way]();
    if (!state) return;
    this.state = state;
    this.rebuild();
    this.run();
  }

  /** Builds the controls again from the state, and returns the focus to the control that had it. */
  rebuild() {
    this.seed.input.value = this.state.seed;
    const boxes = [this.demandsBox, this.moreBox];
    const all = (selector) => boxes.flatMap((box) => [...box.querySelectorAll(selector)]);
    const controls = () => all("input, select, textarea, button, summary");
    const label = (one) => one?.getAttribute("aria-label") ?? one?.closest("label")?.firstChild?.textContent;
    const name = (part) => part.firstChild.textContent;
    const focused = controls().indexOf(document.activeElement);
    const wanted = label(controls()[focused]);
    const open = new Map(all("details").map((part) => [name(part), part.open]));
    const [demands, ...more] = this.demands();
    this.demandsBox.replaceChildren(demands);
    this.moreBox.replaceChildren(...more, this.filesBox);
    for (const part of all("details")) part.open = open.get(name(part)) ?? part.open;
    if (focused >= 0) (controls().find((one) => wanted && label(one) === wanted) ?? controls()[focused])?.focus();
  }

  /** Changes the state, and draws. */
  change(changes) {
    this.state = { ...this.state, ...changes };
    this.seed.input.value = this.state.seed;
    return this.run();
  }

  #paint(cells) {
    const pins = { ...this.state.pins };
    for (const cell of cells) pins[key(...cell)] = this.chosen;
    for (const [row, column] of cells) if (this.grid.values[row]) this.grid.values[row][column] = this.valueOf(this.chosen, row, column);
    this.change({ pins });
  }

  #erase(cells) {
    const { pins, kept } = this.state;
    const set = cells.filter(([row, column]) => key(row, column) in pins || this.#isKept(row, column));
    if (!set.length) return this.grid.render();
    const gone = new Set(set.map((cell) => key(...cell)));
    const rows = kept?.rows.map((line, row) => line.map((symbol, column) => (gone.has(key(row, column)) ? null : symbol)));
    this.change({
      pins: Object.fromEntries(Object.entries(pins).filter(([cell]) => !gone.has(cell))),
      kept: kept && { ...kept, rows },
    });
  }

  /** True if a cell is kept as it was, around a region or of a board that was read. */
  #isKept(row, column) {
    const { kept } = this.state;
    if (!kept || (kept.rows[row]?.[column] ?? null) === null) return false;
    if (!kept.region) return true;
    const [top, left, bottom, right] = kept.region;
    return row < top || row > bottom || column < left || column > right;
  }

  /** Draws the marked region anew, and keeps the rest as it is. */
  #anew() {
    const { region } = this.grid;
    if (!region) return;
    const { kept } = this.state;
    const same = kept?.region?.join() === region.join();
    const rows = this.symbolsOf(this.grid.values);
    // Cells of the region that are set by hand are kept, unless no cell would remain to be drawn.
    const outside = Object.fromEntries(Object.entries(this.state.pins).filter(([cell]) => !this.grid.inside(...cellOf(cell))));
    const [top, left, bottom, right] = region;
    const isFull = Object.keys(this.state.pins).length - Object.keys(outside).length === (bottom - top + 1) * (right - left + 1);
    const pins = isFull ? outside : this.state.pins;
    this.change({ pins, kept: same ? kept : { rows, isForced: kept?.isForced || this.state.forced, isRead: kept?.isRead, region: [...region] }, ...this.another() });
  }

  #release() {
    this.grid.region = null;
    this.#moved();
    this.grid.render();
    const { kept } = this.state;
    if (!kept?.region) return;
    // If the board was read from a file, all its cells are kept again.
    this.change({ kept: kept.isRead ? { ...kept, region: null, rows: this.symbolsOf(this.grid.values) } : null });
  }

  /** All cells that are set: those kept around a region, and those set by hand, as lists of row, column and symbol. */
  set(extra = []) {
    const all = new Map();
    const { kept, pins } = this.state;
    kept?.rows.forEach((line, row) => line.forEach((symbol, column) => {
      if (this.#isKept(row, column)) all.set(key(row, column), symbol);
    }));
    for (const [cell, symbol] of Object.entries(pins)) all.set(cell, symbol);
    for (const [row, column, symbol] of extra) all.set(key(row, column), symbol);
    return [...all].map(([cell, symbol]) => [...cellOf(cell), symbol]);
  }

  /** Draws the board of the present state, then its probabilities. */
  async run() {
    this.past.push(this.state);
    this.undoButton.disabled = !this.past.canUndo;
    this.redoButton.disabled = !this.past.canRedo;
    const ask = this.lane.change();
    this.glance.stop();
    this.#preview.cancel();
    this.further.stop();
    // Pictures of boards for other demands are removed, because a click would not show these boards.
    if (this.pictured !== this.#demanded()) this.gallery.replaceChildren();
    const { grid } = this;
    grid.pins = new Set(Object.keys(this.state.pins));
    if (this.state.kept?.region) grid.region = [...this.state.kept.region];
    grid.wrong = new Set();
    grid.lost = new Set();
    this.told.classList.add("busy");
    grid.render();
    clearTimeout(this.waits);
    this.waits = setTimeout(() => this.#wait(), PATIENCE);
    const waits = this.waits;
    try {
      const drawn = await this.draw(ask);
      if (!drawn) return;
      clearTimeout(waits);
      this.#show(drawn);
      const verdict = await this.verdict?.(ask, drawn);
      if (verdict) this.#tell({ how: drawn.how, ...verdict });
      // The probabilities depend on the demands only, not on the board that is shown.
      const asked = JSON.stringify(this.sharesOf());
      if (this.known?.asked === asked) this.#take(this.known.shares);
      if (this.known?.asked === asked && this.known.isWhole) return;
      let shares = null;
      for await (shares of this.shares(ask)) {
        this.known = { asked, shares, isWhole: false };
        this.#take(shares);
      }
      if (this.known?.asked === asked && shares?.isLast) this.known.isWhole = true;
    } catch (problem) {
      clearTimeout(waits);
      this.#fail(problem);
    }
  }

  /** Announces that a board is being drawn, and dims the previous board and its probabilities. */
  #wait(told = "Drawing") {
    this.told.className = "told busy";
    this.told.textContent = told;
    this.#unknown();
    this.grid.stage.classList.add("stale");
  }

  /** Removes the probabilities of the previous board; if the new board has another size, an empty board is shown. */
  #unknown() {
    this.cells = null;
    this.sharesTold = "";
    const values = this.blank?.();
    const { grid } = this;
    if (values && (values.length !== grid.rows || values[0].length !== grid.columns)) {
      grid.resize(values.length, values[0].length);
      this.#fit();
      grid.values = values;
      this.way = [];
    }
    this.#heat();
    this.#moved();
  }

  /** Announces another step of the drawing. */
  waiting(told) {
    clearTimeout(this.waits);
    this.#wait(told);
  }

  /** Shows new probabilities. */
  #take({ cells, isProven, told }) {
    this.cells = cells;
    this.isProven = isProven;
    this.sharesTold = told;
    this.#heat();
    this.#moved();
  }

  /** Shows the message about the board; its tooltip states how the board was drawn. */
  #tell({ told, good, how }) {
    this.told.className = good ? "told good" : "told";
    this.told.textContent = told;
    this.told.title = how ?? "";
  }

  #show({ values, path, told, good, how }) {
    const { grid } = this;
    grid.stage.classList.remove("stale");
    const isOther = grid.columns !== values[0].length || grid.rows !== values.length;
    grid.resize(values.length, values[0].length);
    if (isOther) this.#fit();
    grid.values = values;
    this.text.value = this.textOf(values);
    this.way = path ?? [];
    this.#tell({ told, good, how });
    this.cells = null;
    this.sharesTold = "";
    this.#heat();
    this.#moved();
  }

  /** Shows an error, with a button for each remedy. */
  wrong(text, ways = []) {
    this.told.className = "told wrong";
    const out = ways.map(([name, changes]) => button(name, () => { this.change(changes); this.rebuild(); }));
    const undo = ways.length && this.past.canUndo ? [button("Take it back", () => this.#travel("undo"))] : [];
    this.told.title = "";
    this.told.replaceChildren(text, ...(out.length ? [h("span", { className: "row ways" }, out, undo)] : []));
  }

  #fail(problem) {
    const { grid } = this;
    const { cells, proven } = problem.body ?? {};
    grid.wrong = new Set((cells ?? []).map((cell) => key(...cell)));
    const isAnswer = problem instanceof Problem;
    const sure = isAnswer && proven === false ? " (not proven)" : "";
    this.wrong(problem.message + sure, isAnswer ? this.remedies?.(problem) : []);
    grid.stage.classList.remove("stale");
    this.#unknown();
    this.facts.textContent = this.#here();
  }

  #heat() {
    const { grid } = this;
    const share = (row, column) => this.cells?.[row]?.[column] ?? null;
    grid.path = this.showsPath ? (this.way ?? []) : [];
    grid.heat = null;
    grid.never = new Set();
    if (this.cells && this.mode === "chosen") {
      grid.heat = (row, column) => (share(row, column) ? (share(row, column)[this.chosen] ?? 0) : null);
      grid.isProven = this.isProven;
      this.cells.forEach((line, row) => line.forEach((cell, column) => {
        if (!cell[this.chosen]) grid.never.add(key(row, column));
      }));
    } else if (this.cells && this.mode === "open") {
      const most = Math.log(Math.max(2, this.palette.length));
      grid.heat = (row, column) => {
        const all = Object.values(share(row, column) ?? {}).filter((p) => p > 0);
        return (all.reduce((sum, p) => sum - p * Math.log(p), 0) / most) ** 2;
      };
    }
    this.scale.hidden = this.mode === "off";
    const words = this.mode === "open" ? ["certain", "", "open"] : ["0 %", "25 %", "100 %"];
    this.scale.querySelectorAll("span").forEach((label, place) => (label.textContent = words[place]));
    const hatched = this.mode === "chosen" && this.cells
      ? ` Hatched cells: the chosen tile ${this.isProven ? "is impossible there" : "did not come there, which is no proof"}.` : "";
    this.method.textContent = this.sharesTold + hatched;
    grid.render();
  }

  #moved() {
    const { grid } = this;
    this.regionBar.hidden = !grid.region;
    const here = this.cells?.[grid.cursor[0]]?.[grid.cursor[1]];
    for (const [symbol, text] of this.shareTexts ?? []) {
      const p = here ? (here[symbol] ?? 0) : null;
      text.textContent = p === null ? "" : p === 0 ? (this.isProven ? "impossible" : "not seen") : percent(p);
      text.classList.toggle("none", p === 0 && this.isProven);
    }
    this.facts.textContent = this.#here();
    grid.lost = new Set();
    grid.render();
    this.glance.stop();
    this.#preview.cancel();
    if (this.previews && this.cells) this.#preview();
  }

  /** The cell at the cursor in words. */
  #here() {
    const { grid } = this;
    const [row, column] = grid.cursor;
    const value = grid.values[row]?.[column];
    if (value === undefined) return "";
    const name = this.nameOf(value, row, column);
    const pin = this.state.pins[key(row, column)];
    const hand = pin !== undefined ? ", set by hand" : this.#isKept(row, column) ? ", kept" : "";
    const cell = this.cells?.[row]?.[column];
    const shares = cell
      ? Object.entries(cell).filter(([, p]) => p > 0).sort((a, b) => b[1] - a[1]).slice(0, 4)
        .map(([symbol, p]) => `${this.palette.find((one) => one.symbol === symbol)?.name ?? symbol} ${percent(p)}`).join(", ")
      : "";
    return `Row ${row + 1}, column ${column + 1}: ${name}${hand}. ${shares && `Here: ${shares}.`}`;
  }

  #preview = settled(180, async () => {
    const { grid, chosen } = this;
    const [row, column] = grid.cursor;
    const before = this.cells;
    if (!before || this.state.pins[key(row, column)] === chosen) return;
    const ask = this.glance.change();
    const tile = this.palette.find(({ symbol }) => symbol === chosen)?.name ?? chosen;
    const name = tile[0].toUpperCase() + tile.slice(1);
    try {
      const after = await this.sharesWith(ask, row, column, chosen);
      if (!after || before !== this.cells) return;
      let lost = 0;
      grid.lost = new Set();
      before.forEach((line, r) => line.forEach((cell, c) => {
        if (r === row && c === column) return;
        const gone = Object.entries(cell).filter(([symbol, p]) => p > (after.isProven ? 0 : 0.12) && !after.cells[r][c][symbol]);
        lost += gone.length;
        if (gone.length) grid.lost.add(key(r, c));
      }));
      const what = `${lost} ${lost === 1 ? "possibility" : "possibilities"} of ${grid.lost.size} other ${grid.lost.size === 1 ? "cell" : "cells"}`;
      const told = after.isProven ? `would exclude ${lost ? what : "nothing elsewhere"}` : lost ? `would make ${what} rare or impossible` : "would leave the rest open";
      this.facts.textContent = `${this.#here()} ${name} here ${told}.`;
      grid.render();
    } catch (problem) {
      if (!problem.isAnswer || before !== this.cells) return;
      const sure = problem.body.proven === false ? " as far as was tried (not proven)" : "";
      grid.lost = new Set([key(row, column)]);
      this.facts.textContent = `${this.#here()} ${name} here would leave no board at all${sure}.`;
      grid.render();
    }
  });

  /** Everything on which further boards depend, as a text. */
  #demanded() {
    const state = { ...this.state };
    for (const name of Object.keys(this.another())) delete state[name];
    return JSON.stringify(state);
  }

  async #ten() {
    // The work on the present board continues at the same time.
    const ask = this.further.change();
    this.told.classList.add("busy");
    try {
      const more = await this.more(ask);
      if (!more) return;
      this.told.classList.remove("busy");
      this.pictured = this.#demanded();
      const draw = (...given) => this.drawCell(...given);
      const side = Math.max(2, Math.min(16, Math.floor(280 / (more[0]?.values[0].length ?? 1))));
      const one = ({ values, state }, place) =>
        button("", () => this.change(state), { "aria-label": `Take board ${place + 1}` });
      this.gallery.replaceChildren(...more.map((board, place) => {
        const taken = one(board, place);
        taken.append(thumbnail(board.values, draw, side, this.background?.bind(this)), h("span", { className: "small", textContent: board.told }));
        return taken;
      }));
    } catch (problem) {
      this.wrong(problem.message);
    }
  }

  async #import() {
    const file = this.input.files[0];
    this.input.value = "";
    if (!file) return;
    await this.#read(() => {
      const background = (context, side) => this.background?.(context, side, side);
      const picture = (context, side, symbol) => {
        background(context, side);
        this.palette.find((one) => one.symbol === symbol)?.draw(context, 0, 0, side);
      };
      return rowsOf(file, { symbols: this.palette.map(({ symbol }) => symbol), empty: this.empty, beyond: this.beyond, picture });
    });
  }

  /** Sets the board to the rows that a function returns. */
  async #read(rowsOf) {
    try {
      const rows = await rowsOf();
      if (!rows.length) throw new Error("the file has no rows");
      await this.take(rows);
    } catch (problem) {
      this.#fail(problem);
    }
  }
}
