// Levels: the Markov chain of the training levels given what is painted and demanded.

import { Lane, files } from "./api.js";
import { button, fold, h, line, number, percent, range, select, settled, text, toggle } from "./dom.js";
import { Designer } from "./designer.js";
import { base64Of, bytesOf, download } from "./files.js";

const START = {
  seed: 1, index: 0, width: 60, pins: {}, kept: null, forced: true, playable: true, unseen: false, gap: null, counts: {},
  file: "", movement: "", ownMovement: "", strict: false,
  corpus: null, training: null, tiles: "", only: "", weight: "", structure: "ns3", smoothing: null, bands: null,
  trained: "chain", order: null, section: null, kinds: null, style: "", change: null, particles: 8,
};
const MODELS = [
  ["chain", "a Markov chain of tiles"], ["n-grams", "n-grams of columns"], ["hierarchical", "chains of sections, or of styles"], ["field", "a random field"],
];
const MOVEMENTS = ["platformer", "climb", "ladders", "maze", "rooms"];
/** A file of demands to begin with. */
const DEMANDS = `[[demand]]
count = "enemy"
number = "1..3"
in_each = 20
`;
const OWN_MOVEMENT = `name = "high jumps"
like = "platformer"
enemies = "jumped"
`;
/** After each change the exact method is tried with little memory, so that an attempt that does not fit takes only about a second. */
const QUIET = -1;
/** This memory in MiB; playable levels of n-grams need more memory, and take longer to fill it. */
const quietMemory = (trained) => (trained === "n-grams" ? 192 : 64);

/** The words of a line. */
const words = (line) => line.split(/\s+/).filter((word) => word);

/** A message about the first row that is not as long as the first one, or null. */
function uneven(text) {
  const rows = text.replace(/\n$/, "").split("\n");
  const place = rows.findIndex((row) => [...row].length !== [...rows[0]].length);
  if (!rows[0]) return "the first row is empty";
  return place < 0 ? null : `row ${place + 1} has ${[...rows[place]].length} tiles, and the first ${[...rows[0]].length}`;
}

class LevelDesigner extends Designer {
  palette = [];
  #sprites = null;
  /** Demands for which the states of the exact method did not fit, each with the largest number of adjacent columns in which no tile was set. */
  #tooLarge = new Map();

  constructor() {
    super("Level", structuredClone(START));
    this.source = new Lane();
    this.least = 13;
    this.most = 26;
    this.exactMemory = QUIET;
  }

  /** Fetches the tiles and the training levels, then draws. */
  async start() {
    const [, list] = await Promise.all([this.#tiles(), files().catch(() => ({ corpora: [] }))]);
    this.corpora = list.corpora;
    this.rebuild();
    this.run();
  }

  /** Fields of requests that state the training levels and the movement of the player. */
  #source() {
    const { corpus, training, tiles, only, weight, structure, smoothing, bands, trained, style, movement, ownMovement } = this.state;
    const own = training || corpus;
    const isHierarchical = trained === "hierarchical";
    return {
      structure, smoothing: smoothing ?? undefined, row_splits: bands ?? undefined, corpus: training ? undefined : (corpus ?? undefined), training: training ?? undefined,
      tiles: (own && tiles.trim()) || undefined, only: words(only), weight: words(weight),
      trained, style: isHierarchical ? words(style) : undefined,
      movement: movement === "own" ? ownMovement : movement || undefined,
    };
  }

  /** Settings of the model, and the pictures of a sheet. */
  #settings() {
    const { trained, order, section, kinds, style, change } = this.state;
    const some = (value) => value ?? undefined;
    if (trained === "n-grams") return { order: some(order) };
    if (trained !== "hierarchical") return {};
    return { section: some(section), ...(words(style).length ? { style_change: some(change) } : { kinds: some(kinds) }) };
  }

