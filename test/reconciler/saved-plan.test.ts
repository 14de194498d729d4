/** Saved plans: what is refused as damaged, and what is named as stale. */
import assert from 'node:assert/strict';
import { parseManifest } from '../../manifest';
import { comparePlans } from '../../reconciler/compare-plans';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { defaultPlanOptions } from '../../reconciler/plan/options';
import type { Plan, Step } from '../../reconciler/plan/plan';
import {
  type PlanSource,
  readSavedPlan,
  SavedPlanError,
  savePlan,
  staleness,
} from '../../reconciler/saved-plan';
import { acmeManifest } from '../support/acme';
import { planOf, stepOf } from '../support/plans';

const update = stepOf({
  action: 'update',
  address: 'OAuthClient/github',
  objectId: 'oc-1',
  changes: [{ field: 'name', from: 'Old', to: 'New' }],
  observed: { name: 'Old', key: null, projectIds: ['prj-2', 'prj-1'] },
  secrets: { secret: { fromEnv: 'GIT_SECRET' } },
});

function ledgerAt(serial: number, lineage = 'one'): Ledger {
  return {
    version: 1,
    organizations: { acme: { lineage, serial, objects: {}, pending: {}, tombstones: [] } },
  };
}

function sourceOf(given: Partial<PlanSource> = {}): PlanSource {
  return {
    plan: planOf({ steps: [update] }),
    manifests: parseManifest(acmeManifest(), 'acme.tether.yaml'),
    ledger: ledgerAt(3),
    address: 'https://vcs.example.com/api/v2',
    now: new Date('2026-01-02T03:04:05.000Z'),
    ...given,
  };
}

function save(source = sourceOf()): string {
  return savePlan({ ...source, paths: ['.'], options: defaultPlanOptions });
}

describe('a saved plan', () => {
  it('comes back as it was and is not stale', () => {
    const saved = readSavedPlan(save());
    assert.deepEqual(saved.plan, sourceOf().plan);
    assert.deepEqual(saved.paths, ['.']);
    assert.deepEqual(saved.options, defaultPlanOptions);
    assert.equal(saved.expiresAt, '2026-01-03T03:04:05.000Z');
    assert.deepEqual(staleness(saved, sourceOf()), []);
  });

  it('is refused when a single character was edited', () => {
    const text = save().replace('"to": "New"', '"to": "Now"');
    assert.throws(() => readSavedPlan(text), /edited or damaged/);
  });

  const damaged: readonly (readonly [string, string, RegExp])[] = [
    ['text that is not JSON', 'hello', /not a saved plan/],
    ['half a file', save().slice(0, 400), /not a saved plan/],
    ['another document', '{"version":1,"organizations":{}}', /not a saved plan/],
    ['null', 'null', /not a saved plan/],
    ['a newer version', save().replace('"version": 1', '"version": 2'), /version 2/],
    ['a member too many', save().replace('"version": 1', '"version": 1, "extra": 1'), /damaged/],
    ['a member too few', save().replace(/ {2}"address".*\n/, ''), /damaged/],
    ['a wrong option', save().replace('"maxDeletes": null', '"maxDeletes": "many"'), /damaged/],
  ];
  for (const [what, text, message] of damaged) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => readSavedPlan(text),
        (error) => error instanceof SavedPlanError && message.test(error.message),
      );
    });
  }

  const stale: readonly (readonly [string, Partial<PlanSource>, RegExp])[] = [
    ['expired', { now: new Date('2026-01-03T03:04:05.000Z') }, /^it expired/],
    ['of another address', { address: 'https://other.example.com/api/v2' }, /^the address was/],
    [
      'of another manifest',
      { manifests: parseManifest(`${acmeManifest()}# edited\n`, 'acme.tether.yaml') },
      /^the manifest acme.tether.yaml was changed$/,
    ],
    ['of an older ledger', { ledger: ledgerAt(4) }, /serial 3 and is at 4/],
    ['of another ledger', { ledger: ledgerAt(3, 'two') }, /ledger of acme is another one/],
    ['with a ledger, now none', { ledger: null }, /made with a ledger/],
    [
      'of another profile',
      {
        manifests: parseManifest(acmeManifest(), 'acme.tether.yaml', { profile: 'hcp-terraform' }),
        plan: planOf({ steps: [update], profileName: 'hcp-terraform' }),
      },
      /^the profile was default and is hcp-terraform$/,
    ],
    [
      'of something that was changed since',
      { plan: planOf({ steps: [{ ...update, observed: { ...update.observed, key: 'theirs' } }] }) },
      /^OAuthClient\/github: key was null and is "theirs"$/,
    ],
  ];
  for (const [what, now, message] of stale) {
    it(`is stale when ${what}`, () => {
      const named = staleness(readSavedPlan(save()), sourceOf(now));
      assert.equal(named.length, 1, named.join('\n'));
      assert.match(named[0] ?? '', message);
    });
  }

  it('notices a ledger that came, knows more or knows less', () => {
    const without = readSavedPlan(save(sourceOf({ ledger: null })));
    assert.deepEqual(staleness(without, sourceOf({ ledger: null })), []);
    assert.deepEqual(staleness(without, sourceOf()), ['it was made without a ledger']);
    const empty: Ledger = { version: 1, organizations: {} };
    assert.deepEqual(staleness(readSavedPlan(save()), sourceOf({ ledger: empty })), [
      'the ledger does not know acme any more',
    ]);
    assert.deepEqual(staleness(readSavedPlan(save(sourceOf({ ledger: empty }))), sourceOf()), [
      'the ledger knows acme now: something was applied',
    ]);
  });

  it('notices that a profile of the same name says something else', () => {
    const manifests = sourceOf().manifests;
    const other = manifests.organizations.map((one) => ({
      ...one,
      profile: { ...one.profile, limits: { ...one.profile.limits, maxSources: 7 } },
    }));
    assert.deepEqual(
      staleness(readSavedPlan(save()), sourceOf({ manifests: { ...manifests, organizations: other } })),
      ['the profile default of acme was changed'],
    );
  });

  it('notices a file that came or went', () => {
    const more = { ...sourceOf().manifests };
    const files = [...more.files, { file: 'new.tether.yaml', organization: 'acme', sha256: 'a'.repeat(64) }];
    const named = staleness(readSavedPlan(save()), sourceOf({ manifests: { ...more, files } }));
    assert.deepEqual(named, ['the manifest new.tether.yaml is new']);
    assert.deepEqual(staleness(readSavedPlan(save()), sourceOf({ manifests: { ...more, files: [] } })), [
      'the manifest acme.tether.yaml is gone',
    ]);
  });
});

