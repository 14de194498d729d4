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

/** Holds the requests since the last clearing, oldest first; beyond 100,000 the oldest are dropped. */
export class RequestLog {
  #records: RequestRecord[] = [];

  /** Notes an arrival; the returned function completes the note. */
  open(arrival: Pick<RequestRecord, 'method' | 'route' | 'url' | 'time'>) {
    const record: { -readonly [Name in keyof RequestRecord]: RequestRecord[Name] } = {
      ...arrival,
      status: null,
      fault: null,
    };
    this.#records.push(record);
    // Seldom, because moving 100,000 records costs more than a request.
    if (this.#records.length > 2 * most) this.#records.splice(0, most);
    return (status: number | null, fault: string | null) => {
      record.status = status;
      record.fault = fault;
    };
  }

  list(): RequestRecord[] {
    return this.#records.slice(-most).map((record) => ({ ...record }));
  }

  clear(): void {
    this.#records = [];
  }
}
