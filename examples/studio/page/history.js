// Undo and redo of plain data.

/** A history of states as text; the present state has the index `at`. */
export class History {
  #states = [];
  #at = -1;

  /** Adds a state, unless it equals the present one; states that were undone are dropped. */
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
