// The attributes of an OAuth client, and the bodies of requests that carry them.

import type { Profile } from './profile';
import {
  boolean,
  choice,
  list,
  type Members,
  matching,
  nonEmptyString,
  object,
  orNull,
  reference,
  type SchemaOf,
  string,
  type TypeOf,
} from './schema';

/** What records, answers and seeds hold. Secrets, which no one can read, are not among them. */
export const heldSchemas = {
  serviceProvider: nonEmptyString,
  name: orNull(string),
  key: orNull(string),
  httpUrl: nonEmptyString,
  apiUrl: nonEmptyString,
  rsaPublicKey: orNull(string),
  organizationScoped: boolean,
};

type Held = Members<typeof heldSchemas>;

/** A create must give what is empty here. */
export const heldWhenNew: Held = {
  serviceProvider: '',
  name: null,
  key: null,
  httpUrl: '',
  apiUrl: '',
  rsaPublicKey: null,
  organizationScoped: true,
};

const url = matching('^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+[^\\s]*$', 'an http or https URL');

const mandatory = { serviceProvider: nonEmptyString, httpUrl: url, apiUrl: url };

const updatable = {
  name: orNull(string),
  key: string,
  secret: string,
  rsaPublicKey: string,
  organizationScoped: boolean,
};

const token = { oauthTokenString: string };

const onlyInCreate = { ...token, privateKey: string };

export const mandatoryNames = Object.keys(mandatory);

type SentSchemas = typeof mandatory & typeof updatable & typeof onlyInCreate;

/** An attribute, as records, seeds and profiles spell it. */
export type AttributeName = keyof SentSchemas;

export type SentAttributes = Partial<Members<SentSchemas>>;

type WireAttributes = { readonly [wire: string]: unknown };

/** The API's spelling: `http-url` for `httpUrl`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function onWire<Value>(members: { readonly [name: string]: Value }) {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [wireName(name), value]));
}

/** What a client holds, by names of the API. */
export function heldOnWire(client: Held): WireAttributes {
  return onWire(
    Object.fromEntries(Object.keys(heldSchemas).map((name) => [name, Reflect.get(client, name)])),
  );
}

type Capabilities = Pick<Profile['capabilities'], 'tokenInPatch'>;

function schemasOfUpdate({ tokenInPatch }: Capabilities) {
  return { ...updatable, ...(tokenInPatch && token) };
}

/** Picks the attributes that the body of a create or, with capabilities, of an update may send. */
export function sentAttributes(body: WireAttributes, ofUpdate?: Capabilities): SentAttributes {
  const schemas = ofUpdate ? schemasOfUpdate(ofUpdate) : { ...mandatory, ...updatable, ...onlyInCreate };
  const values = Object.keys(schemas).map((name) => [name, body[wireName(name)]]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
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
      ...orNull(object({}, { id: string, type: choice('agent-pools') })),
      dependentRequired: { id: ['type'], type: ['id'] },
    },
  },
);

function relationshipsWith(projects: SchemaOf<SentProjects>) {
  return object({}, { projects, 'agent-pool': agentPool });
}

export function createClientBody(providers: string[]) {
  const needed = { ...onWire(mandatory), 'service-provider': choice(...providers) };
  const attributes: SchemaOf<WireAttributes> = object(needed, onWire({ ...updatable, ...onlyInCreate }));
  const relationships = relationshipsWith(object({}, { data: projectList }));
  return object({ data: object({ type: choice('oauth-clients'), attributes }, { relationships }) });
}

export function updateClientBody(capabilities: Capabilities) {
  const attributes: SchemaOf<WireAttributes> = object({}, onWire(schemasOfUpdate(capabilities)));
  const relationships = relationshipsWith(eitherProjectList);
  return object({
    data: object({ type: choice('oauth-clients') }, { id: string, attributes, relationships }),
  });
}

/** The data of a body that creates or updates a client. */
export type SentClient = TypeOf<ReturnType<typeof updateClientBody>>['data'];
