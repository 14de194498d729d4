/** What every kind must keep, driven by its definition: each field is created, observed, changed, and drifts. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Api } from '../../client/api';
import { carriedFields } from '../../manifest/schema';
import { type Plan, parseKey, toEnds } from '../../reconciler/plan/plan';
import { classifyChange } from '../../resources/diff';
import type { Field, FieldValue, FieldValues, ResourceDefinition } from '../../resources/kind';
import { readProfile } from '../../resources/profile';
import { violationsAcross } from '../../resources/violations';
import { acmeSeed, seedClient } from '../support/acme';
import { approve } from '../support/scenario';
import { World } from '../support/world';

/** Two good values of a field as a manifest writes them, and what else must stand beside it. */
interface FieldSample {
  readonly from: unknown;
  readonly to: unknown;
  readonly beside?: Readonly<Record<string, unknown>>;
}

export interface Samples {
  /** A complete, valid entry or line. */
  readonly base: Readonly<Record<string, unknown>>;
  /** By code name; one for every field that a manifest carries. */
  readonly fields: Readonly<Record<string, FieldSample>>;
  /** Changes the object past every manifest; for the fields that the API can change. */
  change?(api: Api, id: string, field: string, value: FieldValue): Promise<void>;
  /** Takes the object away past every manifest. */
  remove(api: Api, id: string, values: Readonly<Record<string, FieldValue>>): Promise<void>;
}

const there = (name: string, host: string) =>
  seedClient({ name, serviceProvider: 'github', httpUrl: `https://${host}`, apiUrl: `https://${host}/api` });

/** A service with everything that samples refer to; the clients are there for attachments to hang on. */
const seed = acmeSeed({
  projects: { 'prj-1': {}, 'prj-2': {} },
  workspaces: { 'ws-one': {}, 'ws-two': {}, 'ws-three': {} },
  oauthClients: {
    'oc-there': there('There', 'there.example.com'),
    'oc-other': there('Other', 'other.example.com'),
  },
});

const profileName = 'hcp-terraform';

/** Begins anew, with an empty ledger. */
function reset(world: World): void {
  world.service.seed(seed);
  for (const file of ['approved.tether.yaml', 'tether.ledger.json']) world.remove(file);
  Object.assign(world.env, { SECRET_ONE: 'canary-one', SECRET_TWO: 'canary-two' });
}

/** Whatever a person would have to allow is allowed: these tests are about fields. */
async function settle(world: World, options: { destroy?: true } = {}): Promise<Plan> {
  const allowed = { maxDeletes: 100, ...options };
  const { plan } = await world.plan(allowed);
  approve(world, plan);
  await world.settle(allowed);
  return plan;
}

/** The id and the values of the one object of that kind that is managed. */
function only(world: World, definition: ResourceDefinition) {
  const managed = Object.entries(world.saved.objects).filter(
    ([text]) => parseKey(text)[0] === definition.kind,
  );
  const [[text, object] = assert.fail(`no ${definition.kind} is managed`), ...others] = managed;
  assert.equal(others.length, 0);
  const values: FieldValues =
    definition.pair.length > 0 ? toEnds(definition, parseKey(text)) : (object.values ?? {});
  return { id: object.id ?? '', values, digests: object.digests ?? {} };
}

/** The suite. `samples` must have every field, so that none is left untested. */
export function conformance(definition: ResourceDefinition, samples: Samples | undefined): void {
  if (samples === undefined) throw new Error(`${definition.kind} has no samples in test/conformance`);
  describe(`every ${definition.kind}`, () => {
    let world: World;
    const carried = carriedFields(definition);
    before(async () => {
      world = await World.open({ seed, profile: profileName });
    });
    beforeEach(() => reset(world));
    after(() => world.close());

    it('has samples of every field that a manifest carries', () => {
      assert.deepEqual(Object.keys(samples.fields).sort(), carried.map(({ name }) => name).sort());
    });

    for (const { keyInManifest, name, field } of carried) {
      const sample = samples.fields[name] as FieldSample;
      describe(name, () =>
        fieldConformance({ definition, samples, keyInManifest, name, field, sample }, () => world),
      );
    }

    it('comes back when it is missing, and drift says so with evidence', async () => {
      world.write(manifestOf(definition, samples));
      await settle(world);
      const { id, values } = only(world, definition);
      await world.pass(121_000);
      await samples.remove(world.somebody, id, values);
      const [row, ...others] = (await world.drift()).rows;
      assert.deepEqual([row?.state, row?.kind, others], ['missing', definition.kind, []]);
      assert.ok((row?.evidence.length ?? 0) > 0, 'the evidence is named');
      const plan = await settle(world);
      assert.equal(plan.steps[0]?.reason, 'gone');
    });

    it('goes when it is not wanted any more', async () => {
      world.write(manifestOf(definition, samples));
      await settle(world);
      await settle(world, { destroy: true });
      assert.deepEqual(world.saved.objects, {});
    });
  });
}

