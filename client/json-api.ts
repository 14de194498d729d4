/** Reads and writes JSON:API: paths, documents and error objects. */
import type { Content, Member, Members, Request, ResponseMembers } from './api';
import type { ErrorDetail } from './errors';
import { oneLine, type Redact } from './text';

export function toRoute(path: readonly string[]): string {
  return path.map((part) => `/${encodeURIComponent(Buffer.from(part).toString())}`).join('');
}

/** Returns the first part that no encoding makes safe. */
export function unsafePart(path: readonly string[]): string | undefined {
  // A URL parser reads `..` and `%2e%2e` alike as "one level up", and an empty part names the list above.
  return path.find((part) => ['', '.', '..'].includes(part) || /\p{Cs}/u.test(part));
}

export const expectsNothing = { expects: 'nothing', read: () => undefined } as const;

export function deletion(path: readonly string[]): Request<void> {
  return { method: 'DELETE', path, ...expectsNothing };
}

/** An answer lacks what the API promises. This error never leaves the client. */
export class Unreadable extends Error {}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toJsonRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export interface Resource {
  id: string;
  attributes: JsonRecord;
  relationships: JsonRecord;
}

/** Returns the primary resource of a document. Throws `Unreadable`, like all readers here. */
export function readResource(document: unknown, type: string): Resource {
  return parseResource(toJsonRecord(document).data, type);
}

export function readResources(document: unknown, type: string): Resource[] {
  const { data } = toJsonRecord(document);
  if (!Array.isArray(data)) throw new Unreadable('data is not an array');
  return data.map((item: unknown, index) => parseResource(item, type, index));
}

/** `index` is the position in a list. */
function parseResource(value: unknown, type: string, index?: number): Resource {
  const wrong = (what: string) => new Unreadable(`data${index === undefined ? '' : `[${index}]`}${what}`);
  if (!isRecord(value)) throw wrong(' is not an object');
  const { id, attributes, relationships } = value;
  if (value.type !== type) throw wrong(`.type is not "${type}"`);
  if (typeof id !== 'string' || id === '') throw wrong('.id is not a string');
  return { id, attributes: toJsonRecord(attributes), relationships: toJsonRecord(relationships) };
}

export function readDocument<Table extends Members>(resource: Resource, members: Table) {
  const values: Record<string, unknown> = { id: resource.id };
  for (const name of Object.keys(members)) {
    const { wire, response } = members[name] as Member;
    const value = response && readMember(resource, wire, response);
    if (value !== undefined) values[name] = value;
  }
  return values as { id: string } & ResponseMembers<Table>;
}

/** Returns the object of a document. It must be the one that was asked for. */
export function readExpected<Table extends Members>(
  document: unknown,
  type: string,
  members: Table,
  expected: Readonly<Record<string, string>>,
): ReturnType<typeof readDocument<Table>> {
  const object = readDocument(readResource(document, type), members);
  for (const [name, value] of Object.entries(expected)) {
    const { [name]: actual } = object as JsonRecord;
    if (actual !== value) throw new Unreadable(`its ${name} is ${actual}, not ${value}`);
  }
  return object;
}

/** Returns undefined if the response lacks it. */
function readMember(resource: Resource, wire: string, contents: NonNullable<Member['response']>): unknown {
  if (contents.startsWith('id')) return readLinkage(resource, wire, contents);
  const { [wire]: value } = resource.attributes;
  const isAbsent = value === undefined && contents.endsWith('?');
  const [type, noun] = contents.startsWith('boolean') ? ['boolean', 'true or false'] : ['string', 'a string'];
  if (isAbsent || typeof value === type || (value === null && contents === 'string?')) return value;
  throw new Unreadable(`attributes.${wire} of ${resource.id} is not ${noun}`);
}

function readLinkage({ id: owner, relationships }: Resource, wire: string, contents: string): unknown {
  const wrong = (what: string) => new Unreadable(`relationships.${wire} of ${owner} ${what}`);
  const { data } = toJsonRecord(relationships[wire]);
  const isList = contents.startsWith('ids');
  // `{}` is how the API's own tables write "none" for an agent pool.
  const isNone = data === undefined || (!isList && (data === null || JSON.stringify(data) === '{}'));
  if (isNone && !contents.endsWith('?')) throw wrong('is missing');
  if (isNone) return data === undefined ? undefined : null;
  if (isList && !Array.isArray(data)) throw wrong('is not an array');
  const ids = [data].flat().map((item: unknown) => toJsonRecord(item).id);
  if (!ids.every((id) => typeof id === 'string' && id !== '')) throw wrong('holds no id');
  return isList ? ids : ids[0];
}

/** Returns a document with these values, and its secrets by field. */
export function writeMembers(
  resource: { type?: string; id?: string },
  members: Members,
  values: Readonly<Record<string, Content | undefined>>,
) {
  const attributes: Record<string, Content> = {};
  const relationships: Record<string, object> = {};
  const secrets: Record<string, string> = {};
  for (const [name, { wire, type, secret }] of Object.entries(members)) {
    const value = values[name];
    if (value === undefined) continue;
    if (secret) secrets[name] = String(value);
    if (type === undefined || typeof value === 'boolean') attributes[wire] = value;
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

/** Returns a relationship to a list of ids, to one id, or to nothing for null. */
export function linkage(type: string, value: readonly string[] | string | null) {
  if (value === null) return { data: null };
  return { data: typeof value === 'string' ? { id: value, type } : value.map((id) => ({ id, type })) };
}

const maxDetails = 20;
const maxDetail = 4000;

/** Reads the members of `errors` that are objects or strings. */
export function readErrorDetails(document: unknown, redact: Redact): ErrorDetail[] {
  const clean = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number'
      ? oneLine(redact(String(value).slice(0, maxDetail)))
      : '';
  const errors = [toJsonRecord(document).errors].flat().slice(0, maxDetails);
  return errors.flatMap((error: unknown) => {
    if (typeof error === 'string') return [{ detail: clean(error) }];
    const { status, title, detail, source } = toJsonRecord(error);
    const { pointer, parameter } = toJsonRecord(source);
    const members = Object.entries({ status, title, detail, pointer, parameter })
      .map(([name, value]) => [name, clean(value)] as const)
      .filter(([, text]) => text !== '');
    return members.length === 0 ? [] : [Object.fromEntries(members) as ErrorDetail];
  });
}

/** Writes `title: detail (pointer)` for each, with at most 1,000 characters in all. */
export function describeDetails(details: readonly ErrorDetail[]): string {
  const texts = details.map(({ title, detail, pointer, parameter }) => {
    const sentence = [title, detail].filter((part) => part !== undefined).join(': ');
    const place = pointer ?? parameter;
    // The full stop is removed, because other words follow.
    return sentence.replace(/(?<!\.)\.$/u, '') + (place === undefined ? '' : ` (${place})`);
  });
  return oneLine(texts.filter((text) => text !== '').join('; '), 1000);
}
