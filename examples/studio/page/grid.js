// A board on a canvas: cells with pictures, marks upon them, and a cursor for mouse, finger and keyboard.

import { h } from "./dom.js";

/** A cell as text, for sets and maps. */
export const key = (row, column) => `${row},${column}`;
/** The row and column of such a text. */
export const cellOf = (text) => text.split(",").map(Number);

/** The colour of a share from 0 to 1: dark blue, teal, yellow. */
export function shade(p) {
  const stops = [[38, 36, 92], [38, 110, 142], [53, 166, 124], [158, 204, 74], [253, 231, 76]];
  const place = Math.min(Math.max(p, 0), 1) * (stops.length - 1);
  const at = Math.min(Math.floor(place), stops.length - 2);
  const mixed = stops[at].map((from, i) => Math.round(from + (stops[at + 1][i] - from) * (place - at)));
  return `rgb(${mixed.join(" ")})`;
}

/**
 * A grid that is painted on.
 *
 * `draw(context, x, y, side, value, row, column)` draws a cell; `paint(cells)` and `erase(cells)` receive the changed cells when the pointer is released or a
 * key is pressed, `end(context, x, y, side, value)` draws the picture of an end of the path again; `moved()` is called when the cursor or the region has changed, `typed(letter)` when a letter was pressed.
 */
export class Grid {
  rows = 0;
  columns = 0;
  /** The values of the cells, a list for each row. */
  values = [];
  /** Cells that are set by hand. */
  pins = new Set();
  /** A share for each cell, or null. */
  heat = null;
  /** Cells that cannot have the chosen value; the next field states whether this is proven. */
  never = new Set();
  isProven = true;
  /** Cells that an error concerns. */
  wrong = new Set();
  /** Cells for which a click on the cursor would exclude some values. */
  lost = new Set();
  /** Rows and columns of the cells of a path. */
  path = [];
  /** The marked region: top, left, bottom, right. */
  region = null;
  cursor = [0, 0];
  tool = "paint";
  side = 24;
  #stroke = null;
  #hovered = false;

  constructor(label, calls) {
    this.calls = calls;
    this.canvas = h("canvas", { tabIndex: 0, role: "application", "aria-label": label, "aria-roledescription": "board" });
    this.context = this.canvas.getContext("2d");
    this.stage = h("div", { className: "stage" }, this.canvas);
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", () => this.#up());
    canvas.addEventListener("pointercancel", () => (this.#stroke = null));
    canvas.addEventListener("pointerleave", () => { this.#hovered = false; });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("focus", () => this.render());
    canvas.addEventListener("blur", () => this.render());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.render());
  }

  /** Sets the size, which keeps the cursor within. */
  resize(rows, columns) {
    this.rows = rows;
    this.columns = columns;
    this.cursor = [Math.min(this.cursor[0], rows - 1), Math.min(this.cursor[1], columns - 1)];
    if (this.region && (this.region[2] >= rows || this.region[3] >= columns)) this.region = null;
  }

  /** The cells of the region, or all. */
  inside(row, column) {
    if (!this.region) return true;
    const [top, left, bottom, right] = this.region;
    return row >= top && row <= bottom && column >= left && column <= right;
  }

  #cell(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.side);
    const row = Math.floor((event.clientY - box.top) / this.side);
    return row >= 0 && column >= 0 && row < this.rows && column < this.columns ? [row, column] : null;
  }

  #down(event) {
    const cell = this.#cell(event);
    if (!cell) return;
    this.cursor = cell;
    const tool = event.button === 2 ? "erase" : event.shiftKey ? "region" : this.tool;
    this.#stroke = { tool, from: cell, cells: new Set([key(...cell)]), touch: event.pointerType === "touch" };
    if (tool === "region") this.region = [...cell, ...cell];
    if (!this.#stroke.touch) this.canvas.setPointerCapture(event.pointerId);
    this.calls.moved();
    this.render();
  }

  #move(event) {
    const cell = this.#cell(event);
    if (!cell) return;
    const isNew = cell[0] !== this.cursor[0] || cell[1] !== this.cursor[1] || !this.#hovered;
    this.#hovered = true;
    if (!isNew) return;
    const before = this.cursor;
    this.cursor = cell;
    const stroke = this.#stroke;
    if (stroke && !stroke.touch) {
      // A fast stroke passes cells between two events.
      const steps = Math.max(1, ...cell.map((at, axis) => Math.abs(at - before[axis])));
      for (let step = 1; step <= steps; step++) {
        stroke.cells.add(key(...cell.map((at, axis) => Math.round(before[axis] + ((at - before[axis]) * step) / steps))));
      }
      if (stroke.tool === "region") this.#span(stroke.from, cell);
    }
    this.calls.moved();
    this.render();
  }

  #up() {
    const stroke = this.#stroke;
    this.#stroke = null;
    if (!stroke || stroke.tool === "region") return;
    this.calls[stroke.tool]([...stroke.cells].map(cellOf));
  }

