// Undo and redo of plain data.

/** States as text, the present one at `at`. */
export class History {
  #states = [];
  #at = -1;

  /** Takes in a state, unless it is the present one; what was undone is forgotten. */
  push(state) {
    const text = JSON.stringify(state);
    if (this.#states[this.#at] === text) return;
    this.#states.splice(this.#at + 1, Infinity, text);
    if (this.#states.length > 200) this.#states.shift();
    this.#at = this.#states.length - 1;
  }

  get canUndo() {
    return this.#at > 0;
  }

  get canRedo() {
    return this.#at < this.#states.length - 1;
  }

  /** The state before, or null. */
  undo() {
    return this.canUndo ? JSON.parse(this.#states[--this.#at]) : null;
  }

  /** The state after, or null. */
  redo() {
    return this.canRedo ? JSON.parse(this.#states[++this.#at]) : null;
  }
}
