// Requests to the program. Each lane is a client of the program: a later change of this client ends the work on its earlier changes.

/** The reason that there is no answer, with the cells or variables concerned. */
export class Problem extends Error {
  constructor(body, isAnswer = false) {
    super(body.error ?? "no answer");
    /** True if the request was valid, so that this reason is the answer. */
    this.isAnswer = isAnswer;
    this.body = body;
  }
}

/** A sequence of changes with their requests; a later change replaces the earlier ones. */
export class Lane {
  #client = crypto.randomUUID();
  #change = 0;
  #abort = null;

  /** Begins a change: requests by the returned function belong to this change, and return null once a later change has begun. */
  change() {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.#change += 1;
    const change = String(this.#change);
    return async (path, body) => {
      try {
        const headers = { "Content-Type": "application/json", "Figrs-Client": this.#client, "Figrs-Change": change, "Figrs-Errors": "answer" };
        const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal: abort.signal });
        const answer = await response.json();
        // Errors are sent as answers with status 200, so that the console stays empty while somebody types.
        const status = answer.error ? (answer.status ?? response.status) : 200;
        if (abort.signal.aborted || status === 409) return null;
        if (answer.error) throw new Problem(answer, status === 200);
        return answer;
      } catch (error) {
        if (abort.signal.aborted) return null;
        if (error instanceof Problem) throw error;
        throw new Problem({ error: "the program does not answer; is it still running?" });
      }
    };
  }

  /** Ends the work of the lane. */
  stop() {
    this.#abort?.abort();
  }
}

/** The networks and training levels of the folder. */
export async function files() {
  const response = await fetch("/api/files");
  const answer = await response.json();
  if (!response.ok) throw new Problem(answer);
  return answer;
}
