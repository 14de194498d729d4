// Remembers every request to the API, for tests that count calls.

/** One request: what was asked, and how it ended. Never a header or a body. */
export interface RequestRecord {
  readonly method: string;
  /** The path template below `/api/v2`, such as `/oauth-clients/:id`; null for paths the API does not have. */
  readonly route: string | null;
  /** Path and query as sent. */
  readonly url: string;
  /** Arrival, ISO 8601 with milliseconds. */
  readonly time: string;
  /** Status of the answer; null while there is none, and for requests whose connection was reset before one. */
  readonly status: number | null;
  /** The fault that hit the request; null for none. */
  readonly fault: string | null;
}

const most = 100_000;

/** The requests since the last clearing, oldest first; the oldest are dropped beyond 100,000. */
export class RequestLog {
  // A ring once it is full: to move 100,000 records at each request costs more than the request.
  #records: RequestRecord[] = [];
  #oldest = 0;

  /** Notes the arrival of a request; the returned function completes the note. */
  open(arrival: Pick<RequestRecord, 'method' | 'route' | 'url' | 'time'>) {
    const record = { ...arrival, status: null as number | null, fault: null as string | null };
    if (this.#records.length < most) this.#records.push(record);
    else {
      this.#records[this.#oldest] = record;
      this.#oldest = (this.#oldest + 1) % most;
    }
    return (outcome: { status?: number; fault?: string }) => void Object.assign(record, outcome);
  }

  /** A copy of all records. */
  list(): RequestRecord[] {
    const inOrder = [...this.#records.slice(this.#oldest), ...this.#records.slice(0, this.#oldest)];
    return inOrder.map((record) => ({ ...record }));
  }

  /** Forgets all records. */
  clear(): void {
    this.#records = [];
    this.#oldest = 0;
  }
}