describe('comparing plans', () => {
  const before = planOf({ steps: [update] });
  const changed = (step: Partial<Step>): Plan => planOf({ steps: [{ ...update, ...step }] });
  const rows: readonly (readonly [string, Plan, readonly string[]])[] = [
    ['the same', planOf({ steps: [update] }), []],
    [
      'sets in another order',
      changed({ observed: { name: 'Old', key: null, projectIds: ['prj-1', 'prj-2'] } }),
      [],
    ],
    ['a step less', planOf({ steps: [] }), ['"update OAuthClient/github" is not planned any more']],
    [
      'a step more',
      planOf({
        steps: [update, stepOf({ action: 'create', address: 'RunTrigger/a/b', because: 'it is gone' })],
      }),
      ['"create RunTrigger/a/b" is planned now: it is gone'],
    ],
    [
      'another object',
      changed({ objectId: 'oc-2' }),
      ['"update OAuthClient/github" is planned differently now (objectId)'],
    ],
    [
      'something out of sight',
      planOf({ steps: [update], undetermined: [{ address: 'RunTrigger/a/b', why: 'no permission' }] }),
      ['RunTrigger/a/b cannot be seen: no permission'],
    ],
    [
      'a guard',
      planOf({ steps: [update], stops: [{ code: 'too-many-deletes', message: '9 deletes' }] }),
      ['9 deletes'],
    ],
    [
      'another organization',
      planOf({ steps: [update] }, { organization: 'beta' }),
      ['beta: the manifests of this organization are new'],
    ],
  ];
  for (const [what, after, differences] of rows) {
    it(`tells of ${what}`, () => assert.deepEqual(comparePlans(before, after), differences));
  }

  it('names the organization where there are several, and those that came or went', () => {
    const beta = { organization: 'beta', steps: [] };
    const both = planOf({ steps: [update] }, beta);
    assert.deepEqual(comparePlans(both, planOf({ steps: [] }, beta)), [
      'acme: "update OAuthClient/github" is not planned any more',
    ]);
    assert.deepEqual(comparePlans(before, both), ['beta: the manifests of this organization are new']);
    assert.deepEqual(comparePlans(both, before), ['beta: this organization is not planned any more']);
  });

  it('cuts a long value, and says where a field came or went', () => {
    const observed = { ...update.observed, key: 'k'.repeat(100) };
    assert.deepEqual(comparePlans(before, changed({ observed })), [
      `OAuthClient/github: key was null and is "${'k'.repeat(76)}…`,
    ]);
    assert.deepEqual(comparePlans(before, changed({ observed: { ...update.observed, extra: 'x' } })), [
      'OAuthClient/github: extra was not there and is "x"',
    ]);
  });

  it('minds that a secret to be updated was not at hand before', () => {
    const writes = (secret: 'changed' | 'not-compared') =>
      changed({ changes: [{ field: 'secret', secret }] });
    assert.deepEqual(comparePlans(writes('changed'), writes('not-compared')), [
      '"update OAuthClient/github" is planned differently now (changes)',
    ]);
  });

  it('does not mind that a secret to be created was not at hand before', () => {
    const create = stepOf({
      action: 'create',
      address: 'OAuthClient/github',
      changes: [{ field: 'secret', secret: 'not-compared' }],
    });
    const after = planOf({ steps: [{ ...create, changes: [{ field: 'secret', secret: 'new' }] }] });
    assert.deepEqual(comparePlans(planOf({ steps: [create] }), after), []);
  });
});
