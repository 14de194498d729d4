/** What is known of one object: it is there, it is proved absent, or nobody can tell. */

import type { Found } from '../resources/definition';
import type { ListRef } from '../resources/lists';

export type Observation =
  | { readonly state: 'present'; readonly found: Found }
  /** Proved by lists that were read whole and lack it, and by a Show that answered 404 where the id was known. */
  | { readonly state: 'absent'; readonly evidence: readonly ListRef[] }
  /** "Not found" and "not allowed" look the same in this API. */
  | { readonly state: 'undetermined'; readonly why: string };
