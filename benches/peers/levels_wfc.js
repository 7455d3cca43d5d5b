// Draws levels by the overlapping model of the npm package wavefunctioncollapse.
//
// node levels_wfc.js '{"levels": [[rows], ..], "direction": "right" or "up", "size": [rows, columns], "pattern": 3, "count": 20,
//                      "attempts": 50, "seconds": 60, "seed": 1, "out": DIR}'
//
// The model learns from one picture, so the training levels stand side by side (above each other where they are played upwards), and the seams
// are learned with them. It does not know where the bottom is: levels that are played to the right stand on rows of tiles of their own, one tile a row,
// whose pattern is its `ground`, so that they stand nowhere else, and which are cut off again. Prints JSON: levels drawn, attempts, patterns, milliseconds of CPU of the drawing.
'use strict';

const fs = require('fs');
const path = require('path');
const {OverlappingModel} = require('wavefunctioncollapse');

// A small generator of random numbers (mulberry32), so that a seed gives the same levels.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function main() {
  const asked = JSON.parse(fs.readFileSync(0, 'utf8'));
  const upwards = asked.direction === 'up';
  const below = upwards ? 0 : asked.pattern;
  const symbols = [...new Set(asked.levels.flat().join(''))];
  const ground = symbols.length;
  let rows;
  if (upwards) {
    rows = asked.levels.flat().map(row => [...row].map(symbol => symbols.indexOf(symbol)));
  } else {
    rows = asked.levels[0].map((_, row) => [...asked.levels.map(level => level[row]).join('')].map(symbol => symbols.indexOf(symbol)));
    for (let row = 0; row < below; row++) rows.push(rows[0].map(() => ground + row));
  }
  const [height, width] = [rows.length, rows[0].length];
  const data = new Uint8Array(rows.flat().flatMap(tile => [tile, 0, 0, 255]));
  const [drawnRows, drawnColumns] = [asked.size[0] + below, asked.size[1]];
  const started = process.cpuUsage();
  const model = pattern => new OverlappingModel(data, width, height, asked.pattern, drawnColumns, drawnRows, true, true, 1, pattern);
  let drawing = model(0);
  if (below > 0) {
    const isGround = (colour, place) => drawing.colors[colour][0] === ground + Math.floor(place / asked.pattern);
    const own = drawing.patterns.findIndex(pattern => pattern.every(isGround));
    drawing = model(own);
  }
  const random = generator(asked.seed);
  let [attempts, drawn] = [0, 0];
  const seconds = () => {
    const used = process.cpuUsage(started);
    return (used.user + used.system) / 1e6;
  };
  while (drawn < asked.count && attempts < asked.attempts * asked.count && seconds() < asked.seconds) {
    attempts++;
    if (!drawing.generate(random)) continue;
    const pixels = drawing.graphics();
    const tile = (row, column) => pixels[4 * (row * drawnColumns + column)];
    const rowText = row => Array.from({length: drawnColumns}, (_, column) => symbols[tile(row, column)]).join('');
    // The ground is the last row, and what follows it, around the edge.
    const first = below > 0 ? below - 1 : 0;
    const text = Array.from({length: asked.size[0]}, (_, row) => rowText(first + row)).join('\n');
    const name = `level-${String(++drawn).padStart(3, '0')}.txt`;
    fs.writeFileSync(path.join(asked.out, name), text + '\n');
  }
  const patterns = drawing.patterns.length;
  console.log(JSON.stringify({drawn, attempts, patterns, milliseconds: seconds() * 1e3}));
}

main();
