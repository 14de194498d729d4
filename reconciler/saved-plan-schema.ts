/** The strict shape of a saved plan, as far as anything is done with it: what is executed is a fresh plan. */
import Ajv, { type AnySchemaObject, type ValidateFunction } from 'ajv';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const moment = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const count = { type: ['integer', 'null'], minimum: 0 };
const flag = { type: 'boolean' };

function closed(properties: Readonly<Record<string, object>>): AnySchemaObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

function open(properties: Readonly<Record<string, object>>): AnySchemaObject {
  return { type: 'object', required: Object.keys(properties), properties };
}

const addressed = { type: 'array', items: open({ address: text }) };

const schema = closed({
  format: { const: 'tether/plan' },
  version: { const: 1 },
  createdAt: moment,
  expiresAt: moment,
  address: text,
  paths: texts,
  options: closed({
    targets: { type: ['array', 'null'], items: text },
    adopt: { type: 'object', additionalProperties: text },
    allowDestroy: texts,
    allowReplace: texts,
    maxDeletes: count,
    acceptMissing: count,
    writeSecrets: flag,
    destroy: flag,
  }),
  manifests: { type: 'array', items: closed({ file: text, sha256: hash }) },
  profiles: { type: 'object', additionalProperties: closed({ name: text, sha256: hash }) },
  ledger: {
    type: ['object', 'null'],
    additionalProperties: closed({ lineage: text, serial: { type: 'integer', minimum: 0 } }),
  },
  plan: open({
    organizations: {
      type: 'array',
      items: open({
        organization: text,
        profileName: text,
        steps: {
          type: 'array',
          items: open({ id: text, action: text, address: text, changes: { type: 'array' } }),
        },
        undetermined: addressed,
        problems: addressed,
        stops: { type: 'array', items: open({ message: text }) },
      }),
    },
  }),
  digest: hash,
});

let compiled: ValidateFunction | undefined;

/** What is wrong with the shape, a few words each; empty when nothing is. */
export function savedPlanProblems(value: unknown): string[] {
  compiled ??= new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  if (compiled(value)) return [];
  const problems = (compiled.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`);
  return [...new Set(problems)].slice(0, 5);
}
