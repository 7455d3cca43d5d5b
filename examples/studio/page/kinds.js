// The five boards: their tiles, how they are drawn, and how their JSON is read.

/** Fills a cell, less a margin. */
function fill(context, x, y, side, colour, margin = 0) {
  context.fillStyle = colour;
  context.fillRect(x + margin, y + margin, side - 2 * margin, side - 2 * margin);
}

function disc(context, x, y, side, colour, radius, edge) {
  context.beginPath();
  context.arc(x + side / 2, y + side / 2, side * radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = Math.max(1, side / 20);
  context.stroke();
}

/** A polygon by points in shares of the side. */
function shape(context, x, y, side, colour, points) {
  context.beginPath();
  points.forEach(([dx, dy], place) => context[place ? "lineTo" : "moveTo"](x + dx * side, y + dy * side));
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

const STEPS = { "^": [-1, 0], v: [1, 0], "<": [0, -1], ">": [0, 1] };
const OPPOSITE = { "^": "v", v: "^", "<": ">", ">": "<" };

/** Draws a room of a maze: its walls, and an arrow to the room that it points to. */
function room(context, x, y, side, symbol, row, column, values) {
  fill(context, x, y, side, "#f3efe6");
  const wall = Math.max(1.5, side / 9);
  context.fillStyle = "#3d4654";
  for (const [way, [dr, dc]] of Object.entries(STEPS)) {
    const other = values?.[row + dr]?.[column + dc];
    if (values && (symbol === way || other === OPPOSITE[way])) continue;
    if (!values) continue;
    if (way === "^") context.fillRect(x, y, side, wall / 2);
    if (way === "v") context.fillRect(x, y + side - wall / 2, side, wall / 2);
    if (way === "<") context.fillRect(x, y, wall / 2, side);
    if (way === ">") context.fillRect(x + side - wall / 2, y, wall / 2, side);
  }
  if (symbol === "o") disc(context, x, y, side, "#1d6f42", 0.2);
  else if (symbol in STEPS) {
    const [dr, dc] = STEPS[symbol];
    const point = (along, across) => [0.5 + along * dc - across * dr, 0.5 + along * dr + across * dc];
    shape(context, x, y, side, "#9aa0ab", [point(0.2, 0), point(-0.1, 0.14), point(-0.1, -0.14)]);
  }
}

const HUES = { R: "#e2483d", Y: "#f2c53d", G: "#45a854", C: "#3fb8c4", B: "#3f66d4", M: "#c04ab8" };

function hue(context, x, y, side, value) {
  const colour = HUES[value?.[0]] ?? "#d5d9e0";
  fill(context, x, y, side, colour, side > 12 ? 0.75 : 0);
  end(context, x, y, side, value);
}

/** The picture of the start or the finish, if a value of a chromatic maze is one. */
function end(context, x, y, side, value) {
  const end = value?.at(-1);
  if (end !== "<" && end !== ">") return;
  disc(context, x, y, side, "#ffffff", 0.3, "#1d2127");
  const points = end === "<" ? [[0.42, 0.34], [0.42, 0.66], [0.68, 0.5]] : [[0.36, 0.36], [0.64, 0.36], [0.64, 0.64], [0.36, 0.64]];
  shape(context, x, y, side, "#1d2127", points);
}

function dungeon(context, x, y, side, symbol, row, column) {
  fill(context, x, y, side, (row + column) % 2 ? "#d9cdb4" : "#e0d5be");
  if (symbol === "W") {
    fill(context, x, y, side, "#59606b");
    context.fillStyle = "#767e8a";
    for (const [dx, dy, width] of [[0.05, 0.08, 0.4], [0.52, 0.08, 0.43], [0.05, 0.4, 0.2], [0.3, 0.4, 0.4], [0.76, 0.4, 0.19], [0.05, 0.72, 0.4], [0.52, 0.72, 0.43]]) {
      context.fillRect(x + dx * side, y + dy * side, width * side, 0.22 * side);
    }
  } else if (symbol === "G") shape(context, x, y, side, "#2a9fd6", [[0.5, 0.12], [0.82, 0.42], [0.5, 0.88], [0.18, 0.42]]);
  else if (symbol === "A") {
    shape(context, x, y, side, "#a03a3a", [[0.2, 0.35], [0.8, 0.35], [0.7, 0.5], [0.7, 0.85], [0.3, 0.85], [0.3, 0.5]]);
    shape(context, x, y, side, "#f2c53d", [[0.5, 0.08], [0.6, 0.32], [0.4, 0.32]]);
  }
}

function terrain(context, x, y, side, symbol) {
  fill(context, x, y, side, symbol === "#" ? "#7fb069" : symbol === "." ? "#4a8fc2" : "#d5d9e0");
  if (symbol === "#") fill(context, x, y, side, "#93c47d", side * 0.16);
}

function stone(context, x, y, side, symbol) {
  fill(context, x, y, side, "#deb87a");
  context.strokeStyle = "#b08852";
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, side, side);
  if (symbol === "1") disc(context, x, y, side, "#23222b", 0.4, "#0b0b10");
  if (symbol === "2") disc(context, x, y, side, "#f8f6f0", 0.4, "#a59f92");
}

const one = ([column, row]) => [row - 1, column - 1];
const grid = (board) => board.grid.map((row) => [...row]);

/** The five kinds of boards: for each kind its tiles with their names in marginals, its drawing, and the conversion of its JSON to rows of values. */
export const KINDS = {
  maze: {
    title: "Maze", puzzle: "maze", size: [10, 14], side: 34, free: ".", path: true, draw: room, ground: "#f3efe6",
    tiles: [["^", "leads up", "up"], ["v", "leads down", "down"], ["<", "leads left", "left"], [">", "leads right", "right"]],
    others: { root: "o" },
    ranges: [["Steps of the path", "min_walk", "max_walk"]],
    choices: [["Passages", "weights", [["uniform", "all alike"], ["snake", "mostly level"]]]],
    about: "Arrows lead to the first room, at the top left. Exactly one path leads to each room.",
    values({ parents }, rows, columns) {
      const values = Array.from({ length: rows }, () => Array(columns).fill("o"));
      for (const [column, row, dx, dy] of parents) values[row - 1][column - 1] = dy < 0 ? "^" : dy > 0 ? "v" : dx < 0 ? "<" : ">";
      return values;
    },
  },
  chromatic: {
    title: "Chromatic maze", puzzle: "chromatic", size: [4, 4], side: 64, free: ".", path: true, draw: hue, end, ground: "#d5d9e0",
    tiles: [["R", "red", "red"], ["Y", "yellow", "yellow"], ["G", "green", "green"], ["C", "cyan", "cyan"], ["B", "blue", "blue"], ["M", "magenta", "magenta"], ["<", "start"], [">", "finish"]],
    ranges: [["Steps of the path", "min_steps", "t_max"]],
    about: "A step leads between two colours that are equal or neighbours on the colour wheel.",
    values({ tiles, start, finish }) {
      const values = tiles.map((row) => [...row]);
      for (const [end, place] of [["<", start], [">", finish]]) {
        const [row, column] = one(place);
        values[row][column] += end;
      }
      return values;
    },
  },
  dungeon: {
    title: "Dungeon", puzzle: "dungeon", size: [6, 6], side: 44, free: "?", path: true, draw: dungeon, ground: "#e0d5be",
    tiles: [[".", "floor", "empty"], ["W", "wall", "wall"], ["G", "gem", "gem"], ["A", "altar", "altar"]],
    ranges: [["Walls", "min_walls", "max_walls"], ["Steps of the path", "min_walk", "max_walk"]],
    choices: [["Gem, altar and exit", "reachable", [["yes", "can be reached"], ["no", "may be anywhere"]]]],
    about: "The path leads from the top left to the gem, the altar, and the bottom right.",
    values: grid,
  },
  island: {
    title: "Island", puzzle: "island", size: [8, 10], side: 40, free: "?", draw: terrain, ground: "#4a8fc2",
    tiles: [["#", "land", "land"], [".", "water", "water"]],
    ranges: [["Cells of land", "min_land", "max_land"], ["Bays", "min_bays", "max_bays"]],
    about: "All land is connected, the border is water and the centre land.",
    values: grid,
  },
  yin_yang: {
    title: "Yin-Yang", puzzle: "yin_yang", size: [6, 6], side: 56, free: ".", draw: stone, ground: "#deb87a", isPuzzle: true, drawMemory: 64, quick: "chain",
    tiles: [["1", "black", "black"], ["2", "white", "white"]],
    ranges: [["Black cells", "min_black", "max_black"]],
    about: "The cells of each colour are connected, and no square of two by two cells has one colour.",
    values: grid,
  },
};

/** The way of a board as rows and columns. */
export const wayOf = (board) => (board.path ?? []).map(one);