interface Case {
  readonly definition: ResourceDefinition;
  readonly samples: Samples;
  readonly keyInManifest: string;
  readonly name: string;
  readonly field: Field;
  readonly sample: FieldSample;
}

function fieldConformance(
  { definition, samples, keyInManifest, name, field, sample }: Case,
  worldNow: () => World,
): void {
  const profile = readProfile(profileName, '/');
  const onChange = classifyChange(field, profile);
  const isLink = definition.pair.length > 0;
  const isPlain = !field.writeOnly && field.exactSetOf === undefined;
  const line = (value: unknown) =>
    manifestOf(definition, samples, { ...sample.beside, [keyInManifest]: value });
  const [from, to] = [sample.from, sample.to] as [FieldValue, FieldValue];

  it(`is written by a create, observed as it was written, and an ${onChange} when it changes`, async () => {
    const world = worldNow();
    world.write(line(sample.from));
    await settle(world);
    const before = only(world, definition);
    if (isPlain) assert.deepEqual((await observed(world, definition, before))[name], from);
    if (field.writeOnly) assert.ok(before.digests[name], 'the ledger has a digest');
    assert.doesNotMatch(inspect(world.saved, { depth: 9 }), /canary/);
    world.write(line(sample.to));
    const { steps } = await settle(world);
    const own = steps.filter(({ kind }) => kind === definition.kind);
    const after = only(world, definition);
    if (isPlain) assert.deepEqual((await observed(world, definition, after))[name], to);
    if (isLink) assert.deepEqual(own.map(({ action }) => action).sort(), ['create', 'delete']);
    else if (field.exactSetOf !== undefined)
      assert.ok(
        steps.some(({ kind }) => kind === field.exactSetOf),
        'as links of their own',
      );
    else {
      assert.equal(own[0]?.action, onChange);
      assert.ok(own[0]?.changes.some((change) => change.field === name));
      assert.equal(after.id === before.id, onChange === 'update', 'an update keeps the object');
    }
  });

  if (!field.required && !isLink && isPlain) {
    it('is not managed once its line is gone', async () => {
      const world = worldNow();
      world.write(line(sample.from));
      await settle(world);
      const { [keyInManifest]: _, ...rest } = { ...samples.base, ...sample.beside };
      const given = new Set(Object.keys(rest));
      if (violationsAcross(definition, rest as FieldValues, given, profile).length > 0) return;
      world.write(manifestOf(definition, { base: rest }));
      assert.deepEqual((await settle(world)).steps, []);
    });
  }

  if (!field.writeOnly && onChange === 'update' && samples.change !== undefined) {
    it('drifts when somebody else changes it, and apply repairs it', async () => {
      const world = worldNow();
      world.write(line(sample.from));
      await settle(world);
      await world.pass(121_000);
      await samples.change?.(world.somebody, only(world, definition).id, name, to);
      const { rows } = await world.drift();
      if (field.exactSetOf === undefined)
        assert.deepEqual(
          rows.flatMap(({ changes }) => changes),
          [{ field: name, was: from, is: to }],
        );
      else assert.ok(rows.length > 0, 'links that came or went');
      await settle(world);
      assert.deepEqual((await world.drift()).rows, []);
    });
  }
}

/** The manifest of one object; JSON is YAML, one member a line, so that places can be checked. */
function manifestOf(
  { section }: ResourceDefinition,
  { base }: Pick<Samples, 'base'>,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const entry = { ...base, ...more };
  const entries = section.form === 'map' ? { one: entry } : [entry];
  const manifest = {
    apiVersion: 'tether/v1',
    profile: profileName,
    organization: 'acme',
    [section.name]: entries,
  };
  return JSON.stringify(manifest, null, 1);
}

/** What the service shows of the object, by the definition's own eyes. */
async function observed(
  { somebody: api }: World,
  definition: ResourceDefinition,
  { id, values }: { readonly id: string; readonly values: FieldValues },
): Promise<FieldValues> {
  const pair = Object.fromEntries(definition.pair.map((field) => [field, String(values[field])]));
  const key = { organization: 'acme', ...(definition.pair.length === 0 ? { id } : pair) };
  let seen: FieldValues = {};
  for (const ref of definition.listedIn(key)) {
    assert.equal(ref.type, definition.listType, ref.name);
    const [found, ...others] = definition.find(await ref.read(api), key);
    assert.ok(found !== undefined && others.length === 0, `each list shows it once: ${ref.name}`);
    const read = (await definition.read?.(api, id)) ?? found;
    assert.deepEqual({ ...read.values }, { ...found.values }, 'Show says the same as the list');
    seen = found.values;
  }
  return seen;
}
