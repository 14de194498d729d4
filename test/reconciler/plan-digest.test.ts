/** The digest of a plan: what a review covers, and what may differ between the review and the apply. */
import assert from 'node:assert/strict';
import type { Plan, Step, StepMember } from '../../reconciler/plan/plan';
import { planDigest } from '../../reconciler/plan-digest';

const update: Step = {
  id: 'update OAuthClient/github',
  action: 'update',
  kind: 'OAuthClient',
  address: 'OAuthClient/github',
  key: ['OAuthClient', 'github'],
  reason: 'manifest-changed',
  because: 'the manifest changed',
  objectId: 'oc-1',
  inputs: { name: 'new', projectIds: ['prj-a', 'prj-b'] },
  secrets: {},
  changes: [{ field: 'name', from: 'old', to: 'new' }],
  values: { name: 'new' },
  needs: [],
  risks: [],
};

const plan: Plan = {
  address: 'https://tether.example/api/v2',
  organization: 'acme',
  profileName: 'default',
  ledger: { place: 'tether.ledger.json', lineage: 'one', serial: 1, objects: 1 },
  steps: [update],
  problems: [],
  unknown: [],
  blockers: [],
  losses: { count: 0, limit: 5 },
  notes: [],
  unchanged: 0,
  toRecord: [],
};

/** Members of a step of any action. */
type Members = { readonly [Name in StepMember]?: unknown };

function digestWith(step: Members, more: Partial<Plan> = {}): string {
  return planDigest({ ...plan, ...more, steps: [{ ...update, ...step } as Step] }, []);
}

const approval = { action: 'replace', address: 'OAuthClient/github', id: 'oc-1' } as const;

describe('the digest of a plan', () => {
  const covered: Readonly<Record<string, Members>> = {
    'its step': { id: 'update OAuthClient/gitlab' },
    'the object': { objectId: 'oc-2' },
    'what is sent': { inputs: { name: 'other', projectIds: ['prj-a', 'prj-b'] } },
    'what is recorded': { values: { name: 'other' } },
    'what a field was': { changes: [{ field: 'name', from: 'older', to: 'new' }] },
    'what a field becomes': { changes: [{ field: 'name', from: 'old', to: 'newer' }] },
    'the earlier address': { from: 'OAuthClient/hub' },
    'the predecessors': { retiring: ['oc-0'] },
    'who loses the client': { affected: ['app'] },
    'that a link is unmanaged': { unmanaged: true },
    'that it is not approved': { approval: { ...approval, given: false } },
  };
  for (const [what, step] of Object.entries(covered)) {
    it(`covers ${what}`, () => {
      assert.notEqual(digestWith(step), digestWith({}));
    });
  }

  it('tells a missing approval from a given one', () => {
    const [missing, given] = [false, true].map((isGiven) => {
      return digestWith({ approval: { ...approval, given: isGiven } });
    });
    assert.notEqual(missing, given);
  });

  it('covers the service, the organization, the profile and the lineage', () => {
    const changes: readonly Partial<Plan>[] = [
      { address: 'https://other.example/api/v2' },
      { organization: 'beta' },
      { profileName: 'hcp-terraform' },
      { ledger: { ...plan.ledger, lineage: 'two' } },
    ];
    for (const change of changes)
      assert.notEqual(digestWith({}, change), digestWith({}), JSON.stringify(change));
  });

  const leftOut: Readonly<Record<string, Members>> = {
    'why a step is done': { reason: 'changed-elsewhere', because: 'somebody changed it' },
    'the order of the steps': { needs: ['create OAuthClient/gitlab'], after: ['create OAuthClient/gitlab'] },
    'the order of a set': { inputs: { projectIds: ['prj-b', 'prj-a'], name: 'new' } },
    'whether a secret was compared': { changes: [...update.changes, { field: 'secret', secret: 'changed' }] },
  };
  for (const [what, step] of Object.entries(leftOut)) {
    it(`leaves out ${what}`, () => {
      assert.equal(digestWith(step), digestWith({}));
    });
  }

  it('leaves out serial and blockers', () => {
    const ledger = { ...plan.ledger, serial: 9 };
    const blockers = [{ rule: 'losses', message: 'too many', remedy: '--max-deletes 9' }] as const;
    assert.equal(digestWith({}, { ledger, blockers }), digestWith({}));
  });

  it('covers the reference of a declared secret, and not its value', () => {
    const at = { file: 'a', line: 1, column: 1 };
    const entry = {
      kind: 'OAuthClient',
      address: 'OAuthClient/github',
      at,
      fieldsAt: {},
      inputs: {},
      allowDuplicate: [],
    };
    const [one, two] = ['A', 'B'].map((name) => {
      return planDigest(plan, [{ ...entry, secrets: { secret: { fromEnv: name } } }]);
    });
    assert.notEqual(one, two);
  });
});
