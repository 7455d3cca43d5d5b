// The view of the five kinds of boards. Boards are drawn given painted cells and demands, with exact probabilities if these fit into memory.

import { button, fold, h, number, range, select, toggle } from "./dom.js";
import { Designer } from "./designer.js";
import { csvOf, mapOf, pictureOf } from "./files.js";
import { thumbnail } from "./grid.js";
import { KINDS, wayOf } from "./kinds.js";

export { KINDS };

/** Number of boards that are drawn to estimate probabilities if the exact ones do not fit into memory. */
const DRAWN = 100;
/** Seconds after which the boards drawn so far are shown, and seconds after which drawing is given up. */
const [SOON, LATE] = [3, 30];
/** Memory in MiB that exact answers may take after each change. */
const QUIET_MEMORY = 256;

class BoardDesigner extends Designer {
  palette = [];

  constructor(name) {
    const kind = KINDS[name];
    const [rows, columns] = kind.size;
    super(kind.title, { seed: 1, rows, columns, pins: {}, kept: null, flags: {}, isHidden: false });
    this.kind = kind;
    this.exactMemory = QUIET_MEMORY;
    this.most = kind.side;
    this.empty = kind.free;
    this.names = new Map(kind.tiles.map(([symbol, , name]) => [name, symbol]));
    this.palette = kind.tiles.map(([symbol, meaning]) => ({
      symbol, name: meaning, draw: (context, x, y, side) => kind.draw(context, x, y, side, symbol, 0, 0),
    }));
  }

  start() {
    this.wayToggle.hidden = !this.kind.path;
    this.palettes();
    this.rebuild();
    this.run();
  }

  background(context, width, height) {
    context.fillStyle = this.kind.ground;
    context.fillRect(0, 0, width, height);
  }

  drawCell(context, x, y, side, value, row, column, values = this.grid.values) {
    const isShown = !this.state.isHidden || `${row},${column}` in this.state.pins;
    this.kind.draw(context, x, y, side, isShown ? value : undefined, row, column, values);
  }

  drawEnd(...given) {
    if (!this.state.isHidden) this.kind.end?.(...given);
  }

  blank() {
    return this.#rows([]).map((row) => [...row].map((symbol) => (symbol === this.kind.free ? undefined : symbol)));
  }

  nameOf(value) {
    const end = { "<": ", start", ">": ", finish" }[value.length > 1 ? value[1] : ""] ?? "";
    return (this.palette.find(({ symbol }) => symbol === value[0])?.name ?? "first room") + end;
  }

  valueOf(symbol, row, column) {
    const before = this.grid.values[row]?.[column] ?? "";
    if (this.kind.puzzle !== "chromatic") return symbol;
    return symbol === "<" || symbol === ">" ? before[0] + symbol : symbol + (before[1] ?? "");
  }

  /** Cells as clues; the clue of a coloured start or finish is that it is the start or finish. */
  symbolsOf(values) {
    return values.map((line) => line.map((value) => (value === undefined || value === "o" ? null : (value[1] ?? value))));
  }

  textOf(values) {
    return this.symbolsOf(values).map((line) => line.map((symbol) => symbol ?? this.kind.free).join("")).join("\n");
  }

  another() {
    return { seed: this.state.seed + 1 };
  }

