/** JSON:API on the wire: paths, documents to read and to write, and error objects. */
import type { Holding, Member, Members, Request } from './api';
import type { ErrorDetail } from './errors';
import { oneLine, type Redact } from './text';

/** `/one/two`, each part encoded. */
export function routeOf(path: readonly string[]): string {
  return path.map((part) => `/${encodeURIComponent(Buffer.from(part).toString())}`).join('');
}

/** The first part that no encoding makes safe. */
export function unsafePart(path: readonly string[]): string | undefined {
  // A URL parser reads `..` and `%2e%2e` alike as "one level up", and an empty part names the list above.
  return path.find((part) => ['', '.', '..'].includes(part) || /\p{Cs}/u.test(part));
}

/** `?name=value&…` with `[` and `]` in names encoded, or nothing. */
export function queryString(query: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Of a request whose successful answer is never looked into. */
export const expectsNothing = { expects: 'nothing', read: () => undefined } as const;

/** The request that deletes what stands at a path. */
export function deletion(path: readonly string[]): Request<void> {
  return { method: 'DELETE', path, missingIsSuccess: true, ...expectsNothing };
}

/** The answer lacks what the API promises. Never leaves the client. */
export class Unreadable extends Error {}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or an empty object in place of what is none. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** One resource; empty where attributes or relationships are left out. */
export interface Resource {
  readonly id: string;
  readonly attributes: JsonRecord;
  readonly relationships: JsonRecord;
}

/** The primary resource of a document. */
export function readResource(document: unknown, type: string): Resource {
  return parseResource(recordOf(document).data, type, 'data');
}

/** The primary resources of a list document. */
export function readResources(document: unknown, type: string): Resource[] {
  const { data } = recordOf(document);
  if (!Array.isArray(data)) throw new Unreadable('data is not an array');
  return data.map((item: unknown, index) => parseResource(item, type, `data[${index}]`));
}

function parseResource(value: unknown, type: string, place: string): Resource {
  if (!isRecord(value)) throw new Unreadable(`${place} is not an object`);
  const { id, attributes, relationships } = value;
  if (value.type !== type) throw new Unreadable(`${place}.type is not "${type}"`);
  if (typeof id !== 'string' || id === '') throw new Unreadable(`${place}.id is not a string`);
  return { id, attributes: recordOf(attributes), relationships: recordOf(relationships) };
}

/** What answers show of the table. Throws `Unreadable` for what is missing or of another type. */
export function readMembers<Table extends Members>(
  resource: Resource,
  members: Table,
): Holding<Table, 'shown'> & { readonly id: string } {
  const shown = Object.entries(members).flatMap(([name, member]) =>
    member.shown === undefined ? [] : [[name, readMember(resource, member)] as const],
  );
  return { id: resource.id, ...(Object.fromEntries(shown) as Holding<Table, 'shown'>) };
}

/** The object of a document, which must have the members that were asked for. Throws `Unreadable`. */
export function readAsked<Table extends Members>(
  document: unknown,
  type: string,
  members: Table,
  asked: Readonly<Record<string, string>>,
): ReturnType<typeof readMembers<Table>> {
  const object = readMembers(readResource(document, type), members);
  const other = Object.entries(object).find(
    ([name, value]) => Object.hasOwn(asked, name) && value !== asked[name],
  );
  if (other === undefined) return object;
  throw new Unreadable(`its ${other[0]} is ${other[1]}, not ${asked[other[0]]}`);
}

function readMember(resource: Resource, { wire, shown = 'string' }: Member): unknown {
  const isOptional = shown.endsWith('?');
  if (shown.startsWith('id')) {
    const place = `relationships.${wire} of ${resource.id}`;
    const { data } = recordOf(resource.relationships[wire]);
    const ids = shown.startsWith('ids') ? idsOf(data, place) : idOf(data, place);
    if (ids !== undefined) return ids;
    if (isOptional) return shown === 'ids?' ? [] : null;
    throw new Unreadable(`${place} is missing`);
  }
  const value = resource.attributes[wire] ?? null;
  if (value === null && isOptional) return null;
  if (typeof value === (shown === 'boolean' ? 'boolean' : 'string')) return value;
  const wanted = shown === 'boolean' ? 'true or false' : 'a string';
  throw new Unreadable(`attributes.${wire} of ${resource.id} is not ${wanted}`);
}

/** Undefined for a relationship that points nowhere or is left out. */
function idOf(data: unknown, place: string): string | undefined {
  const { id } = recordOf(data);
  if (typeof id === 'string' && id !== '') return id;
  // `{}` is how the API's own tables write "none" for an agent pool.
  const isEmpty = isRecord(data) && Object.keys(data).length === 0;
  if (data === undefined || data === null || isEmpty) return undefined;
  throw new Unreadable(`${place} holds no id`);
}

function idsOf(data: unknown, place: string): string[] | undefined {
  if (data === undefined) return undefined;
  if (!Array.isArray(data)) throw new Unreadable(`${place} is not an array`);
  return data.map((item: unknown) => {
    const id = idOf(item, place);
    if (id === undefined) throw new Unreadable(`${place} holds no id`);
    return id;
  });
}

/** A document with these values, and by field its secrets; what is undefined is left out. */
export function writeMembers(
  resource: { readonly type?: string; readonly id?: string },
  members: Members,
  values: Readonly<Record<string, unknown>>,
): Required<Pick<Request<unknown>, 'body' | 'secrets'>> {
  const attributes: Record<string, unknown> = {};
  const relationships: Record<string, unknown> = {};
  const secrets: Record<string, string> = {};
  for (const [name, { wire, type, secret }] of Object.entries(members)) {
    const value = values[name];
    if (value === undefined) continue;
    if (secret) secrets[name] = String(value);
    if (type === undefined) attributes[wire] = value;
    else relationships[wire] = linkage(type, value);
  }
  const takesAttributes = Object.values(members).some(({ create, type }) => create && type === undefined);
  const data = {
    ...resource,
    ...(takesAttributes ? { attributes } : {}),
    ...(Object.keys(relationships).length === 0 ? {} : { relationships }),
  };
  return { body: { data }, secrets };
}

/** The ids of a list, one id, or null for none, as a relationship. */
export function linkage(type: string, value: unknown): { readonly data: unknown } {
  if (Array.isArray(value)) return { data: value.map((id: unknown) => ({ id, type })) };
  return { data: value === null ? null : { id: value, type } };
}

/** More of one answer is not looked at. */
const mostDetails = 20;
const longestDetail = 4000;

/** The members of `errors` that are objects or strings. */
export function readErrorDetails(document: unknown, redact: Redact): ErrorDetail[] {
  const { errors } = recordOf(document);
  const clean = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number'
      ? oneLine(redact(String(value).slice(0, longestDetail)))
      : undefined;
  return [errors]
    .flat()
    .slice(0, mostDetails)
    .flatMap((error: unknown) => {
      if (typeof error === 'string') return [{ detail: clean(error) ?? '' }];
      const { status, title, detail, source } = recordOf(error);
      const { pointer, parameter } = recordOf(source);
      const given = Object.entries({ status, title, detail, pointer, parameter })
        .map(([name, value]) => [name, clean(value)] as const)
        .filter(([, text]) => text !== undefined && text !== '');
      return given.length === 0 ? [] : [Object.fromEntries(given) as ErrorDetail];
    });
}

/** `title: detail (pointer)` of each, at most 1,000 characters in all. */
export function describeDetails(details: readonly ErrorDetail[]): string {
  const texts = details.map(({ title, detail, pointer, parameter }) => {
    const text = [title, detail].filter((part) => part !== undefined).join(': ');
    const place = pointer ?? parameter;
    return place === undefined ? text : `${text} (${place})`;
  });
  const joined = texts.filter((text) => text !== '').join('; ');
  return joined.length > 1000 ? `${joined.slice(0, 999)}…` : joined;
}
