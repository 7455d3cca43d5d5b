// Levels: the Markov chain of the training levels given what is painted and demanded.

import { files } from "./api.js";
import { fold, h, number, percent, range, select, settled, toggle } from "./dom.js";
import { Designer } from "./designer.js";
import { bytesOf } from "./files.js";

const START = {
  seed: 1, index: 0, width: 60, pins: {}, kept: null, forced: false, playable: true, unseen: false, gap: null, counts: {},
  corpus: null, training: null, structure: "ns3", bands: null, particles: 8,
};
/** Memory of the exact method, in MiB, that is tried after each change. */
const QUIET_MEMORY = 192;

/** The row that is not as long as the first, in words, or null. */
function uneven(text) {
  const rows = text.replace(/\n$/, "").split("\n");
  const place = rows.findIndex((row) => [...row].length !== [...rows[0]].length);
  if (!rows[0]) return "the first row is empty";
  return place < 0 ? null : `row ${place + 1} has ${[...rows[place]].length} tiles, and the first ${[...rows[0]].length}`;
}

class LevelDesigner extends Designer {
  palette = [];
  #sprites = null;

  constructor() {
    super("Level", structuredClone(START));
    this.least = 13;
    this.most = 26;
    this.exactMemory = QUIET_MEMORY;
  }

