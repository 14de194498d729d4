/** The attributes of an OAuth client, and the bodies of requests that carry them. */
import * as schema from './schema';

const { boolean, nonEmptyString, object, string } = schema;

/** Records, responses and seeds hold these attributes. Secrets cannot be read, so they are in `secrets` instead. */
export const heldSchemas = {
  serviceProvider: nonEmptyString,
  name: schema.orNull(string),
  key: schema.orNull(string),
  httpUrl: nonEmptyString,
  apiUrl: nonEmptyString,
  rsaPublicKey: schema.orNull(string),
  organizationScoped: boolean,
};

/** The value of each attribute that a create leaves out. The empty strings never stay, because a create must send these attributes. */
export const unsentAttributes: schema.Members<typeof heldSchemas> = {
  serviceProvider: '',
  name: null,
  key: null,
  httpUrl: '',
  apiUrl: '',
  rsaPublicKey: null,
  organizationScoped: true,
};

const url = schema.matching('^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+[^\\s]*$', 'an http or https URL');

type Held = { readonly [Name in keyof typeof heldSchemas]?: schema.Schema };

const mandatory = { serviceProvider: nonEmptyString, httpUrl: url, apiUrl: url } satisfies Held;
const updatable = {
  name: schema.orNull(string),
  key: string,
  rsaPublicKey: string,
  organizationScoped: boolean,
} satisfies Held;
/** A record holds digests of these. An attribute that is neither here nor in `heldSchemas` does not compile. */
const secrets = { secret: string, oauthTokenString: string, privateKey: string };
const optional = { ...updatable, ...secrets };
const sentInCreate = { ...mandatory, ...optional };

export const mandatoryNames = Object.keys(mandatory);

export type AttributeName = keyof typeof sentInCreate;

type WireAttributes = { readonly [wire: string]: unknown };

/** The API writes `http-url` for `httpUrl`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function onWire<Value>(members: { readonly [name: string]: Value }) {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [wireName(name), value]));
}

export function heldOnWire(client: object): WireAttributes {
  return onWire(
    Object.fromEntries(Object.keys(heldSchemas).map((name) => [name, Reflect.get(client, name)])),
  );
}

/** The parts of a profile that decide what a body may carry. */
interface AttributeRules {
  serviceProviders: object;
  capabilities: { tokenInPatch: boolean };
}

function sentInUpdate({ capabilities }: AttributeRules) {
  const { privateKey, oauthTokenString, ...always } = optional;
  return { ...always, ...(capabilities.tokenInPatch && { oauthTokenString }) };
}

/** Returns the attributes that a body sends. The secrets are apart, so that a record of `readable` stores none. */
export function sentAttributes(body: WireAttributes, profile: AttributeRules, isCreate: boolean) {
  const accepted = isCreate ? sentInCreate : sentInUpdate(profile);
  const pick = <Of extends schema.Properties>(schemas: Of): Partial<schema.Members<Of>> => {
    const names = Object.keys(schemas).filter((name) => name in accepted);
    const values = names.map((name) => [name, body[wireName(name)]]);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  };
  return { readable: pick({ ...mandatory, ...updatable }), secrets: pick(secrets) };
}

const projectList = schema.list(schema.reference('projects'));
export const projectsBody = object({ data: projectList });

export type References = schema.TypeOf<typeof projectList>;

/** The table of updates in the API text has a bare array, and JSON:API has { data }. */
type SentProjects = References | { data?: References };

const inBothForms = { ...projectList, ...projectsBody, type: ['array', 'object'] };

// Null and {} mean no agent pool. Id and type must be present together.
const pool = schema.orNull(object({}, { id: string, type: schema.choice('agent-pools') }));
const agentPool = object({}, { data: { ...pool, dependentRequired: { id: ['type'], type: ['id'] } } });

function dataWith(attributes: schema.SchemaOf<WireAttributes>, projects: schema.SchemaOf<SentProjects>) {
  const relationships = object({}, { projects, 'agent-pool': agentPool });
  return object({ type: schema.choice('oauth-clients') }, { id: string, attributes, relationships });
}

export function createClientBody({ serviceProviders }: AttributeRules) {
  const required = {
    ...onWire(mandatory),
    'service-provider': schema.choice(...Object.keys(serviceProviders)),
  };
  const attributes = object(required, onWire(optional));
  const data = dataWith(attributes, object({}, { data: projectList }));
  return object({ data: { ...data, required: ['type', 'attributes'] } as typeof data });
}

export function updateClientBody(profile: AttributeRules) {
  return object({ data: dataWith(object({}, onWire(sentInUpdate(profile))), inBothForms) });
}

export type SentClient = schema.TypeOf<ReturnType<typeof dataWith>>;
