/** The digest of a plan: another one for everything that would write something else, and the same for the rest. */
import assert from 'node:assert/strict';
import type { Plan } from '../../reconciler/plan/plan';
import { planDigest } from '../../reconciler/plan-digest';
import { acmeManifest } from '../support/acme';
import { planOf, stepOf } from '../support/plans';
import { soundManifest } from '../support/sound-manifest';

const update = stepOf({
  action: 'update',
  address: 'OAuthClient/github',
  objectId: 'oc-1',
  reason: 'secret-changed',
  changes: [
    { field: 'name', from: 'Old', to: 'New' },
    { field: 'secret', secret: 'changed' },
  ],
  observed: { name: 'Old', key: null, projectIds: ['prj-2', 'prj-1'] },
  inputs: { name: 'New' },
  managed: { name: 'New' },
  secrets: { secret: { fromEnv: 'GIT_SECRET' } },
});
const create = stepOf({
  action: 'create',
  address: 'RunTrigger/app/network',
  inputs: { workspaceId: 'ws-1' },
});
const stop = { code: 'too-many-deletes', message: '8 deletes' } as const;

const manifests = soundManifest(acmeManifest());
const address = 'https://vcs.example.com/api/v2';

function digest(
  steps: readonly (typeof update)[],
  more: Partial<Plan> = {},
  where: Partial<Parameters<typeof planDigest>[0]> = {},
): string {
  return planDigest({ plan: planOf({ steps, ...more }), manifests, address, ...where });
}

const { profile } = manifests;
const stricter = { ...profile, limits: { ...profile.limits, requestsPerSecond: 1 } };

describe('the digest of a plan', () => {
  const before = digest([update, create]);

  it('is 16 hexadecimal digits', () => assert.match(before, /^[0-9a-f]{16}$/));

  it('is another one for another provider of a profile, whatever its name', () => {
    const named = (name: string, apiUrl: string) => {
      const serviceProviders = { [name]: { apiUrl } };
      return digest(
        [create],
        {},
        { manifests: { ...manifests, profile: { ...profile, serviceProviders } as never } },
      );
    };
    for (const name of ['constructor', 'toString']) assert.notEqual(named(name, 'a'), named(name, 'b'), name);
  });

  const same: readonly (readonly [string, string])[] = [
    ['the order of steps that do not wait for each other', digest([create, update])],
    ['sentences', digest([{ ...update, because: 'so' }, create])],
    ['the file that a line stands in', digest([{ ...update, file: 'b.tether.yaml' }, create])],
    [
      'the order of a set',
      digest([{ ...update, observed: { ...update.observed, projectIds: ['prj-1', 'prj-2'] } }, create]),
    ],
    [
      'the order of fields',
      digest([{ ...update, observed: { projectIds: ['prj-1', 'prj-2'], name: 'Old', key: null } }, create]),
    ],
    [
      'whether the value of a secret that is written is at hand',
      digest([
        {
          ...update,
          reason: 'secret-unverified',
          changes: [
            { field: 'name', from: 'Old', to: 'New' },
            { field: 'secret', secret: 'not-compared' },
          ],
        },
        create,
      ]),
    ],
    [
      'what was applied last',
      digest([
        {
          ...update,
          changes: [{ field: 'name', from: 'Old', to: 'New', baseline: 'Older', conflict: true }],
        },
        create,
      ]),
    ],
    ['what needs nothing', digest([update, create], { unchanged: ['RunTrigger/a/b'] })],
    ['notes', digest([update, create], { notes: [{ address: '', code: 'x', text: 'y' }] })],
  ];
  for (const [what, after] of same) it(`does not depend on ${what}`, () => assert.equal(after, before));

  const others: readonly (readonly [string, string])[] = [
    ['a step that is not planned any more', digest([update])],
    [
      'a value after',
      digest([{ ...update, changes: [{ field: 'name', from: 'Old', to: 'Newer' }] }, create]),
    ],
    ['a value before', digest([{ ...update, changes: [{ field: 'name', from: 'Odd', to: 'New' }] }, create])],
    ['a value that stays', digest([{ ...update, observed: { ...update.observed, key: 'k' } }, create])],
    ['what is sent', digest([update, { ...create, inputs: { workspaceId: 'ws-2' } }])],
    ['another object', digest([{ ...update, objectId: 'oc-2' }, create])],
    ['another action', digest([{ ...update, action: 'replace' }, create])],
    ['another kind', digest([{ ...update, kind: 'RunTrigger' }, create])],
    ['another address', digest([{ ...update, address: 'OAuthClient/git' }, create])],
    ['a secret from elsewhere', digest([{ ...update, secrets: { secret: { fromFile: 'x' } } }, create])],
    ['a secret that is not written', digest([{ ...update, secrets: {} }, create])],
    ['what has to be done first', digest([update, { ...create, needs: [update.id] }])],
    ['what is known of its risks', digest([{ ...update, risks: ['unlinks 40 workspaces'] }, create])],
    ['protection', digest([{ ...update, protect: true }, create])],
    [
      'an approval that was given',
      digest([{ ...update, approval: { action: 'replace', id: 'oc-1', given: true, line: '' } }, create]),
    ],
    ['something that stops it', digest([update, create], { blockers: [stop] })],
    ['another organization', digest([update, create], { organization: 'beta' })],
    ['another service', digest([update, create], {}, { address: 'https://other.example.com/api/v2' })],
    [
      'a profile of another name',
      digest([update, create], {}, { manifests: { ...manifests, profileName: 'x' } }),
    ],
    [
      'a profile that says something else',
      digest([update, create], {}, { manifests: { ...manifests, profile: stricter } }),
    ],
  ];
  for (const [what, after] of others) it(`tells of ${what}`, () => assert.notEqual(after, before));

  it('does not depend on the words of what stops it', () => {
    const more = { ...stop, message: '8 deletes, and 5 are allowed' };
    assert.equal(digest([update], { blockers: [stop] }), digest([update], { blockers: [more] }));
  });

  it('of two approvals differs where one was not given', () => {
    const approval = { action: 'replace', id: 'oc-1', given: true, line: '' } as const;
    assert.notEqual(
      digest([{ ...update, approval }]),
      digest([{ ...update, approval: { ...approval, given: false } }]),
    );
  });
});