  /** Fetches the tiles and the training levels, then draws. */
  async start() {
    const [, list] = await Promise.all([this.#tiles(), files().catch(() => ({ corpora: [] }))]);
    this.corpora = list.corpora;
    this.rebuild();
    this.run();
  }

  /** Fields of requests that say what is trained on. */
  #source(state = this.state) {
    const { corpus, training, structure, bands } = state;
    return { structure, row_splits: bands ?? undefined, corpus: training ? undefined : (corpus ?? undefined), training: training ?? undefined };
  }

  async #tiles() {
    const ask = this.lane.change();
    const told = await ask("/api/level", { ...this.#source(), task: "tiles" });
    if (!told) return;
    this.across = told.across;
    this.isUpwards = told.travel === "up";
    this.notes = told.notes;
    this.empty = told.empty;
    this.shipped ??= told.training;
    this.levels = told.training;
    // Ground with grass on it stands after the tiles of the picture.
    this.beyond = told.drawn ? "X" : undefined;
    const blob = new Blob([bytesOf(told.picture)], { type: "image/png" });
    this.#sprites = await createImageBitmap(blob);
    this.isDrawn = told.drawn;
    this.palette = told.tiles.map(({ symbol, name, solid }, place) => ({
      symbol, name, solid, draw: (context, x, y, side) => this.#picture(context, x, y, side, place),
    }));
    this.places = new Map(this.palette.map(({ symbol }, place) => [symbol, place]));
    this.palettes();
  }

  #picture(context, x, y, side, place) {
    const columns = Math.max(1, Math.floor(this.#sprites.width / 16));
    context.drawImage(this.#sprites, (place % columns) * 16, Math.floor(place / columns) * 16, 16, 16, x, y, side, side);
  }

  background(context, width, height) {
    context.fillStyle = "#86b8f4";
    context.fillRect(0, 0, width, height);
  }

  drawCell(context, x, y, side, symbol, row, column) {
    const place = this.places?.get(symbol);
    if (place === undefined) return;
    const above = this.palette[this.places.get(this.grid.values[row - 1]?.[column])];
    const grassy = this.isDrawn && symbol === "X" && !above?.solid;
    this.#picture(context, x, y, side, grassy ? this.palette.length : place);
  }

  nameOf(symbol) {
    const tile = this.palette[this.places?.get(symbol)];
    return tile ? `${tile.name} ${symbol}` : symbol;
  }

  valueOf(symbol) {
    return symbol;
  }

  symbolsOf(values) {
    return values.map((line) => [...line]);
  }

  textOf(values) {
    return values.map((line) => line.join("")).join("\n");
  }

  another() {
    return { index: this.state.index + 1 };
  }

  fresh() {
    return { index: 0 };
  }

  /** A request for the present state. */
  #request(extra = []) {
    const { seed, index, width, forced, playable, unseen, gap, counts, particles } = this.state;
    const [rows, columns] = this.isUpwards ? [width, this.across] : [this.across, width];
    const set = this.set(extra).filter(([row, column]) => row < rows && column < columns);
    const by = (name) => set.filter(([row, column]) => (forced && `${row},${column}` in this.state.pins ? "place" : "pin") === name);
    const count = Object.fromEntries(Object.entries(counts).filter(([, [least, most]]) => least !== null || most !== null)
      .map(([symbol, [least, most]]) => [symbol, [least ?? 0, most ?? rows * columns]]));
    return {
      ...this.#source(), seed, index, [this.isUpwards ? "height" : "width"]: width, particles, playable, allow_unseen: unseen, max_gap: gap ?? undefined, count,
      pin: by("pin"), place: by("place"),
    };
  }

  async draw(ask) {
    const started = performance.now();
    const drawn = await ask("/api/level", { ...this.#request(), show_path: true });
    if (!drawn) return null;
    const [level] = drawn;
    const milliseconds = Math.round(performance.now() - started);
    const way = level.playable ? "playable" : `not playable: ${level.obstacle}`;
    const unseen = level.unseen ? `, ${level.unseen} unseen configurations` : "";
    return {
      values: level.rows.map((row) => [...row]),
      path: level.path,
      told: `Level ${level.index} of seed ${level.seed}: ${way}${unseen}. Method ${level.method}: ${level.guarantee}. ${milliseconds} ms.`,
    };
  }

  async more(ask) {
    const from = this.state.index + 1;
    const drawn = await ask("/api/level", { ...this.#request(), index: from, levels: 10, show_path: true });
    return drawn?.map((level) => ({
      values: level.rows.map((row) => [...row]), state: { index: level.index }, told: level.playable ? `${level.index}` : `${level.index}, not playable`,
    }));
  }

  #told(answer) {
    if (answer.exact) return "Exact probabilities, by the states of the frontier.";
    return `Shares among ${answer.levels} levels drawn by particles; standard error at most ${percent(0.5 / Math.sqrt(answer.levels))}.`;
  }

  async *shares(ask) {
    const steps = [{ levels: 48 }, { levels: 240 }, { method: "exact", memory: this.exactMemory }];
    for (const step of steps) {
      try {
        const answer = await ask("/api/level", { ...this.#request(), ...step, index: 0, task: "marginals" });
        if (!answer) return;
        yield { cells: answer.marginals, isProven: answer.exact, told: this.#told(answer) };
      } catch (problem) {
        // The exact method does not fit: the shares stay.
        if (step.method && problem.body?.method === "exact") return;
        throw problem;
      }
    }
  }

  async sharesWith(ask, row, column, symbol) {
    const step = this.isProven ? { method: "exact", memory: this.exactMemory } : { levels: 48 };
    const answer = await ask("/api/level", { ...this.#request([[row, column, symbol]]), ...step, index: 0, task: "marginals" });
    return answer && { cells: answer.marginals, isProven: answer.exact };
  }

  demands() {
    const { state } = this;
    const counts = this.palette.filter(({ symbol }) => symbol !== this.empty).map(({ symbol, name }) =>
      range(`${name} ${symbol}`, state.counts[symbol] ?? [null, null], (bounds) => this.change({ counts: { ...this.state.counts, [symbol]: bounds } })));
    const used = Object.values(state.counts).some(([least, most]) => least !== null || most !== null);
    return [
      fold("Demands", true,
        number(this.isUpwards ? "Rows" : "Columns", state.width, (width) => this.change({ width: Math.max(1, width ?? 60), kept: null }), { min: 1, max: 1000 }),
        toggle(this.isUpwards ? "A player gets to the top" : "A player gets from left to right", state.playable, (playable) => this.change({ playable })),
        number("Widest gap in the ground", state.gap, (gap) => this.change({ gap }), { min: 0 }),
        toggle("Allow configurations never seen in training", state.unseen, (unseen) => this.change({ unseen })),
        toggle("Painted tiles stand whatever the chain would do", state.forced, (forced) => this.change({ forced })),
        h("details", { open: used }, h("summary", { className: "small", textContent: "Numbers of tiles" }), h("div", { className: "fields" }, counts))),
      this.#training(),
      this.#exact(),
    ];
  }

  #exact() {
    const choices = [[0, "never"], [QUIET_MEMORY, `up to ${QUIET_MEMORY} MiB`], [1024, "up to 1 GiB"], [4096, "up to 4 GiB"]];
    const named = choices.map(([memory, text]) => [String(memory), text]);
    return fold("Exact probabilities", false,
      h("p", { className: "small", textContent: "After the shares among drawn levels, the exact probabilities are tried within this memory; the next change ends that." }),
      select("Try", String(this.exactMemory), named, (memory) => { this.exactMemory = Number(memory) || 1; this.run(); }),
      number("Particles of a level", this.state.particles, (particles) => this.change({ particles: particles ?? 8 }), { min: 1, max: 10000 }));
  }

  #training() {
    const { state } = this;
    const again = async (changes) => {
      this.state = { ...this.state, pins: {}, kept: null, counts: {}, ...changes };
      this.told.classList.add("busy");
      try {
        await this.#tiles();
        this.rebuild();
        this.run();
      } catch (problem) {
        this.wrong(problem.message);
      }
    };
    const sources = [["", "the levels of figrs"], ...(this.corpora ?? []).map((name) => [`folder:${name}`, `folder ${name}`]), ["edited", "edited here"]];
    const source = state.training ? "edited" : state.corpus ? `folder:${state.corpus}` : "";
    const copy = () => (this.levels ?? []).map(({ name, text }) => ({ name, text }));
    const choose = (value) => again(value === "edited" ? { training: copy(), corpus: null } : { training: null, corpus: value ? value.slice(7) : null });
    const levels = state.training ?? this.levels ?? [];
    const text = h("textarea", { rows: 16, spellcheck: false, "aria-label": "Training level", value: levels[this.edited ?? 0]?.text ?? "" });
    text.oninput = settled(500, () => {
      const training = (this.state.training ?? copy()).map((level, place) => (place === (this.edited ?? 0) ? { ...level, text: text.value } : level));
      const wrong = uneven(text.value);
      if (wrong) return this.wrong(`${training[this.edited ?? 0].name}: ${wrong}`);
      // The text keeps its focus: only the levels are drawn again.
      const wasEdited = this.state.training !== null;
      this.state = { ...this.state, training, corpus: null };
      this.#tiles().then(() => this.run(), (problem) => this.wrong(problem.message));
      if (!wasEdited) this.sourceSelect.input.value = "edited";
    });
    this.sourceSelect = select("Train on", source, sources, choose);
    const structures = [["ns0", "no neighbour"], ["ns1", "left"], ["ns2", "left and below"], ["ns3", "left, below, left-below"]];
    return fold("Training", false,
      this.sourceSelect,
      select("A tile depends on", state.structure, structures, (structure) => this.change({ structure })),
      number("Bands of rows, each with a table", state.bands, (bands) => this.change({ bands }), { min: 1, placeholder: "all" }),
      select("Level", String(this.edited ?? 0), levels.map(({ name }, place) => [String(place), name]), (place) => { this.edited = Number(place); text.value = levels[this.edited]?.text ?? ""; }),
      text,
      ...(this.notes ?? []).map((note) => h("p", { className: "small", textContent: note })),
      h("p", { className: "small", textContent: "What is typed here is trained on at once, in this page alone." }));
  }

  exports() {
    const rows = () => this.grid.values.map((line) => line.join(""));
    const made = (format) => async () => {
      const ask = this.errand.change();
      const file = await ask("/api/level", { ...this.#source(), task: "export", level: rows(), format, show_path: this.showsPath });
      return [file.name, file.type, bytesOf(file.base64)];
    };
    return [
      ["Text", async () => ["level.txt", "text/plain", `${rows().join("\n")}\n`]],
      ["JSON", async () => {
        const level = await this.errand.change()("/api/level", { ...this.#source(), task: "check", level: rows(), show_path: true });
        return ["level.json", "application/json", JSON.stringify([level])];
      }],
      ["PNG", made("png")],
      ["Tiled map", made("tmx")],
      ["Tiles of the map", async () => {
        const told = await this.errand.change()("/api/level", { ...this.#source(), task: "tiles" });
        return ["level-tiles.png", "image/png", bytesOf(told.picture)];
      }],
      ["Tiled JSON", made("tiled-json")],
      ["LDtk", made("ldtk-csv")],
    ];
  }

  /** Takes a level that was read: all its tiles stand as painted. */
  async take(rows) {
    const known = (symbol) => this.places.has(symbol);
    const unknown = rows.flatMap((row) => [...row]).find((symbol) => !known(symbol));
    const across = this.isUpwards ? [...rows[0]].length : rows.length;
    const wrong = uneven(rows.join("\n")) ?? (unknown ? `unknown tile ${unknown}` : across !== this.across ? `it has ${across} ${this.isUpwards ? "columns" : "rows"}, and the training levels have ${this.across}` : null);
    if (wrong) throw new Error(`the level: ${wrong}`);
    const ask = this.lane.change();
    const level = await ask("/api/level", { ...this.#source(), task: "check", level: rows, show_path: true });
    if (!level) return;
    const pins = Object.fromEntries(level.rows.flatMap((row, r) => [...row].map((symbol, c) => [`${r},${c}`, symbol])));
    this.state = { ...this.state, width: this.isUpwards ? level.height : level.width, pins, kept: null, forced: true, playable: this.state.playable && level.playable, unseen: true, gap: null, counts: {} };
    this.rebuild();
    await this.run();
  }
}

/** The view of levels. */
export function levelView() {
  return new LevelDesigner();
}
