// The attributes of an OAuth client, one row each, from which answers, records, seed and the bodies of requests follow.

import {
  boolean,
  choice,
  exactly,
  list,
  type Members,
  matching,
  nonEmptyString,
  object,
  orNull,
  reference,
  type Schema,
  type SchemaOf,
  string,
  type TypeOf,
} from './schema';

interface Attribute {
  sent: Schema;
  /** What records, answers and seeds hold; a secret, which no one can read, has none. */
  held?: Schema;
  /** What a new client holds that was given none; without it, a create must give one. */
  whenOmitted?: unknown;
  /** Whether an update may carry it; or only where the profile takes tokens in PATCH. */
  inUpdate?: true | 'tokenInPatch';
}

const url = matching('^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+[^\\s]*$', 'an http or https URL');

const attributes = {
  serviceProvider: { sent: nonEmptyString, held: nonEmptyString },
  name: { sent: orNull(string), held: orNull(string), whenOmitted: null, inUpdate: true },
  key: { sent: string, held: orNull(string), whenOmitted: null, inUpdate: true },
  httpUrl: { sent: url, held: nonEmptyString },
  apiUrl: { sent: url, held: nonEmptyString },
  oauthTokenString: { sent: string, whenOmitted: null, inUpdate: 'tokenInPatch' },
  privateKey: { sent: string, whenOmitted: null },
  secret: { sent: string, whenOmitted: null, inUpdate: true },
  rsaPublicKey: { sent: string, held: orNull(string), whenOmitted: null, inUpdate: true },
  organizationScoped: { sent: boolean, held: boolean, whenOmitted: true, inUpdate: true },
} as const satisfies { readonly [name: string]: Attribute };

type Rows = typeof attributes;

/** An attribute, as records, seeds and profiles spell it. */
export type AttributeName = keyof Rows;

type WireAttributes = { readonly [wire: string]: unknown };

export type SentAttributes = { readonly [Name in AttributeName]?: TypeOf<Rows[Name]['sent']> };

type HeldName = {
  [Name in AttributeName]: Rows[Name] extends { held: Schema } ? Name : never;
}[AttributeName];
type Held = { readonly [Name in HeldName]: Rows[Name]['held'] };

const rows = Object.entries(attributes) as [AttributeName, Attribute][];
const heldRows = rows.filter(([, row]) => row.held !== undefined) as [HeldName, Attribute][];

export const heldSchemas = Object.fromEntries(heldRows.map(([name, row]) => [name, row.held])) as Held;

const mandatoryRows = rows.filter(([, row]) => !('whenOmitted' in row));
export const mandatoryNames = mandatoryRows.map(([name]) => name);

/** The API's spelling: `http-url` for `httpUrl`. */
export function wireName(name: AttributeName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function sentSchemas(of: typeof rows) {
  return Object.fromEntries(of.map(([name, { sent }]) => [wireName(name), sent]));
}

/** The attributes that the body of a create or, with capabilities, of an update sends. */
export function sentAttributes(body: WireAttributes, ofUpdate?: UpdateCapabilities): SentAttributes {
  const values = rowsOf(ofUpdate).map(([name]) => [name, body[wireName(name)]]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Of a client that was given nothing; '' for what a create must give. */
export const heldWhenNew = Object.fromEntries(
  heldRows.map(([name, { whenOmitted = '' }]) => [name, whenOmitted]),
) as Members<Held>;

/** What is held, or its schemas, by names of the API. */
export function onWire<Of extends Record<HeldName, unknown>>(held: Of) {
  return Object.fromEntries(heldRows.map(([name]) => [wireName(name), held[name] as Of[HeldName]]));
}

type UpdateCapabilities = { tokenInPatch: boolean };

function rowsOf(update?: UpdateCapabilities) {
  return rows.filter(([, { inUpdate }]) => !update || inUpdate === true || (inUpdate && update[inUpdate]));
}

const projectList = list(reference('projects', { ...string, examples: ['prj-payments'] }));
export const projectsBody = object({ data: projectList });

export type References = TypeOf<typeof projectList>;

/** The API text has a bare array in its table, JSON API { data }. */
type SentProjects = References | { data?: References };

const eitherProjectList: SchemaOf<SentProjects> = {
  ...projectList,
  ...projectsBody,
  type: ['array', 'object'],
};

// Null and {} mean no agent pool; an id needs its type and the other way round.
const agentPool = object(
  {},
  {
    data: {
      ...orNull(object({}, { id: string, type: exactly('agent-pools') })),
      dependentRequired: { id: ['type'], type: ['id'] },
    },
  },
);

function relationshipsWith(projects: SchemaOf<SentProjects>) {
  return object({}, { projects, 'agent-pool': agentPool });
}

export function createClientBody(providers: string[]) {
  const mandatory = { ...sentSchemas(mandatoryRows), 'service-provider': choice(...providers) };
  const possible = sentSchemas(rows.filter(([, row]) => 'whenOmitted' in row));
  const attributes: SchemaOf<WireAttributes> = object(mandatory, possible);
  const relationships = relationshipsWith(object({}, { data: projectList }));
  return object({ data: object({ type: exactly('oauth-clients'), attributes }, { relationships }) });
}

export function updateClientBody(capabilities: UpdateCapabilities) {
  const attributes: SchemaOf<WireAttributes> = object({}, sentSchemas(rowsOf(capabilities)));
  const relationships = relationshipsWith(eitherProjectList);
  return object({
    data: object({ type: exactly('oauth-clients') }, { id: string, attributes, relationships }),
  });
}

/** The data of a body that creates or updates a client. */
export type SentClient = TypeOf<ReturnType<typeof updateClientBody>>['data'];