  #span(one, other) {
    const [top, bottom] = [one[0], other[0]].sort((a, b) => a - b);
    const [left, right] = [one[1], other[1]].sort((a, b) => a - b);
    this.region = [top, left, bottom, right];
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    let [row, column] = this.cursor;
    const last = [this.rows - 1, this.columns - 1];
    const steps = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [row, 0], End: [row, last[1]], PageUp: [0, column], PageDown: [last[0], column],
    };
    if (event.key in steps) {
      const from = this.cursor;
      [row, column] = steps[event.key];
      this.cursor = [Math.min(Math.max(row, 0), last[0]), Math.min(Math.max(column, 0), last[1])];
      if (event.shiftKey) {
        this.anchor ??= from;
        this.#span(this.anchor, this.cursor);
      } else {
        this.anchor = null;
      }
      this.#follow();
      this.calls.moved();
    } else if (event.key === "Enter" || event.key === " ") {
      this.calls.paint([this.cursor]);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.calls.erase([this.cursor]);
    } else if (event.key === "Escape") {
      this.region = null;
      this.anchor = null;
      this.calls.moved();
    } else if (event.key.length === 1) {
      if (!this.calls.typed(event.key)) return;
    } else {
      return;
    }
    event.preventDefault();
    this.render();
  }

  /** Scrolls to the cursor. */
  #follow() {
    const [top, left] = this.cursor.map((place) => place * this.side);
    const { stage, side } = this;
    if (left < stage.scrollLeft) stage.scrollLeft = left - side;
    if (left + side > stage.scrollLeft + stage.clientWidth) stage.scrollLeft = left + 2 * side - stage.clientWidth;
    if (top < stage.scrollTop) stage.scrollTop = top - side;
    if (top + side > stage.scrollTop + stage.clientHeight) stage.scrollTop = top + 2 * side - stage.clientHeight;
  }

  /** Draws everything again at the next frame. */
  render() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.#render();
    });
  }

  #render() {
    const { canvas, context, side, rows, columns } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [columns * side, rows * side];
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) {
      [canvas.width, canvas.height] = pixels;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.imageSmoothingEnabled = false;
    context.clearRect(0, 0, width, height);
    this.calls.background?.(context, width, height);
    this.#each((row, column, x, y) => {
      this.calls.draw(context, x, y, side, this.values[row]?.[column], row, column);
    });
    if (this.heat) {
      context.globalAlpha = 0.78;
      this.#each((row, column, x, y) => {
        const share = this.heat(row, column);
        if (!share) return;
        context.fillStyle = shade(Math.sqrt(share));
        context.fillRect(x, y, side, side);
      });
      context.globalAlpha = 1;
    }
    for (const text of this.never) this.#hatch(text, this.isProven ? "rgb(197 34 31 / 60%)" : "rgb(60 64 72 / 30%)");
    if (this.region) this.#veil();
    this.#way();
    // The path covers its ends, so their pictures are drawn again above it.
    if (this.path.length > 1) for (const [row, column] of [this.path[0], this.path.at(-1)]) this.calls.end?.(context, column * side, row * side, side, this.values[row]?.[column]);
    for (const text of this.pins) this.#pin(text);
    for (const text of this.lost) this.#frame(text, "#d97706", [4, 3], 2);
    for (const text of this.wrong) this.#frame(text, "#e02424", [], 3);
    // The cursor is drawn inside the red frame of a cell.
    const here = key(...this.cursor);
    const inset = this.wrong.has(here) ? 3 : 0;
    if (document.activeElement === canvas || this.#hovered) this.#frame(here, "#ffffff", [], 3, inset);
    this.#frame(here, "#111827", [], 1.25, inset);
  }

  #each(act) {
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns; column++) act(row, column, column * this.side, row * this.side);
    }
  }

  #hatch(text, colour) {
    const [row, column] = cellOf(text);
    const { context, side } = this;
    context.save();
    context.beginPath();
    context.rect(column * side, row * side, side, side);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1;
    for (let at = -side; at < side; at += 5) {
      context.beginPath();
      context.moveTo(column * side + at, row * side + side);
      context.lineTo(column * side + at + side, row * side);
      context.stroke();
    }
    context.restore();
  }

  /** Darkens the cells that are kept, and frames the region. */
  #veil() {
    const { context, side } = this;
    const [top, left, bottom, right] = this.region;
    context.fillStyle = "rgb(20 24 32 / 38%)";
    this.#each((row, column, x, y) => {
      if (!this.inside(row, column)) context.fillRect(x, y, side, side);
    });
    context.strokeStyle = "#ffffff";
    context.lineWidth = 2;
    context.setLineDash([6, 4]);
    context.strokeRect(left * side + 1, top * side + 1, (right - left + 1) * side - 2, (bottom - top + 1) * side - 2);
    context.setLineDash([]);
  }

  #way() {
    const { context, side } = this;
    if (this.path.length < 2) return;
    const middle = ([row, column]) => [column * side + side / 2, row * side + side / 2];
    context.lineJoin = "round";
    for (const [colour, width] of [["rgb(0 0 0 / 45%)", side / 5 + 2], ["#fff7d6", side / 5]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      this.path.forEach((cell, place) => {
        // If the sides of the level are joined, the path ends at one side and continues at the other.
        const goesOn = place && Math.abs(cell[1] - this.path[place - 1][1]) <= this.columns / 2;
        if (goesOn) context.lineTo(...middle(cell));
        else context.moveTo(...middle(cell));
      });
      context.stroke();
    }
  }

  /** A pin: a corner that is folded. */
  #pin(text) {
    const [row, column] = cellOf(text);
    const { context, side } = this;
    const [x, y, fold] = [column * side, row * side, Math.max(5, side * 0.38)];
    context.beginPath();
    context.moveTo(x + side - fold, y);
    context.lineTo(x + side, y);
    context.lineTo(x + side, y + fold);
    context.closePath();
    context.fillStyle = "#2457c5";
    context.fill();
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1;
    context.stroke();
  }

  #frame(text, colour, dash, width, inset = 0) {
    const [row, column] = cellOf(text);
    const { context, side } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    const [margin, length] = [inset + width / 2, side - 2 * inset - width];
    context.strokeRect(column * side + margin, row * side + margin, length, length);
    context.setLineDash([]);
  }
}

/** A small picture of a board. */
export function thumbnail(values, draw, side, background) {
  const [rows, columns] = [values.length, values[0]?.length ?? 0];
  const canvas = h("canvas", { width: columns * side, height: rows * side });
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  background?.(context, canvas.width, canvas.height);
  values.forEach((line, row) => line.forEach((value, column) => draw(context, column * side, row * side, side, value, row, column)));
  return canvas;
}
