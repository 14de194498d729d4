/** JSON:API on the wire: paths, documents to read and to write, and error objects. */
import type { Holding, Member, Members } from './api';
import type { ErrorDetail } from './errors';
import { oneLine, type Redact } from './text';

/** `/one/two`, each part encoded. */
export function routeOf(path: readonly string[]): string {
  return path.map((part) => `/${encodeURIComponent(Buffer.from(part).toString())}`).join('');
}

/** The first part that no encoding makes safe. */
export function unsafePart(path: readonly string[]): string | undefined {
  // A URL parser reads `..` and `%2e%2e` alike as "one level up", and an empty part names the list above.
  return path.find((part) => part === '' || part === '.' || part === '..' || /\p{Cs}/u.test(part));
}

/** `?name=value&…` with `[` and `]` in names encoded, or nothing. */
export function queryString(query: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The answer lacks what the API promises; `message` names the member. Never leaves the client. */
export class Unreadable extends Error {}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One resource of the expected type, with its attributes and relationships (empty where left out). */
export interface Resource {
  readonly id: string;
  readonly attributes: JsonRecord;
  readonly relationships: JsonRecord;
}

/** The primary resource of a document. */
export function readResource(document: unknown, type: string): Resource {
  return parseResource(isRecord(document) ? document.data : undefined, type, 'data');
}

/** The primary resources of a list document. */
export function readResources(document: unknown, type: string): Resource[] {
  const data = isRecord(document) ? document.data : undefined;
  if (!Array.isArray(data)) throw new Unreadable('data is not an array');
  return data.map((item: unknown, index) => parseResource(item, type, `data[${index}]`));
}

function parseResource(value: unknown, type: string, place: string): Resource {
  if (!isRecord(value)) throw new Unreadable(`${place} is not an object`);
  if (value.type !== type) throw new Unreadable(`${place}.type is not "${type}"`);
  if (typeof value.id !== 'string' || value.id === '') throw new Unreadable(`${place}.id is not a string`);
  return {
    id: value.id,
    attributes: isRecord(value.attributes) ? value.attributes : {},
    relationships: isRecord(value.relationships) ? value.relationships : {},
  };
}

/** Everything of the table that answers show, under our names. Throws `Unreadable` for what is missing or of another type. */
export function readMembers<Table extends Members>(
  resource: Resource,
  members: Table,
): Holding<Table, 'shown'> & { readonly id: string } {
  const shown = Object.entries(members).flatMap(([name, member]) =>
    member.shown === undefined ? [] : [[name, readMember(resource, member)] as const],
  );
  return { id: resource.id, ...(Object.fromEntries(shown) as Holding<Table, 'shown'>) };
}

function readMember(resource: Resource, { wire, shown = 'string' }: Member): unknown {
  const optional = shown.endsWith('?');
  if (isRelationship(shown)) {
    const linkage = linkageOf(resource, wire);
    const ids = shown.startsWith('ids') ? idsOf(linkage, resource, wire) : idOf(linkage, resource, wire);
    if (ids !== undefined) return ids;
    if (optional) return shown === 'ids?' ? [] : null;
    throw new Unreadable(`relationships.${wire} of ${resource.id} is missing`);
  }
  const value = resource.attributes[wire] ?? null;
  if (value === null && optional) return null;
  const type = shown === 'boolean' ? 'boolean' : 'string';
  if (typeof value === type) return value;
  const wanted = type === 'boolean' ? 'true or false' : 'a string';
  throw new Unreadable(`attributes.${wire} of ${resource.id} is not ${wanted}`);
}

function isRelationship(content: string): boolean {
  return content.startsWith('id');
}

function linkageOf(resource: Resource, name: string): unknown {
  const relationship = resource.relationships[name];
  return isRecord(relationship) ? relationship.data : undefined;
}

/** The id a to-one relationship points to; undefined when it points nowhere or is left out. */
function idOf(linkage: unknown, resource: Resource, name: string): string | undefined {
  // `{}` is how the API's own tables write "none" for an agent pool.
  const isNone =
    linkage === undefined || linkage === null || (isRecord(linkage) && Object.keys(linkage).length === 0);
  if (isNone) return undefined;
  if (isRecord(linkage) && typeof linkage.id === 'string' && linkage.id !== '') return linkage.id;
  throw new Unreadable(`relationships.${name} of ${resource.id} holds no id`);
}

/** The ids a to-many relationship points to; undefined when it is left out. */
function idsOf(linkage: unknown, resource: Resource, name: string): string[] | undefined {
  if (linkage === undefined) return undefined;
  if (!Array.isArray(linkage)) {
    throw new Unreadable(`relationships.${name} of ${resource.id} is not an array`);
  }
  return linkage.map((item: unknown) => {
    const id = idOf(item, resource, name);
    if (id === undefined) throw new Unreadable(`relationships.${name} of ${resource.id} holds no id`);
    return id;
  });
}

/** What a request sends: a document, and, by field, the values in it that must never be shown. */
export interface Body {
  readonly body: object;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The document with these values of the table; what is undefined is left out. */
export function writeMembers(
  resource: { readonly type?: string; readonly id?: string },
  members: Members,
  values: Readonly<Record<string, unknown>>,
): Body {
  const attributes: Record<string, unknown> = {};
  const relationships: Record<string, unknown> = {};
  const secrets: Record<string, string> = {};
  for (const [name, member] of Object.entries(members)) {
    const value = values[name];
    if (value === undefined) continue;
    if (member.secret) secrets[name] = String(value);
    if (member.type === undefined) attributes[member.wire] = value;
    else relationships[member.wire] = linkage(member.type, value);
  }
  const hasAttributes = Object.values(members).some(
    ({ create, type }) => create !== undefined && type === undefined,
  );
  const data = {
    ...resource,
    ...(hasAttributes ? { attributes } : {}),
    ...(Object.keys(relationships).length === 0 ? {} : { relationships }),
  };
  return { body: { data }, secrets };
}

/** What a relationship is set to: the ids of a list, one id, or null for none. */
export function linkage(type: string, value: unknown): { readonly data: unknown } {
  const one = (id: unknown) => ({ id, type });
  if (Array.isArray(value)) return { data: value.map(one) };
  return { data: value === null ? null : one(value) };
}

/** Errors of one answer, and characters of one text, that are looked at. */
const mostDetails = 20;
const longestDetail = 4000;

/** The members of `errors`: objects (status a string or a number) or plain strings; anything else gives none. */
export function readErrorDetails(document: unknown, redact: Redact): ErrorDetail[] {
  if (!isRecord(document)) return [];
  const errors = Array.isArray(document.errors) ? document.errors : [document.errors];
  const clean = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number'
      ? oneLine(redact(String(value).slice(0, longestDetail)))
      : undefined;
  return errors.slice(0, mostDetails).flatMap((error: unknown) => {
    if (typeof error === 'string') return [{ detail: clean(error) ?? '' }];
    if (!isRecord(error)) return [];
    const source = isRecord(error.source) ? error.source : {};
    const members = {
      status: clean(error.status),
      title: clean(error.title),
      detail: clean(error.detail),
      pointer: clean(source.pointer),
      parameter: clean(source.parameter),
    };
    const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0 ? [] : [Object.fromEntries(given) as ErrorDetail];
  });
}

/** `title: detail (pointer)` of each, joined, at most 1,000 characters; empty when the service said nothing. */
export function describeDetails(details: readonly ErrorDetail[]): string {
  const texts = details
    .map((error) => {
      const text = [error.title, error.detail].filter((part) => part !== undefined).join(': ');
      const place = error.pointer ?? error.parameter;
      return place === undefined ? text : `${text} (${place})`;
    })
    .filter((text) => text !== '');
  const joined = texts.join('; ');
  return joined.length > 1000 ? `${joined.slice(0, 999)}…` : joined;
}
