// Files of boards: text, JSON, pictures, maps of Tiled and values of LDtk, written and read.
//
// A board is a list of rows, each a list of symbols. Maps and values number the symbols from 1 in the order given; 0 is the empty one.

import { h } from "./dom.js";

/** Offers bytes or a text as a file. */
export function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The bytes of a text in base64. */
export const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Bytes as a text in base64. */
export function base64Of(buffer) {
  let text = "";
  for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

const CRC = Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = CRC[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** A picture in PNG with the rows as a text chunk, so that it can be read back. */
export async function pictureOf(canvas, rows) {
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const data = new TextEncoder().encode(`tEXtrows\0${rows.join("\n")}`);
  const chunk = new Uint8Array(data.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length - 4);
  chunk.set(data, 4);
  view.setUint32(data.length + 4, crc(data));
  // After the header, which has 8 bytes before it and is 25 long.
  return new Blob([bytes.slice(0, 33), chunk, bytes.slice(33)], { type: "image/png" });
}

/** The rows that a text chunk of a picture holds, or null. */
function rowsInPicture(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const kind = String.fromCharCode(...bytes.slice(at + 4, at + 8));
    const data = bytes.slice(at + 8, at + 8 + length);
    const end = data.indexOf(0);
    if ((kind === "tEXt" || kind === "iTXt") && new TextDecoder().decode(data.slice(0, end)) === "rows") {
      // An international text has two flags, a language and a translated name before it.
      let start = end + 1;
      if (kind === "iTXt") start = data.indexOf(0, data.indexOf(0, end + 3) + 1) + 1;
      return new TextDecoder().decode(data.slice(start)).split("\n").filter((row) => row);
    }
    at += length + 12;
  }
  return null;
}

/** The rows of a picture without a text: each cell the symbol whose drawing is nearest. */
async function rowsOfPixels(bytes, { symbols, picture }) {
  const image = await createImageBitmap(new Blob([bytes]));
  const pixels = (source, width, height) => {
    const canvas = h("canvas", { width, height });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.imageSmoothingEnabled = false;
    source(context);
    return context.getImageData(0, 0, width, height).data;
  };
  const whole = pixels((context) => context.drawImage(image, 0, 0), image.width, image.height);
  let best = { mismatch: Infinity };
  for (const side of [16, 32, 24, 26, 48, 64]) {
    if (image.width % side || image.height % side) continue;
    const drawings = symbols.map((symbol) => pixels((context) => picture(context, side, symbol), side, side));
    let mismatch = 0;
    const rows = [];
    for (let row = 0; row < image.height / side; row++) {
      let text = "";
      for (let column = 0; column < image.width / side; column++) {
        const differences = drawings.map((drawing) => {
          let sum = 0;
          for (let y = 0; y < side; y++) {
            for (let x = 0; x < side; x++) {
              const [one, other] = [4 * (y * side + x), 4 * ((row * side + y) * image.width + column * side + x)];
              for (let c = 0; c < 3; c++) sum += Math.abs(drawing[one + c] - whole[other + c]);
            }
          }
          return sum / (3 * side * side);
        });
        const least = Math.min(...differences);
        mismatch = Math.max(mismatch, least);
        text += symbols[differences.indexOf(least)];
      }
      rows.push(text);
    }
    if (mismatch < best.mismatch) best = { mismatch, rows };
  }
  if (!(best.mismatch < 48)) throw new Error("the picture does not hold its rows, and its cells do not look like those here");
  return best.rows;
}

/** Converts numbers to rows of symbols: 0 is the empty symbol, other numbers are the positions of symbols, counted from 1. */
function rowsOfNumbers(numbers, width, { symbols, empty, beyond }) {
  if (!width || numbers.length % width) throw new Error("the values do not fill whole rows");
  const symbol = (number) => {
    if (!Number.isInteger(number) || number < 0) throw new Error("the values are not all whole numbers from 0 on");
    // The highest bits of a number state how the tile is turned and mirrored.
    const place = number & 0x0fffffff;
    const found = place === 0 ? empty : (symbols[place - 1] ?? (place === symbols.length + 1 ? beyond : undefined));
    if (found === undefined) throw new Error(`the value ${number} is none of 0 to ${symbols.length}`);
    return found;
  };
  const rows = [];
  for (let at = 0; at < numbers.length; at += width) rows.push(numbers.slice(at, at + width).map(symbol).join(""));
  return rows;
}

/** Converts numbers of a map to positions in its first tileset. */
const inTileset = (numbers, first) => numbers.map((number) => (number ? number - first + 1 : 0));

const numbersIn = (text) => text.split(/[\s,]+/).filter((word) => word).map(Number);

function rowsOfMap(text, tiles) {
  const map = new DOMParser().parseFromString(text, "application/xml");
  const data = map.querySelector("layer > data");
  if (!data) throw new Error("the map has no layer of tiles");
  if (data.getAttribute("encoding") !== "csv") throw new Error("the map is not stored as CSV; choose that as the tile layer format");
  const first = Number(map.querySelector("tileset")?.getAttribute("firstgid") ?? 1);
  const numbers = inTileset(numbersIn(data.textContent), first);
  return rowsOfNumbers(numbers, Number(data.parentElement.getAttribute("width")), tiles);
}

function rowsOfJson(text, tiles) {
  let value = JSON.parse(text);
  if (Array.isArray(value)) value = value[0];
  value = value?.puzzles?.[0] ?? value?.solution ?? value?.most_likely ?? value;
  const rows = value?.rows ?? value?.clues ?? value?.grid;
  if (Array.isArray(rows)) return rows;
  const layer = value?.layers?.find((one) => one.data);
  if (layer && !Array.isArray(layer.data)) throw new Error("the map is not stored as CSV; choose that as the tile layer format");
  if (layer) return rowsOfNumbers(inTileset(layer.data, value.tilesets?.[0]?.firstgid ?? 1), layer.width, tiles);
  const values = value?.levels?.[0]?.layerInstances?.find((one) => one.intGridCsv?.length);
  if (values) return rowsOfNumbers(values.intGridCsv, values.__cWid, tiles);
  throw new Error("the JSON has no rows, no layer of tiles and no IntGrid");
}

/** The rows of a file of any of the formats; `tiles` has the symbols, the empty one, and `picture(context, side, symbol)`. */
export async function rowsOf(file, tiles) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x89 && bytes[1] === 0x50) return rowsInPicture(bytes) ?? (await rowsOfPixels(bytes, tiles));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const start = text.trimStart()[0];
  if (/\.(tmx|xml)$/i.test(file.name) || text.startsWith("<?xml")) return rowsOfMap(text, tiles);
  if (/\.(json|tmj|ldtk)$/i.test(file.name) || start === "{") return rowsOfJson(text, tiles);
  if (/\.csv$/i.test(file.name)) {
    const lines = text.trim().split(/\r?\n/);
    return rowsOfNumbers(numbersIn(text), numbersIn(lines[0]).length, tiles);
  }
  const rows = text.split(/\r?\n/);
  while (rows.length && !rows.at(-1)) rows.pop();
  return rows;
}

/** Values of an IntGrid layer, a line for each row. */
export const csvOf = (rows, symbols, empty) =>
  rows.map((row) => [...row].map((symbol) => (symbol === empty ? 0 : symbols.indexOf(symbol) + 1)).join(",")).join("\n") + "\n";

/** A map of the Tiled editor whose tiles are in a picture beside it. */
export function mapOf(rows, symbols, empty, image, side) {
  const [width, height] = [[...rows[0]].length, rows.length];
  const data = csvOf(rows, symbols, empty).trim().split("\n").join(",\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" renderorder="right-down" width="${width}" height="${height}" tilewidth="${side}" tileheight="${side}" infinite="0">
 <tileset firstgid="1" name="board" tilewidth="${side}" tileheight="${side}" tilecount="${symbols.length}" columns="${symbols.length}">
  <image source="${image}" width="${side * symbols.length}" height="${side}"/>
 </tileset>
 <layer id="1" name="board" width="${width}" height="${height}">
  <data encoding="csv">
${data}
</data>
 </layer>
</map>
`;
}
