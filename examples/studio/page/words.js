// Translates errors to the words of the page, because requests use the names of flags and count rows and columns from 0.

/** A message with rows and columns from 1, as the page counts them. */
export function fromOne(told) {
  const next = (number) => Number(number) + 1;
  if (!told.includes(" (from 0)")) {
    return told
      .replace(/\b(?:pin|place) \[(\d+), (\d+)\]/g, (_, row, column) => `row ${next(row)}, column ${next(column)}`)
      .replace(/\b(rows|columns) 0 to (\d+)/g, (_, what, last) => `${what} 1 to ${next(last)}`);
  }
  return told.replaceAll(" (from 0)", "")
    .replace(/\b(columns?|rows?) (\d+)( to (\d+))?\b/g, (_, what, first, range, last) => `${what} ${next(first)}${range ? ` to ${next(last)}` : ""}`);
}

/** Replaces parts of a message; each part is a text or a pattern, with the words that replace it. */
export const inWords = (told, words) => words.reduce((text, [found, word]) => text.replaceAll(found, word), told);

/** Parts of error messages of levels, with the words of the page that replace them. */
export const WORDS = [
  ["; use place instead of pin", ""],
  ["give more particles", "search longer"],
  ["use method exact, or another model by trained (n-grams keep whole columns)", "choose the model “n-grams of columns” below Training, which keeps whole columns"],
  [/(demand )?playable, choose another movement, or leave strict out/g, "that a player gets through, choose another movement, or leave out the stricter rules"],
  ["use more particles, or the exact method", "search longer"],
  [/\bmax_gap\b/g, "“Widest gap in the ground”"],
  [/\brow_splits\b/g, "“Bands of rows”"],
  [/\ballow_unseen\b/g, "“Allow configurations never seen in training”"],
  [/\bcorpus and training\b/g, "the folder and the edited levels"],
  [/\bstyle_change\b/g, "“A style changes with probability”"],
];
