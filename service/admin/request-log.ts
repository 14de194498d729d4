// Remembers every request to the API, for tests that count calls. Never a header or a body.

export interface RequestRecord {
  method: string;
  /** The path template below `/api/v2`, such as `/oauth-clients/:id`; null for unknown paths. */
  route: string | null;
  url: string;
  /** Arrival, ISO 8601 with milliseconds. */
  time: string;
  /** Null while there is no answer, and where the connection was reset before one. */
  status: number | null;
  fault: string | null;
}

const most = 100_000;

/** Holds the requests since the last clearing, oldest first; beyond 100,000 the oldest are dropped. */
export class RequestLog {
  #records: RequestRecord[] = [];

  /** Notes an arrival; the returned function completes the note. */
  open(arrival: Pick<RequestRecord, 'method' | 'route' | 'url' | 'time'>) {
    const record: RequestRecord = { ...arrival, status: null, fault: null };
    this.#records.push(record);
    if (this.#records.length > most) this.#records.shift();
    return (end: Pick<RequestRecord, 'status' | 'fault'>) => void Object.assign(record, end);
  }

  list(): RequestRecord[] {
    return this.#records.map((record) => ({ ...record }));
  }

  clear(): void {
    this.#records = [];
  }
}