  #rows(extra) {
    const { rows, columns } = this.state;
    const lines = Array.from({ length: rows }, () => Array(columns).fill(this.kind.free));
    for (const [row, column, symbol] of this.set(extra)) if (symbol && row < rows && column < columns) lines[row][column] = symbol;
    return lines.map((line) => line.join(""));
  }

  #request(extra = []) {
    const { rows, columns, flags } = this.state;
    const clues = this.#rows(extra);
    const isFree = clues.every((row) => [...row].every((symbol) => symbol === this.kind.free));
    return { puzzle: this.kind.puzzle, ...(isFree ? { size: `${rows}x${columns}` } : { clues }), ...flags };
  }

  #sample(seed) {
    return { ...this.#request(), ...this.#drawn(), task: "sample", seed, ...(this.kind.path ? { show_path: true } : {}) };
  }

  /** The memory up to which the exact method draws boards, for kinds of boards that another method can draw too. */
  #drawn() {
    return this.kind.drawMemory ? { memory: this.kind.drawMemory } : {};
  }

  /** An answer within a few seconds if there is one; else an answer after a longer time, which the page announces. */
  async #asked(ask, request, tell) {
    try {
      return await ask("/api/board", { ...request, time: SOON });
    } catch (problem) {
      if (!problem.isAnswer || problem.body.stopped !== "time") throw problem;
    }
    const { quick } = this.kind;
    tell?.(`No board after ${SOON} seconds; drawing ${quick ? "by another method" : `for ${LATE} more seconds`}`);
    return ask("/api/board", quick ? { ...request, method: quick, time: SOON } : { ...request, time: LATE });
  }

  async draw(ask) {
    const started = performance.now();
    const { seed, rows, columns } = this.state;
    const answer = await this.#asked(ask, this.#sample(seed), (told) => this.waiting(told));
    if (!answer) return null;
    const [board] = answer.puzzles;
    const milliseconds = Math.round(performance.now() - started);
    const cut = answer.stopped ? "; drawing ended early, so it may be close to the starting board" : "";
    return {
      values: this.kind.values(board, rows, columns), path: wayOf(board), told: `Board of seed ${seed}${cut}.`,
      how: `method ${answer.method}, ${milliseconds} ms`,
    };
  }

  /** The number of boards, if it can be computed. */
  async verdict(ask, { told }) {
    try {
      // The number does not depend on the weights of a maze.
      const counted = await ask("/api/board", { ...this.#request(), weights: undefined, memory: this.exactMemory, task: "count" });
      if (!counted) return null;
      const isUnique = counted.count === "1";
      const number = counted.count.length > 15 ? `about 10^${counted.count.length - 1}` : Number(counted.count).toLocaleString("en");
      const verdict = isUnique ? "unique" : `${number} ${this.kind.isPuzzle ? "solutions" : "boards"}`;
      return { told: `${this.kind.isPuzzle ? "This puzzle: " : ""}${verdict}. ${told}`, good: isUnique };
    } catch (problem) {
      if (!problem.isAnswer || problem.body?.cells) throw problem;
      return null;
    }
  }

  async more(ask) {
    const boards = [];
    const { seed, rows, columns } = this.state;
    for (let next = seed + 1; next <= seed + 10; next++) {
      const answer = await this.#asked(ask, this.#sample(next));
      if (!answer) return null;
      boards.push({ values: this.kind.values(answer.puzzles[0], rows, columns), state: { seed: next }, told: `seed ${next}` });
    }
    return boards;
  }

  /** Converts marginals by names to probabilities by symbols. */
  #shares(marginals, set) {
    const started = set.find(([, , symbol]) => symbol === "<");
    const finished = set.find(([, , symbol]) => symbol === ">");
    return marginals.map((line, row) => line.map((cell) => {
      const shares = {};
      for (const [name, p] of Object.entries(cell)) {
        const symbol = this.names.get(name) ?? this.kind.others?.[name];
        if (symbol) shares[symbol] = p;
      }
      const end = cell["start or finish"];
      if (end === undefined) return shares;
      // Start and finish have the same probabilities unless one of them is set.
      const isAt = (place) => place?.[0] === row && place?.[1] === line.indexOf(cell);
      const start = started ? (isAt(started) ? 1 : 0) : finished ? (isAt(finished) ? 0 : end) : end / 2;
      return { ...shares, "<": start, ">": Math.max(0, end - start) };
    }));
  }

  async #exact(ask, extra = []) {
    const answer = await ask("/api/board", { ...this.#request(extra), memory: this.exactMemory, task: "marginals" });
    return answer && { cells: this.#shares(answer.marginals, this.set(extra)), isProven: true, told: "Exact probabilities." };
  }

  sharesOf() {
    return { ...this.#request(), memory: this.exactMemory };
  }

  async *shares(ask) {
    try {
      const exact = await this.#exact(ask);
      if (exact) yield { ...exact, isLast: true };
      return;
    } catch (problem) {
      // Clues that exclude each other are reported with their cells; any other answer means that the states do not fit.
      if (problem.body?.cells || !problem.isAnswer) throw problem;
    }
    const { rows, columns } = this.state;
    const answer = await this.#asked(ask, { ...this.#request(), ...this.#drawn(), task: "sample", count: DRAWN, seed: 0 });
    if (!answer) return;
    const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ({})));
    for (const board of answer.puzzles) {
      this.kind.values(board, rows, columns).forEach((line, row) => line.forEach((value, column) => {
        for (const symbol of value) cells[row][column][symbol] = (cells[row][column][symbol] ?? 0) + 1 / answer.puzzles.length;
      }));
    }
    yield { cells, isProven: false, isLast: true, told: `Shares among ${answer.puzzles.length} drawn boards${answer.stopped ? ", ended early" : ""}: exact probabilities take more memory.` };
  }

  async sharesWith(ask, row, column, symbol) {
    // Without exact probabilities, a few drawn boards cannot show which values are excluded.
    if (!this.isProven) return null;
    return this.#exact(ask, [[row, column, symbol]]);
  }

  demands() {
    const { state, kind } = this;
    const flag = (changes) => this.change({ flags: { ...this.state.flags, ...changes } });
    const size = (name, value) => this.change({ [name]: value ?? 8, kept: null });
    const ranges = kind.ranges.map(([text, least, most]) =>
      range(text, [state.flags[least], state.flags[most]], ([from, to]) => flag({ [least]: from ?? undefined, [most]: to ?? undefined })));
    const choices = (kind.choices ?? []).map(([text, name, values]) => select(text, state.flags[name] ?? values[0][0], values, (value) => flag({ [name]: value })));
    const puzzle = kind.isPuzzle
      ? [toggle("Show the clues alone", state.isHidden, (isHidden) => this.change({ isHidden })), button("Make a puzzle", () => this.#make(), { className: "main" })]
      : [];
    return [fold("Demands", kind.about, true,
      number("Rows", state.rows, (rows) => size("rows", rows), { min: 1, max: 100 }),
      number("Columns", state.columns, (columns) => size("columns", columns), { min: 1, max: 100 }),
      ranges, choices, puzzle),
    fold("Exact answers", "The number of boards and exact probabilities are tried within this memory; the next change ends that.", false,
      select("Try", String(this.exactMemory), [[String(QUIET_MEMORY), `up to ${QUIET_MEMORY} MiB`], ["1024", "up to 1 GiB"], ["4096", "up to 4 GiB"]],
        (memory) => { this.exactMemory = Number(memory); this.run(); }))];
  }

  /** Makes a puzzle with one solution; the cells that are set stay clues. */
  async #make() {
    const ask = this.further.change();
    this.told.classList.add("busy");
    try {
      const answer = await ask("/api/board", { ...this.#request(), task: "sample", make_puzzle: true, seed: this.state.seed });
      if (!answer) return;
      await this.take(answer.puzzles[0].clues);
    } catch (problem) {
      this.wrong(problem.message);
    }
  }

  /** Remedies for an error, each as a button: its text and the changes of the state that it makes. */
  remedies() {
    const isBounded = Object.values(this.state.flags).some((value) => typeof value === "number");
    return isBounded ? [["Without the numbers", { flags: Object.fromEntries(Object.entries(this.state.flags).filter(([, value]) => typeof value !== "number")) }]] : [];
  }

  exports() {
    const text = () => this.textOf(this.grid.values).split("\n");
    const symbols = () => this.palette.map(({ symbol }) => symbol);
    const name = () => this.kind.puzzle;
    const whole = (side) => thumbnail(this.grid.values, (...given) => this.drawCell(...given), side, this.background.bind(this));
    return [
      ["Text", async () => [`${name()}.txt`, "text/plain", `${text().join("\n")}\n`]],
      ["Clues", async () => [`${name()}.clues`, "text/plain", `${this.#rows([]).join("\n")}\n`]],
      ["JSON", async () => [`${name()}.json`, "application/json", JSON.stringify({ puzzle: name(), rows: text(), clues: this.#rows([]) })]],
      ["PNG", async () => [`${name()}.png`, "image/png", await pictureOf(whole(32), text())]],
      ["Tiled map", async () => [`${name()}.tmx`, "application/xml", mapOf(text(), symbols(), undefined, `${name()}-tiles.png`, 32)]],
      ["Tiles of the map", async () => {
        const draw = (context, x, y, side, symbol) => this.kind.draw(context, x, y, side, symbol, 0, 0);
        return [`${name()}-tiles.png`, "image/png", await pictureOf(thumbnail([symbols()], draw, 32, this.background.bind(this)), [symbols().join("")])];
      }],
      ["LDtk", async () => [`${name()}.csv`, "text/csv", csvOf(text(), symbols(), undefined)]],
    ];
  }

  /** Sets the cells to those of a board or of clues that were read. */
  async take(rows) {
    const free = new Set([this.kind.free, " ", "o", "?"]);
    for (const { symbol } of this.palette) free.delete(symbol);
    const known = new Set(this.palette.map(({ symbol }) => symbol));
    const columns = [...rows[0]].length;
    const pins = {};
    rows.forEach((line, row) => {
      if ([...line].length !== columns) throw new Error(`row ${row + 1} has ${[...line].length} cells, and the first ${columns}`);
      [...line].forEach((symbol, column) => {
        if (free.has(symbol)) return;
        if (!known.has(symbol)) throw new Error(`row ${row + 1}, column ${column + 1}: unknown symbol ${symbol}`);
        pins[`${row},${column}`] = symbol;
      });
    });
    this.state = { ...this.state, rows: rows.length, columns, pins, kept: null };
    this.rebuild();
    await this.run();
  }
}

/** The view of boards of a kind. */
export function boardView(name) {
  return new BoardDesigner(name);
}
