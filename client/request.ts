/** One operation of the API as data: what is sent, what the answer holds, and what may be done when it fails. */

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Request<Result> {
  readonly method: Method;
  /** Parts of the path below the base URL, as they are: they are encoded later. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON:API document. */
  readonly body?: object;
  /** By field, the values in the body that must not appear in anything the client says. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Whether sending it twice has the effect of sending it once, so that a lost answer may be retried. */
  readonly repeatable: boolean;
  /** A 404 after an attempt that may have been applied means that it was: for deletes. */
  readonly goneIsDone?: boolean;
  /** Whether a refusal with these texts passes by itself (a lock) and is tried again until the deadline. */
  readonly passes?: (text: string) => boolean;
  /** What a successful answer holds; one without content is never looked into. */
  readonly expects: 'document' | 'nothing';
  /** Maps the parsed document (undefined for `nothing`); throws `Unreadable` when it is not what the API promises. */
  readonly read: (document: unknown) => Result;
}
