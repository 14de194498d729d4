// The attributes of an OAuth client, one row each, from which bodies, answers, records and seed follow.

import {
  choice,
  flag,
  matching,
  object,
  orNull,
  type Schema,
  type SchemaOf,
  someText,
  type TypeOf,
  text,
} from './schema';

interface Attribute {
  wire: string;
  sent: Schema;
  /** What records, answers and seeds hold; a secret, which no one can read, has none. */
  held?: Schema;
  /** What a new client holds that was given none; without it, a create must give one. */
  unset?: unknown;
  /** Whether an update may carry it; or only where the profile takes tokens in PATCH. */
  inUpdate?: true | 'tokenInPatch';
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

export type WireAttributes = { readonly [wire: string]: unknown };

export type SentAttributes = { readonly [Name in AttributeName]?: TypeOf<Rows[Name]['sent']> };

type HeldName = {
  [Name in AttributeName]: Rows[Name] extends { held: Schema } ? Name : never;
}[AttributeName];
type Held = { readonly [Name in HeldName]: Rows[Name]['held'] };
type HeldAttributes = { readonly [Name in HeldName]: TypeOf<Held[Name]> };

type Row = [AttributeName, Attribute];
const rows = Object.entries(attributes) as Row[];
const heldRows = rows.filter(([, row]) => row.held !== undefined) as [HeldName, Attribute][];

export const heldSchemas = Object.fromEntries(heldRows.map(([name, row]) => [name, row.held])) as Held;

const mandatoryRows = rows.filter(([, row]) => !('unset' in row));
export const mandatoryNames = mandatoryRows.map(([name]) => name);

export function wireName(name: AttributeName): string {
  return attributes[name].wire;
}

function sentSchemas(of: readonly Row[]) {
  return Object.fromEntries(of.map(([, { wire, sent }]) => [wire, sent]));
}

export function createdAttributes(providers: readonly string[]): SchemaOf<WireAttributes> {
  const provider = { [attributes.serviceProvider.wire]: choice(...providers) };
  return object(
    { ...sentSchemas(mandatoryRows), ...provider },
    sentSchemas(rows.filter(([, row]) => 'unset' in row)),
  );
}

export function updatedAttributes(capabilities: UpdateCapabilities): SchemaOf<WireAttributes> {
  return object({}, sentSchemas(rowsOfUpdate(capabilities)));
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

/** What is held, or its schemas, by names of the API. */
export function onWire<Of extends { readonly [Name in HeldName]: unknown }>(held: Of) {
  return Object.fromEntries(heldRows.map(([name, row]) => [row.wire, held[name] as Of[HeldName]]));
}

type UpdateCapabilities = { readonly tokenInPatch: boolean };

function rowsOfUpdate(capabilities: UpdateCapabilities): Row[] {
  return rows.filter(([, { inUpdate }]) => inUpdate === true || (inUpdate && capabilities[inUpdate]));
}
