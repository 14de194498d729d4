// The attributes of an OAuth client, one row each. Bodies, answers, records, data file and seed follow from them.

import {
  flag,
  matching,
  object,
  optional,
  orNull,
  partial,
  type Schema,
  type SchemaOf,
  someText,
  type TypeOf,
  text,
} from './schema';

interface Attribute {
  /** Its name in the API. */
  readonly wire: string;
  /** What a request may send for it. */
  readonly sent: Schema;
  /** What records, answers and seeds hold; a secret, which no one can read, has none. */
  readonly held?: Schema;
  /** What a new client holds that was given none; without it, a create must give one. */
  readonly unset?: unknown;
  /** Whether an update may carry it; or only where the profile takes tokens in PATCH. */
  readonly inUpdate?: true | 'tokenInPatch';
}

const url = matching('^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+[^\\s]*$', 'an http or https URL');

const attributes = {
  serviceProvider: { wire: 'service-provider', sent: someText, held: someText },
  name: { wire: 'name', sent: orNull(text), held: orNull(text), unset: null, inUpdate: true },
  key: { wire: 'key', sent: text, held: orNull(text), unset: null, inUpdate: true },
  httpUrl: { wire: 'http-url', sent: url, held: someText },
  apiUrl: { wire: 'api-url', sent: url, held: someText },
  oauthTokenString: { wire: 'oauth-token-string', sent: text, unset: null, inUpdate: 'tokenInPatch' },
  privateKey: { wire: 'private-key', sent: text, unset: null },
  secret: { wire: 'secret', sent: text, unset: null, inUpdate: true },
  rsaPublicKey: { wire: 'rsa-public-key', sent: text, held: orNull(text), unset: null, inUpdate: true },
  organizationScoped: { wire: 'organization-scoped', sent: flag, held: flag, unset: true, inUpdate: true },
} as const satisfies { readonly [name: string]: Attribute };

type Rows = typeof attributes;

/** An attribute, as records, seeds and profiles spell it. */
export type AttributeName = keyof Rows;

/** Values by the names of the API. */
export type WireAttributes = { readonly [wire: string]: unknown };

/** What a request sends, secrets included. */
export type SentAttributes = { readonly [Name in AttributeName]?: TypeOf<Rows[Name]['sent']> };

type HeldName = {
  [Name in AttributeName]: Rows[Name] extends { held: Schema } ? Name : never;
}[AttributeName];
type Held = { readonly [Name in HeldName]: Rows[Name]['held'] };
type HeldAttributes = { readonly [Name in HeldName]: TypeOf<Held[Name]> };

const rows = Object.entries(attributes) as [AttributeName, Attribute][];
const heldRows = rows.filter(([, row]) => row.held !== undefined) as [HeldName, Attribute][];

export const heldSchemas = Object.fromEntries(heldRows.map(([name, row]) => [name, row.held])) as Held;

export const mandatoryNames = rows.filter(([, row]) => !('unset' in row)).map(([name]) => name);

export function wireName(name: AttributeName): string {
  return attributes[name].wire;
}

/** The schema of the attributes that a create takes, with one of these service providers. */
export function createdAttributes(providers: readonly string[]): SchemaOf<WireAttributes> {
  const members = rows.map(([, row]) => [row.wire, 'unset' in row ? optional(row.sent) : row.sent]);
  const provider = { [attributes.serviceProvider.wire]: { enum: providers } };
  return object({ ...Object.fromEntries(members), ...provider });
}

/** The schema of the attributes that an update takes. */
export function updatedAttributes(capabilities: UpdateCapabilities): SchemaOf<WireAttributes> {
  const taken = rowsOfUpdate(capabilities);
  return object(partial(Object.fromEntries(taken.map(([, row]) => [row.wire, row.sent]))));
}

/** The attributes that the body of a create or, with capabilities, of an update sends. */
export function sentAttributes(body: WireAttributes, ofUpdate?: UpdateCapabilities): SentAttributes {
  const taken = ofUpdate ? rowsOfUpdate(ofUpdate) : rows;
  const values = taken.map(([name, row]) => [name, body[row.wire]]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** What a client holds that was given nothing; an empty text for what a create must give. */
export const heldWhenNew = Object.fromEntries(
  heldRows.map(([name, { unset = '' }]) => [name, unset]),
) as HeldAttributes;

/** What is held of the attributes that were sent. */
export function heldOf(sent: SentAttributes): Partial<HeldAttributes> {
  return Object.fromEntries(heldRows.flatMap(([name]) => (name in sent ? [[name, sent[name]]] : [])));
}

/** What is held, or its schemas, by the names of the API. */
export function onWire<Of extends { readonly [Name in HeldName]: unknown }>(held: Of) {
  return Object.fromEntries(heldRows.map(([name, row]) => [row.wire, held[name] as Of[HeldName]]));
}

type UpdateCapabilities = { readonly tokenInPatch: boolean };

function rowsOfUpdate(capabilities: UpdateCapabilities): [AttributeName, Attribute][] {
  return rows.filter(([, { inUpdate }]) => inUpdate === true || (inUpdate && capabilities[inUpdate]));
}
