/** The strict shape of ledgers and journal records, as JSON Schemas, and what in a text breaks them. */
import Ajv, { type AnySchemaObject, type ValidateFunction } from 'ajv';
import { isDigest } from './digest';

const text = { type: 'string', minLength: 1 };
const flag = { type: 'boolean' };
const moment = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' };
const serial = { type: 'integer', minimum: 0 };
const fieldValue = { type: ['string', 'boolean', 'null', 'array'], items: { type: 'string' } };

function record(required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

function mapOf(values: object) {
  return { type: 'object', propertyNames: text, additionalProperties: values };
}

const ledgerObject = record(
  {
    kind: text,
    id: text,
    file: { type: ['string', 'null'], minLength: 1 },
    values: mapOf(fieldValue),
    digests: mapOf({ type: 'string', format: 'digest' }),
    protect: flag,
  },
  { unverified: { type: 'array', items: text }, replaces: text, replaced: text },
);
const intent = record({ kind: text, nonce: text, hash: text });
const tombstone = record({ kind: text, address: text, nonce: text, since: moment });
const ledger = record(
  {
    version: { const: 1 },
    organization: text,
    lineage: text,
    serial,
    objects: mapOf(ledgerObject),
    pending: mapOf(intent),
    tombstones: { type: 'array', items: tombstone },
  },
  { journal: text },
);

function event(name: string, members: Readonly<Record<string, object>>) {
  return record({ at: moment, event: { const: name }, ...members });
}

const schemas = {
  ledger,
  journal: record({ at: moment, journal: { const: 1 }, id: text, organization: text, lineage: text, serial }),
  intent: event('intent', { key: text, intent }),
  late: event('late', { tombstone }),
  object: event('object', { key: text, object: ledgerObject }),
  removed: event('removed', { key: text }),
  moved: event('moved', { from: text, to: text }),
} satisfies Readonly<Record<string, AnySchemaObject>>;

/** What a piece of JSON claims to be: the ledger, a journal's first line, or a journal record by its event. */
export type Shape = keyof typeof schemas;

/** True for the name of an event that a journal line may carry. */
export function isEvent(name: unknown): name is Exclude<Shape, 'ledger' | 'journal'> {
  return typeof name === 'string' && name !== 'ledger' && name !== 'journal' && Object.hasOwn(schemas, name);
}

const compiled = new Map<Shape, ValidateFunction>();
let ajv: Ajv | undefined;

function validatorOf(shape: Shape): ValidateFunction {
  const known = compiled.get(shape);
  if (known !== undefined) return known;
  ajv ??= new Ajv({ allErrors: true, allowUnionTypes: true, formats: { digest: isDigest } });
  const made = ajv.compile(schemas[shape]);
  compiled.set(shape, made);
  return made;
}

/** Every place where a value breaks its shape, as short texts (`serial must be integer`); empty when it is right. Values are not repeated. */
export function shapeProblems(shape: Shape, value: unknown): string[] {
  const validator = validatorOf(shape);
  if (validator(value)) return [];
  return (validator.errors ?? []).map((error) => {
    const path = error.instancePath
      .slice(1)
      .replaceAll('/', ' › ')
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    const extra = error.keyword === 'additionalProperties' ? ` (${error.params.additionalProperty})` : '';
    return `${path === '' ? 'the whole' : path} ${error.message ?? 'is wrong'}${extra}`;
  });
}

/** The first member name that stands twice in one object of a valid JSON text, or that no ledger may use; null when there is none. JSON.parse would silently keep the last. */
export function doubtfulMember(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(token.slice(0, -colon.length));
      const names = open.at(-1);
      if (typeof name !== 'string' || names === undefined) continue;
      if (names.has(name) || name === '__proto__') return name;
      names.add(name);
    }
  }
  return null;
}
