/** One pass over the API, as a value: every list that was read or could not be, and single objects looked at again. */
import type { ListContents, ListRef } from '../resources/lists';

/** A list read whole, or why it could not be (404 means "not found or not allowed"). */
export type ListResult =
  | { readonly state: 'read'; readonly ref: ListRef; readonly contents: ListContents }
  | { readonly state: 'unreadable'; readonly ref: ListRef; readonly why: string };

/** What a Show of one id answered; what it found stands in the lists. */
export type ShowResult = 'present' | 'absent';

export interface Observed {
  /** Base URL of the service that was looked at. */
  readonly address: string;
  /** By list name (resources/lists.ts). */
  readonly lists: Readonly<Record<string, ListResult>>;
  /** By item id: only those that a list was expected to show and did not. */
  readonly shows: Readonly<Record<string, ShowResult>>;
  /** By client id, for clients that the plan may destroy or replace, where the profile can tell. */
  readonly affected: Readonly<Record<string, { readonly count: number; readonly names: readonly string[] }>>;
}