  #pictures() {
    return this.sheet ? { tile_sheet: this.sheet.base64, tile_size: this.sheet.side } : {};
  }

  /** True if it is known how a player moves. */
  get #isPlayed() {
    return this.state.movement !== "" || this.suggested !== null;
  }

  /** Fetches the tiles and the training levels of the present state; false if a later request replaced this one. */
  async #tiles() {
    const ask = this.source.change();
    const told = await ask("/api/level", { ...this.#source(), ...this.#settings(), ...this.#pictures(), task: "tiles" });
    if (!told) return false;
    this.suggested = told.movement;
    this.side = told.side;
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
    return true;
  }

  /** The number of columns (of rows, if the player climbs) of the longest training level, at most 60. */
  #usual() {
    const along = ({ text }) => (this.isUpwards ? text.trimEnd().split("\n").length : text.indexOf("\n"));
    return Math.min(START.width, Math.max(...this.levels.map(along)));
  }

  #picture(context, x, y, side, place) {
    const own = this.side;
    const columns = Math.max(1, Math.floor(this.#sprites.width / own));
    context.drawImage(this.#sprites, (place % columns) * own, Math.floor(place / columns) * own, own, own, x, y, side, side);
  }

  background(context, width, height) {
    context.fillStyle = "#86b8f4";
    context.fillRect(0, 0, width, height);
  }

  drawCell(context, x, y, side, symbol, row, column, values = this.grid.values) {
    const place = this.places?.get(symbol);
    if (place === undefined) return;
    const above = this.palette[this.places.get(values[row - 1]?.[column])];
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

  /** Memory of the exact method, in MiB. */
  get #memory() {
    return this.exactMemory === QUIET ? quietMemory(this.state.trained) : this.exactMemory;
  }

  /** A request for the present state. */
  #request(extra = []) {
    const { seed, index, width, forced, kept, playable, unseen, gap, counts, particles, file, strict } = this.state;
    const [rows, columns] = this.isUpwards ? [width, this.across] : [this.across, width];
    const set = this.set(extra).filter(([row, column]) => row < rows && column < columns);
    const painted = new Set([...Object.keys(this.state.pins), ...extra.map(([row, column]) => `${row},${column}`)]);
    const isPlaced = ([row, column]) => (painted.has(`${row},${column}`) ? forced : kept?.isForced);
    const count = Object.fromEntries(Object.entries(counts).filter(([, [least, most]]) => least !== null || most !== null)
      .map(([symbol, [least, most]]) => [symbol, [least ?? 0, most ?? rows * columns]]));
    return {
      ...this.#source(), ...this.#settings(), seed, index, [this.isUpwards ? "height" : "width"]: width, particles,
      playable: playable && this.#isPlayed, strict: strict && this.#isPlayed, allow_unseen: unseen, max_gap: gap ?? undefined, count,
      demands: file.trim() ? file : undefined,
      pin: set.filter((cell) => !isPlaced(cell)), place: set.filter(isPlaced),
    };
  }

  sharesOf() {
    return { ...this.#request(), index: 0, seed: 0, exactMemory: this.exactMemory };
  }

  async draw(ask) {
    const started = performance.now();
    const drawn = await ask("/api/level", { ...this.#request(), show_path: this.#isPlayed });
    if (!drawn) return null;
    const [level] = drawn;
    const milliseconds = Math.round(performance.now() - started);
    const way = level.playable === undefined ? "the tiles have unknown meanings" : level.playable ? "playable" : `not playable: ${level.obstacle}`;
    const unseen = level.unseen ? `, ${level.unseen} unseen configurations` : "";
    return {
      values: level.rows.map((row) => [...row]),
      path: level.path,
      told: `Level ${level.index + 1} of seed ${level.seed}: ${way}${unseen}. Method ${level.method}: ${level.guarantee}. ${milliseconds} ms.`,
    };
  }

  async more(ask) {
    const from = this.state.index + 1;
    const drawn = await ask("/api/level", { ...this.#request(), index: from, levels: 10, show_path: this.#isPlayed });
    return drawn?.map((level) => ({
      values: level.rows.map((row) => [...row]), state: { index: level.index }, told: level.playable === false ? `level ${level.index + 1}, not playable` : `level ${level.index + 1}`,
    }));
  }

  /**
   * The demands that the states of the exact method depend on, as a text, and the largest number of adjacent columns (rows, if the player climbs) in which no
   * tile is set. If the states did not fit, the method is tried again only when this number is smaller.
   */
  #size() {
    const { pin, place, seed, index, particles, ...rest } = this.#request();
    const along = ([row, column]) => (this.isUpwards ? row : column);
    const set = new Set([...pin, ...place].map(along));
    let [free, most] = [0, 0];
    for (let at = 0; at < this.state.width; at += 1) {
      free = set.has(at) ? 0 : free + 1;
      most = Math.max(most, free);
    }
    return [JSON.stringify([rest, this.#memory]), most];
  }

  #told(answer) {
    if (answer.exact) return "Exact probabilities, by the states of the frontier.";
    return `Shares among ${answer.levels} levels drawn by particles; standard error at most ${percent(0.5 / Math.sqrt(answer.levels))}.`;
  }

  async *shares(ask) {
    const drawn = [{ levels: 24 }, { levels: 240 }];
    // Exact probabilities do not account for levels that strict rules rejected.
    const [demanded, free] = this.#size();
    const isHopeful = this.exactMemory && !this.state.strict && free < (this.#tooLarge.get(demanded) ?? Infinity);
    const exact = isHopeful ? [{ method: "exact", memory: this.#memory }] : [];
    let last = null;
    for (const step of [...drawn, ...exact]) {
      try {
        const answer = await ask("/api/level", { ...this.#request(), ...step, index: 0, task: "marginals" });
        if (!answer) return;
        last = { cells: answer.marginals, isProven: answer.exact, told: this.#told(answer) };
      } catch (problem) {
        // The states of the exact method do not fit, so the estimated probabilities stay.
        if (!step.method || problem.body?.method !== "exact") throw problem;
        this.#tooLarge.set(demanded, free);
      }
      yield { ...last, isLast: step === (exact[0] ?? drawn.at(-1)) };
    }
  }

  async sharesWith(ask, row, column, symbol) {
    const step = this.isProven ? { method: "exact", memory: this.#memory } : { levels: 48 };
    const answer = await ask("/api/level", { ...this.#request([[row, column, symbol]]), ...step, index: 0, task: "marginals" });
    return answer && { cells: answer.marginals, isProven: answer.exact };
  }

  demands() {
    const { state } = this;
    const counts = this.palette.filter(({ symbol }) => symbol !== this.empty).map(({ symbol, name }) =>
      range(`${name} ${symbol}`, state.counts[symbol] ?? [null, null], (bounds) => this.change({ counts: { ...this.state.counts, [symbol]: bounds } })));
    const used = Object.values(state.counts).some(([least, most]) => least !== null || most !== null);
    const playable = toggle("A player gets through", state.playable && this.#isPlayed, (playable) => this.change({ playable }));
    const strict = toggle("Checked again by stricter rules", state.strict && this.#isPlayed, (strict) => this.change({ strict }));
    for (const one of [playable, strict]) one.input.disabled = !this.#isPlayed;
    return [
      fold("Demands", "Conditions that every level meets, besides the painted cells.", true,
        number(this.isUpwards ? "Rows" : "Columns", state.width, (width) => this.change({ width: width ?? 60, kept: null }), { min: 1, max: 1000 }),
        playable, this.#isPlayed ? null : h("p", { className: "small", textContent: "The meanings of the tiles are unknown; give a legend or a movement." }),
        strict,
        number("Widest gap in the ground", state.gap, (gap) => this.change({ gap }), { min: 0 }),
        toggle("Allow configurations never seen in training", state.unseen, (unseen) => this.change({ unseen })),
        toggle("Paint only what training levels have there", !state.forced, (isNatural) => this.change({ forced: !isNatural })),
        h("details", { open: used }, h("summary", { className: "small", textContent: "Numbers of tiles" }), h("div", { className: "fields" }, counts))),
      this.#file(),
      this.#movement(),
      this.#training(),
      this.#sheet(),
      this.#exact(),
    ];
  }

  /** The control for a file of demands, in the format that the command reads. */
  #file() {
    const file = text("A file of demands, in TOML or JSON", this.state.file, (file) => this.change({ file }), { rows: 8, placeholder: DEMANDS });
    const input = h("input", {
      type: "file", "aria-label": "Open a file of demands", accept: ".toml,.json", onchange: async () => {
        const [chosen] = input.files;
        if (!chosen) return;
        this.change({ file: await chosen.text() });
        this.rebuild();
      },
    });
    const about = "A small language for forbidden and required patterns, numbers in windows, distances, symmetry, paths and soft demands; the tutorial explains it.";
    return fold("Demands in words", about, this.state.file !== "",
      file, input,
      h("div", { className: "row" },
        button("An example", () => { this.change({ file: DEMANDS }); this.rebuild(); }),
        button("Save", () => download("demands.toml", "text/plain", this.state.file))));
  }

  /** The rules by which a player moves. */
  #movement() {
    const { movement, ownMovement } = this.state;
    const suggested = this.suggested ? `as the tiles suggest (${this.suggested})` : "none is suggested by the tiles";
    const choices = [["", suggested], ...MOVEMENTS.map((name) => [name, name]), ["own", "a file of your own"]];
    const choose = (movement) => {
      this.change({ movement, ownMovement: movement === "own" ? ownMovement || OWN_MOVEMENT : ownMovement });
      this.rebuild();
    };
    const own = () => text("A movement, in TOML or JSON", ownMovement, (ownMovement) => this.change({ ownMovement }), { rows: 5 });
    return fold("Movement", "The rules by which a player moves, and a level is playable or not.", movement !== "", select("A player moves by", movement, choices, choose), movement === "own" ? own() : null);
  }

  /** Pictures of the tiles. */
  #sheet() {
    const side = number("Side of a tile in pixels", this.sheet?.side ?? 16, (side) => {
      if (this.sheet) take({ ...this.sheet, side: side ?? 16 });
    }, { min: 1, max: 256 });
    const take = async (sheet) => {
      const before = this.sheet;
      this.sheet = sheet;
      try {
        if (!(await this.#tiles())) return;
      } catch (problem) {
        this.sheet = before;
        this.wrong(problem.message);
        return;
      }
      this.rebuild();
      this.run();
    };
    const input = h("input", {
      type: "file", "aria-label": "Open a tile sheet", accept: ".png", onchange: async () => {
        const [chosen] = input.files;
        if (!chosen) return;
        const base64 = base64Of(await chosen.arrayBuffer());
        // The same file may be chosen again with another side.
        input.value = "";
        take({ name: chosen.name, base64, side: Number(side.input.value) || 16 });
      },
    });
    const about = this.sheet ? `From ${this.sheet.name}, here and in files.` : "A PNG of square tiles, in the order of the legend or as it numbers them.";
    return fold("Pictures of tiles", about, Boolean(this.sheet),
      side, input, this.sheet ? button("The pictures of figrs", () => take(null)) : null);
  }

  #exact() {
    const choices = [[0, "never"], [QUIET, "up to 64 MiB, n-grams 192 MiB"], [1024, "up to 1 GiB"], [4096, "up to 4 GiB"]];
    const named = choices.map(([memory, text]) => [String(memory), text]);
    const about = "After the shares among drawn levels, the exact probabilities are tried within this memory; the next change ends that.";
    return fold("Exact answers", about, false,
      select("Try", String(this.exactMemory), named, (memory) => { this.exactMemory = Number(memory); this.run(); }),
      number("Particles of a level", this.state.particles, (particles) => this.change({ particles: particles ?? 8 }), { min: 1, max: 10000 }));
  }

  #training() {
    const { state } = this;
    const again = async (changes, fits = false) => {
      this.state = { ...this.state, ...changes };
      this.told.classList.add("busy");
      try {
        if (!(await this.#tiles())) return;
        if (fits) this.state.width = this.#usual();
        this.rebuild();
        this.run();
      } catch (problem) {
        this.wrong(problem.message);
      }
    };
    const other = (changes) => again({ pins: {}, kept: null, counts: {}, ...changes }, !changes.training);
    const sources = [["", "the levels of figrs"], ...(this.corpora ?? []).map((name) => [`folder:${name}`, `folder ${name}`]), ["edited", "edited here"]];
    const source = state.training ? "edited" : state.corpus ? `folder:${state.corpus}` : "";
    const copy = () => (this.levels ?? []).map(({ name, text }) => ({ name, text }));
    const choose = (value) => other(value === "edited" ? { training: copy(), corpus: null } : { training: null, corpus: value ? value.slice(7) : null, tiles: "" });
    const levels = () => this.state.training ?? this.levels ?? [];
    const edited = h("textarea", { rows: 16, spellcheck: false, "aria-label": "Training level", value: levels()[this.edited ?? 0]?.text ?? "" });
    edited.oninput = settled(500, () => {
      const training = (this.state.training ?? copy()).map((level, place) => (place === (this.edited ?? 0) ? { ...level, text: edited.value } : level));
      const wrong = uneven(edited.value);
      if (wrong) return this.wrong(`${training[this.edited ?? 0].name}: ${wrong}`);
      // The text field keeps its focus, because only the levels are drawn again.
      const wasEdited = this.state.training !== null;
      this.state = { ...this.state, training, corpus: null };
      this.#tiles().then((isLast) => isLast && this.run(), (problem) => this.wrong(problem.message));
      if (!wasEdited) this.sourceSelect.input.value = "edited";
    });
    this.sourceSelect = select("Train on", source, sources, choose);
    const structures = [["ns0", "no neighbour"], ["ns1", "left"], ["ns2", "left and below"], ["ns3", "left, below, left-below"]];
    const legend = () => text("Legend of the tiles, in TOML or JSON", state.tiles, (tiles) => again({ tiles }), { rows: 4, placeholder: "[tiles]\n'#' = ['solid']\n'.' = ['passable', 'empty']" });
    const model = (trained) => { this.change({ trained }); this.rebuild(); };
    return fold("Training", "The example levels, and the model that learns from the example levels.", false,
      this.sourceSelect,
      select("Model", state.trained, MODELS, model),
      this.#model(structures),
      state.trained === "n-grams" ? null : number("Bands of rows, each with a table", state.bands, (bands) => this.change({ bands }), { min: 1, placeholder: "all" }),
      line("Levels named", state.only, (only) => again({ only }), { placeholder: "all, or *-1 *-2" }),
      line("Weights", state.weight, (weight) => again({ weight }), { placeholder: "*-1=3" }),
      state.training || state.corpus ? legend() : null,
      select("Level", String(this.edited ?? 0), levels().map(({ name }, place) => [String(place), name]), (place) => {
        // The text that was typed last belongs to the previous level.
        edited.oninput.flush();
        this.edited = Number(place);
        edited.value = levels()[this.edited]?.text ?? "";
      }),
      edited,
      ...(this.notes ?? []).map((note) => h("p", { className: "small", textContent: note })),
      h("p", { className: "small", textContent: "The model is trained at once on the levels typed here, in this page alone." }));
  }

  /** Settings of the model that is trained. */
  #model(structures) {
    const { trained, structure, smoothing, order, section, kinds, style, change } = this.state;
    const chain = () => [
      select("A tile depends on", structure, structures, (structure) => this.change({ structure })),
      number("Added to each count", smoothing, (smoothing) => this.change({ smoothing }), { min: 0, step: 0.1, placeholder: "0" }),
    ];
    const styles = (style) => { this.change({ style }); this.rebuild(); };
    switch (trained) {
      case "n-grams": return [number("Columns of an n-gram", order, (order) => this.change({ order }), { min: 1, max: 6, placeholder: "3" })];
      case "hierarchical": return [
        ...chain(),
        number("Columns of a section", section, (section) => this.change({ section }), { min: 1, max: 64, placeholder: "4" }),
        line("Styles", style, styles, { placeholder: "castle=*-4 cave=*-2" }),
        words(style).length
          ? number("A style changes with probability", change, (change) => this.change({ change }), { min: 0, max: 1, step: 0.05, placeholder: "0.2" })
          : number("Kinds of sections", kinds, (kinds) => this.change({ kinds }), { min: 1, max: 64, placeholder: "8" }),
      ];
      case "field": return [];
      default: return chain();
    }
  }

  /** Remedies for an error, each as a button: its text and the changes of the state that it makes. */
  remedies({ body }) {
    const { pins, forced, kept, playable, unseen, particles } = this.state;
    const isPainted = Object.keys(pins).length > 0;
    const ways = [];
    if (isPainted && !forced) ways.push(["Put it there anyway", { forced: true }]);
    else if ((isPainted || kept) && !unseen) ways.push(["Put it there anyway", { forced: true, unseen: true }]);
    if (playable && this.#isPlayed && (isPainted || body.playable)) ways.push(["Without a path for a player", { playable: false }]);
    if (body.proven === false && particles < 100) ways.push(["Search longer", { particles: 100 }]);
    return ways;
  }

  exports() {
    const rows = () => this.grid.values.map((line) => line.join(""));
    const made = (format) => async () => {
      const ask = this.errand.change();
      const file = await ask("/api/level", { ...this.#source(), ...this.#pictures(), task: "export", level: rows(), format, show_path: this.showsPath && this.#isPlayed });
      return file && [file.name, file.type, bytesOf(file.base64)];
    };
    return [
      ["Text", async () => ["level.txt", "text/plain", `${rows().join("\n")}\n`]],
      ["JSON", async () => {
        const level = await this.errand.change()("/api/level", { ...this.#source(), task: "check", level: rows(), show_path: true });
        return level && ["level.json", "application/json", JSON.stringify([level])];
      }],
      ["PNG", made("png")],
      ["Tiled map", made("tmx")],
      ["Tiles of the map", async () => {
        const told = await this.errand.change()("/api/level", { ...this.#source(), ...this.#pictures(), task: "tiles" });
        return told && ["level-tiles.png", "image/png", bytesOf(told.picture)];
      }],
      ["Tiled JSON", made("tiled-json")],
      ["LDtk", made("ldtk-csv")],
    ];
  }

  /** Shows a level that was read from a file, and keeps all its tiles. */
  async take(rows) {
    const known = (symbol) => this.places.has(symbol);
    const unknown = rows.flatMap((row) => [...row]).find((symbol) => !known(symbol));
    const across = this.isUpwards ? [...rows[0]].length : rows.length;
    const wrong = uneven(rows.join("\n")) ?? (unknown ? `unknown tile ${unknown}` : across !== this.across ? `it has ${across} ${this.isUpwards ? "columns" : "rows"}, but the training levels have ${this.across}` : null);
    if (wrong) throw new Error(`the level: ${wrong}`);
    const ask = this.lane.change();
    const level = await ask("/api/level", { ...this.#source(), task: "check", level: rows, show_path: this.#isPlayed });
    if (!level) return;
    const kept = { rows: level.rows.map((row) => [...row]), region: null, isRead: true, isForced: level.unseen > 0 };
    // Demands that the level does not meet are removed.
    this.state = {
      ...this.state, width: this.isUpwards ? level.height : level.width, pins: {}, kept, playable: this.state.playable && level.playable !== false,
      unseen: this.state.unseen || level.unseen > 0, gap: null, counts: {}, file: "", strict: false,
    };
    this.rebuild();
    await this.run();
  }
}

/** The view of levels. */
export function levelView() {
  return new LevelDesigner();
}
