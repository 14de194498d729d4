// Remembers every request to the API, for tests that count calls. Never a header or a body.

export interface RequestRecord {
  readonly method: string;
  /** The path template below `/api/v2`, such as `/oauth-clients/:id`; null for unknown paths. */
  readonly route: string | null;
  readonly url: string;
  /** Arrival, ISO 8601 with milliseconds. */
  readonly time: string;
  /** Null while there is no answer, and where the connection was reset before one. */
  readonly status: number | null;
  readonly fault: string | null;
}

const most = 100_000;

/** Since the last clearing, oldest first; beyond 100,000 the oldest are dropped. */
export class RequestLog {
  #records: RequestRecord[] = [];

  /** Notes an arrival; the returned function completes the note. */
  open(arrival: Omit<RequestRecord, 'status' | 'fault'>) {
    const record: RequestRecord = { ...arrival, status: null, fault: null };
    // Seldom, because moving 100,000 records costs more than a request.
    if (this.#records.length === 2 * most) this.#records.splice(0, most);
    this.#records.push(record);
    return (outcome: { status?: number; fault?: string }) => void Object.assign(record, outcome);
  }

  list(): RequestRecord[] {
    return this.#records.slice(-most).map((record) => ({ ...record }));
  }

  clear(): void {
    this.#records = [];
  }
}
