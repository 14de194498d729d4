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

/** Its time becomes text where somebody asks, not at each request. */
type Noted = { -readonly [Name in keyof Omit<RequestRecord, 'time'>]: RequestRecord[Name] } & { at: number };

/** Since the last clearing, oldest first; beyond 100,000 the oldest are dropped. */
export class RequestLog {
  #records: Noted[] = [];

  /** Notes an arrival, `at` in milliseconds since the epoch; the returned function completes the note. */
  open(method: string, route: string | null, url: string, at: number) {
    const record: Noted = { method, route, url, at, status: null, fault: null };
    // Seldom, because moving 100,000 records costs more than a request.
    if (this.#records.length === 2 * most) this.#records.splice(0, most);
    this.#records.push(record);
    return (status: number | null, fault: string | null) => {
      record.status = status;
      record.fault = fault;
    };
  }

  list(): RequestRecord[] {
    return this.#records.slice(-most).map(({ method, route, url, at, status, fault }) => {
      return { method, route, url, time: new Date(at).toISOString(), status, fault };
    });
  }

  clear(): void {
    this.#records = [];
  }
}
