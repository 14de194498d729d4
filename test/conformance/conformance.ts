/** What every kind must keep, driven by its definition: each field is created, observed, changed, drifts and refuses nonsense. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Api } from '../../client/api';
import { parseManifest } from '../../manifest/read';
import { carriedFields } from '../../manifest/schema';
import { driftOf } from '../../reconciler/drift';
import { diff, onChangeOf } from '../../resources/diff';
import type { Field, FieldValue, Registry, ResourceDefinition } from '../../resources/kind';
import { readProfile } from '../../resources/profile';
import { violationsAcross } from '../../resources/violations';

import type { SeedObject, Service } from '../../service';
import { ApplyWorld, type Planning } from '../support/apply-world';
import type { Front } from '../support/grant-service';
import { forbiddenValues } from './forbidden-values';

/** Two good values of a field as a manifest writes them, and what else must stand beside it. */
export interface FieldSample {
  readonly from: unknown;
  readonly to: unknown;
  readonly beside?: Readonly<Record<string, unknown>>;
  /** As the API shows them, where that is not what the manifest says. */
  readonly shown?: readonly [FieldValue, FieldValue];
}

export interface Samples {
  readonly seed: SeedObject;
  readonly registry: Registry;
  readonly profile: string;
  /** What stands before the service and has the operations of a made-up kind. */
  readonly front?: (service: Service) => Promise<Front>;
  /** A complete, valid entry or line. */
  readonly base: Readonly<Record<string, unknown>>;
  /** By code name; one for every field that a manifest carries. */
  readonly fields: Readonly<Record<string, FieldSample>>;
  /** Changes the object past every manifest; for the fields that the API can change. */
  change?(api: Api, id: string, field: string, value: FieldValue): Promise<void>;
  /** Takes the object away past every manifest. */
  remove(api: Api, id: string, values: Readonly<Record<string, FieldValue>>): Promise<void>;
}

/** Whatever a person would have to allow is allowed: these tests are about fields. */
const allowed: Planning = { approve: true, acceptMissing: 100, maxDeletes: 100 };

/** The suite. `samples` must have every field, so that none is left untested. */
export function conformance(definition: ResourceDefinition, samples: Samples | undefined): void {
  if (samples === undefined) throw new Error(`${definition.kind} has no samples in test/conformance`);
  describe(`every ${definition.kind}`, () => {
    let world: ApplyWorld;
    const carried = carriedFields(definition);
    before(async () => {
      world = await ApplyWorld.start(samples.seed, { profile: samples.profile }, samples.front);
    });
    beforeEach(() => {
      world.reset(samples.seed);
      world.registry = samples.registry;
      world.profile = samples.profile;
      Object.assign(world.env, { SECRET_ONE: 'canary-one', SECRET_TWO: 'canary-two' });
    });
    after(() => world.close());

    it('has samples of every field that a manifest carries', () => {
      assert.deepEqual(Object.keys(samples.fields).sort(), carried.map(({ name }) => name).sort());
    });

    for (const { written, name, field } of carried) {
      const sample = samples.fields[name] as FieldSample;
      describe(name, () =>
        fieldConformance({ definition, samples, written, name, field, sample }, () => world),
      );
    }

    it('comes back when it is gone, and drift says so with evidence', async () => {
      world.manifest = manifestOf(definition, samples.base);
      await world.apply();
      const [key, object] = onlyObject(world, definition);
      await samples.remove(world.api, object.id, object.values);
      const made = await world.plan(allowed);
      const items = driftOf(made.inputs, made.plan, samples.registry).items;
      assert.deepEqual(
        items.filter((item) => item.objectId === object.id).map((item) => item.state),
        ['gone'],
      );
      assert.ok((items[0]?.evidence.length ?? 0) > 0, 'the evidence is named');
      await world.apply(allowed);
      assert.ok(
        Object.values(world.objects()).some((one) => one.kind === definition.kind),
        key,
      );
    });

    it('goes when it is not wanted any more', async () => {
      world.manifest = manifestOf(definition, samples.base);
      await world.apply();
      const [key] = onlyObject(world, definition);
      await world.applyPlan((await world.plan({ ...allowed, destroy: true })).plan);
      assert.equal(key in world.objects(), false);
    });
  });
}

interface Case {
  readonly definition: ResourceDefinition;
  readonly samples: Samples;
  readonly written: string;
  readonly name: string;
  readonly field: Field;
  readonly sample: FieldSample;
}

