/** Reading JSON:API documents: what the API promises is there or the answer is `Unreadable`; the rest is ignored. */

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
  if (typeof value.id !== 'string' || value.id === '') throw new Unreadable(`${place}.id is not a text`);
  return {
    id: value.id,
    attributes: isRecord(value.attributes) ? value.attributes : {},
    relationships: isRecord(value.relationships) ? value.relationships : {},
  };
}

/** An attribute that is always a text. */
export function textOf(resource: Resource, name: string): string {
  const value = resource.attributes[name];
  if (typeof value !== 'string') throw new Unreadable(`attributes.${name} of ${resource.id} is not a text`);
  return value;
}

/** An attribute that is a text or null; null too when left out. */
export function nullableTextOf(resource: Resource, name: string): string | null {
  return (resource.attributes[name] ?? null) === null ? null : textOf(resource, name);
}

/** The id a to-one relationship points to; null when it points nowhere or is left out. */
export function linkOf(resource: Resource, name: string): string | null {
  const linkage = linkageOf(resource, name);
  // `{}` is how the API's own tables write "none" for an agent pool.
  if (linkage === undefined || linkage === null || (isRecord(linkage) && Object.keys(linkage).length === 0)) {
    return null;
  }
  return idOf(linkage, resource, name);
}

/** The ids a to-many relationship points to; undefined when it is left out. */
export function linksOf(resource: Resource, name: string): string[] | undefined {
  const linkage = linkageOf(resource, name);
  if (linkage === undefined) return undefined;
  if (!Array.isArray(linkage))
    throw new Unreadable(`relationships.${name} of ${resource.id} is not an array`);
  return linkage.map((item: unknown) => idOf(item, resource, name));
}

/** A relationship without which the resource says nothing. */
export function required<Value>(value: Value | null | undefined, resource: Resource, name: string): Value {
  if (value === null || value === undefined) {
    throw new Unreadable(`relationships.${name} of ${resource.id} is missing`);
  }
  return value;
}

function linkageOf(resource: Resource, name: string): unknown {
  const relationship = resource.relationships[name];
  return isRecord(relationship) ? relationship.data : undefined;
}

function idOf(linkage: unknown, resource: Resource, name: string): string {
  if (isRecord(linkage) && typeof linkage.id === 'string' && linkage.id !== '') return linkage.id;
  throw new Unreadable(`relationships.${name} of ${resource.id} holds no id`);
}
