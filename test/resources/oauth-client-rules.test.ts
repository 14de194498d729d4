/** Rules across the fields of a client, and the risks of changes, as tables. */
import assert from 'node:assert/strict';
import { byAge, type FieldValue, type FieldValues } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { toFoundClient } from '../../resources/oauth-client-calls';
import { readProfile } from '../../resources/profile';
import { violationsAcross } from '../../resources/violations';
import { clientDocument } from '../support/small-world';

const plain = readProfile('default', '/');
const hcp = readProfile('hcp-terraform', '/');

describe('rules across the fields of a client', () => {
  const cases: readonly (readonly [
    string,
    FieldValues,
    readonly string[],
    typeof plain,
    readonly string[],
  ])[] = [
    ['a hosted provider and a token', { serviceProvider: 'provider_a' }, ['oauthTokenString'], plain, []],
    [
      'a private key it does not take',
      { serviceProvider: 'provider_a' },
      ['privateKey'],
      plain,
      ['field-not-taken privateKey'],
    ],
    [
      'a public key it does not take',
      { serviceProvider: 'provider_c_server' },
      ['privateKey', 'rsaPublicKey'],
      plain,
      ['field-not-taken rsaPublicKey'],
    ],
    [
      'an unknown provider, which another rule reports',
      { serviceProvider: 'github' },
      ['privateKey'],
      plain,
      [],
    ],
    ['no provider, which another rule reports', {}, ['privateKey'], plain, []],
    [
      'a key that must not be emptied',
      { serviceProvider: 'bitbucket_data_center', key: '' },
      ['key'],
      hcp,
      ['never-empty key'],
    ],
    ['a key with a value', { serviceProvider: 'bitbucket_data_center', key: 'k' }, ['key'], hcp, []],
    [
      'a secret without its public key',
      { serviceProvider: 'bitbucket_data_center' },
      ['secret'],
      hcp,
      ['fields-together secret'],
    ],
    [
      'a public key without its secret',
      { serviceProvider: 'bitbucket_data_center' },
      ['rsaPublicKey'],
      hcp,
      ['fields-together rsaPublicKey'],
    ],
    ['both', { serviceProvider: 'bitbucket_data_center' }, ['secret', 'rsaPublicKey'], hcp, []],
    ['neither', { serviceProvider: 'bitbucket_data_center' }, [], hcp, []],
  ];
  for (const [title, inputs, given, profile, expected] of cases) {
    it(`${expected.length === 0 ? 'accepts' : 'refuses'} ${title}`, () => {
      const found = violationsAcross(oauthClient, inputs, new Set(given), profile);
      assert.deepEqual(
        found.map(({ rule, path }) => `${rule} ${path}`),
        expected,
      );
      for (const { message } of found) assert.match(message, /: \S/u, 'says what to do');
    });
  }
});

describe('the risk of a change', () => {
  const cases: readonly (readonly [string, string, FieldValue, FieldValue, boolean])[] = [
    ['a new key', 'key', null, 'k', true],
    ['a narrower scope', 'organizationScoped', true, false, true],
    ['a wider scope', 'organizationScoped', false, true, false],
    ['another name', 'name', 'Old', 'New', false],
    ['no pool', 'agentPoolId', 'apool-1', null, false],
  ];
  for (const [title, field, from, to, isRisky] of cases) {
    it(`is ${isRisky ? 'told' : 'none'} for ${title}`, () => {
      assert.equal((oauthClient.fields[field]?.risk?.(from, to) ?? null) !== null, isRisky);
    });
  }
});

describe('found objects', () => {
  const document = clientDocument('oc-1', { projectIds: ['prj-2', 'prj-1'] });

  it('have the readable fields and the outputs of the definition', () => {
    const { values, outputs } = toFoundClient(document, 'acme');
    const readable = Object.entries(oauthClient.fields).filter(([, field]) => !field.writeOnly);
    assert.deepEqual(Object.keys(values).sort(), readable.map(([name]) => name).sort());
    assert.deepEqual(Object.keys(outputs).sort(), Object.keys(oauthClient.outputs).sort());
  });

  it('take the organization of the answer, else the one that was asked for', () => {
    assert.equal(toFoundClient(document, 'other').values.organization, 'acme');
    assert.equal(toFoundClient({ ...document, organization: null }, 'other').values.organization, 'other');
  });

  it('stand oldest first, and by id where the time is the same', () => {
    const at = (id: string, day: number): ReturnType<typeof toFoundClient> =>
      toFoundClient({ ...document, id, createdAt: `2026-01-0${day}T00:00:00.000Z` }, 'acme');
    const sorted = [at('oc-3', 2), at('oc-1', 3), at('oc-2', 2), at('oc-2', 2)].sort(byAge);
    assert.deepEqual(
      sorted.map(({ id }) => id),
      ['oc-2', 'oc-2', 'oc-3', 'oc-1'],
    );
  });

  it('hold their projects in one order, whatever the answer had', () => {
    assert.deepEqual(toFoundClient(document, 'acme').values.projectIds, ['prj-1', 'prj-2']);
  });
});