function fieldConformance(
  { definition, samples, written, name, field, sample }: Case,
  worldNow: () => ApplyWorld,
): void {
  const profile = readProfile(samples.profile, '/');
  const isLink = definition.pair.length > 0;
  const line = (value: unknown) =>
    manifestOf(definition, { ...samples.base, ...sample.beside, [written]: value });
  const shown = (index: 0 | 1): FieldValue =>
    (sample.shown?.[index] ?? (index === 0 ? sample.from : sample.to)) as FieldValue;

  it('is written by a create, and observed as it was written', async () => {
    const world = worldNow();
    world.manifest = line(sample.from);
    await world.apply();
    const [, object] = onlyObject(world, definition);
    if (field.writeOnly) {
      assert.ok(object.digests[name], 'the ledger has a digest');
      assert.ok(!inspect([world.ledger, world.records], { depth: 9 }).includes('canary'), 'and nothing more');
    } else if (field.exactSetOf === undefined) {
      const found = await observed(world, definition, object.id, object.values);
      assert.deepEqual(found[name], shown(0));
    } else
      assert.ok(
        Object.values(world.objects()).some((one) => one.kind === field.exactSetOf),
        'as links of their own',
      );
  });

  it(`is an ${onChangeOf(field, profile)} when the manifest changes it`, async () => {
    const world = worldNow();
    world.manifest = line(sample.from);
    await world.apply();
    const [, before] = onlyObject(world, definition);
    world.manifest = line(sample.to);
    const { plan } = await world.apply(allowed);
    const steps = plan.steps.filter((step) => step.kind === definition.kind);
    if (isLink) assert.deepEqual(steps.map((step) => step.action).sort(), ['create', 'delete']);
    else if (field.exactSetOf === undefined) {
      const onChange = onChangeOf(field, profile);
      assert.equal(steps[0]?.action, onChange);
      const changed = steps[0]?.changes.filter((one) => one.secret !== undefined || one.from !== one.to);
      assert.ok(
        changed?.some((one) => one.field === name),
        `${name} among ${inspect(changed)}`,
      );
      const [, after] = onlyObject(world, definition);
      assert.equal(
        after.id === before.id,
        onChange === 'update',
        'an update keeps the object, a replacement does not',
      );
    }
    const [, after] = onlyObject(world, definition);
    if (!field.writeOnly && field.exactSetOf === undefined) {
      assert.deepEqual((await observed(world, definition, after.id, after.values))[name], shown(1));
    }
  });

  it('is compared by the diff, unless nobody can read it', () => {
    const changes = diff(definition, { [name]: shown(1) }, { [name]: shown(0) }, profile);
    assert.deepEqual(
      changes.map((one) => [one.field, one.onChange]),
      field.writeOnly ? [] : [[name, onChangeOf(field, profile)]],
    );
    assert.deepEqual(diff(definition, { [name]: shown(0) }, { [name]: shown(0) }, profile), []);
    assert.deepEqual(diff(definition, {}, { [name]: shown(0) }, profile), []);
  });

  if (!field.required && !isLink) {
    it('is not managed once its line is gone', async () => {
      const world = worldNow();
      world.manifest = line(sample.from);
      await world.apply();
      const { [written]: _, ...rest } = { ...samples.base, ...sample.beside };
      world.manifest = manifestOf(definition, rest);
      if (field.exactSetOf !== undefined) return;
      if (violationsAcross(definition, rest as never, new Set(Object.keys(rest)), profile).length > 0) return;
      const { plan } = await world.plan();
      assert.deepEqual(plan.steps, []);
    });
  }

  if (!field.writeOnly && onChangeOf(field, profile) === 'update' && samples.change !== undefined) {
    it('drifts when somebody else changes it, and apply repairs it', async () => {
      const world = worldNow();
      world.manifest = line(sample.from);
      await world.apply();
      const [, object] = onlyObject(world, definition);
      await samples.change?.(world.api, object.id, name, shown(1));
      const made = await world.plan(allowed);
      const items = driftOf(made.inputs, made.plan, samples.registry).items;
      if (field.exactSetOf === undefined) {
        assert.deepEqual(
          items.flatMap((item) => item.fields),
          [{ field: name, was: shown(0), is: shown(1) }],
        );
      } else assert.ok(items.length > 0, 'links that came or went');
      await world.apply(allowed);
    });
  }

  for (const { what, value, rule } of forbiddenValues(field)) {
    it(`refuses ${what}, at its place, before anything is sent`, async () => {
      const world = worldNow();
      const text = line(value);
      const read = parseManifest(text, 'acme.tether.yaml', {
        registry: samples.registry,
        profile: samples.profile,
      });
      const errors = read.issues.filter((issue) => issue.severity === 'error');
      assert.ok(errors.length > 0, `${inspect(value)} is refused`);
      const placed = errors.find(
        (issue) => issue.path.split(/[.[]/).includes(written) && issue.at !== undefined,
      );
      assert.ok(placed, `${inspect(errors)} is placed at ${written}`);
      if (rule !== undefined) assert.equal(placed.rule, rule);
      assert.ok(!inspect(read.issues).includes('canary'), 'and a literal secret is not repeated');
      assert.deepEqual(world.service.requests(), []);
    });
  }
}

/** The manifest of one object; JSON is YAML, one member a line, so that places can be checked. */
function manifestOf(definition: ResourceDefinition, entry: Readonly<Record<string, unknown>>): string {
  const section = definition.section.form === 'map' ? { one: entry } : [entry];
  return JSON.stringify(
    { apiVersion: 'tether/v1', organization: 'acme', [definition.section.name]: section },
    null,
    1,
  );
}

function onlyObject(world: ApplyWorld, definition: ResourceDefinition) {
  const mine = Object.entries(world.objects()).filter(([, object]) => object.kind === definition.kind);
  assert.equal(mine.length, 1, `one ${definition.kind} in ${inspect(Object.keys(world.objects()))}`);
  return mine[0] as (typeof mine)[number];
}

/** What the service shows of the object, by the definition's own eyes. */
async function observed(
  world: ApplyWorld,
  definition: ResourceDefinition,
  id: string,
  values: Readonly<Record<string, FieldValue>>,
): Promise<Readonly<Record<string, FieldValue>>> {
  const pair = Object.fromEntries(definition.pair.map((field) => [field, String(values[field])]));
  const key = { organization: 'acme', ...(definition.pair.length === 0 ? { id } : pair) };
  let shown: Readonly<Record<string, FieldValue>> = {};
  for (const ref of definition.listedIn(key)) {
    assert.equal(ref.type, definition.listType, ref.name);
    const found = definition.find(await ref.read(world.api), key);
    assert.equal(found.length, 1, `each list shows it once: ${ref.name}`);
    if (definition.read !== undefined) {
      const read = await definition.read(world.api, id);
      assert.deepEqual(
        { ...read.values },
        { ...found[0]?.values },
        'a look by id shows the same as the list',
      );
    }
    shown = found[0]?.values ?? {};
  }
  return shown;
}
