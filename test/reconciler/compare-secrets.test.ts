/** How a secret compares with what was last written, by the entry that the ledger has for it. */
import assert from 'node:assert/strict';
import { digest } from '../../reconciler/ledger/digest';
import type { LedgerObject } from '../../reconciler/ledger/ledger';
import { compareSecrets } from '../../reconciler/make-plan';
import { registry } from '../../resources/registry';
import { clientInLedger, ledgerWith, manifest } from '../support/pure-world';

const text = `oauthClients:
  github:
    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    secret: { fromEnv: SECRET }
runTriggers: [{ target: ws-a, source: ws-b }]
`;
const values = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('a secret of the manifest', () => {
  let written: Record<string, string>;
  before(async () => {
    written = { secret: await digest('as written') };
  });

  async function compared(value: string | null, objects: Readonly<Record<string, LedgerObject>>) {
    return compareSecrets(
      manifest(text),
      ledgerWith(objects),
      value === null ? {} : { SECRET: value },
      registry,
    );
  }
  const held = (more: Partial<LedgerObject> = {}) =>
    clientInLedger('oc-1', values, { digests: written, ...more });

  it('is the same as its digest, or has changed', async () => {
    const objects = { 'OAuthClient/github': held() };
    assert.deepEqual(await compared('as written', objects), { 'OAuthClient/github': { secret: 'same' } });
    assert.deepEqual(await compared('another', objects), { 'OAuthClient/github': { secret: 'changed' } });
  });

  it('is not compared while its value is not at hand', async () => {
    const objects = { 'OAuthClient/github': held() };
    assert.deepEqual(await compared(null, objects), { 'OAuthClient/github': { secret: 'not-compared' } });
  });

  it('is new where the entry had none at the last apply, and needed where its value is not at hand', async () => {
    const before = { 'OAuthClient/github': held({ digests: {} }) };
    assert.deepEqual(await compared('any', before), { 'OAuthClient/github': { secret: 'new' } });
    assert.deepEqual(await compared(null, before), { 'OAuthClient/github': { secret: 'needed' } });
  });

  it('is not verified where it was there before us and nobody wrote it, and where the ledger lacks it', async () => {
    const unverified = { 'OAuthClient/github': { secret: 'unverified' } };
    const adopted = { 'OAuthClient/github': held({ digests: {}, unverified: ['secret'] }) };
    assert.deepEqual(await compared('any', adopted), unverified);
    assert.deepEqual(await compared(null, adopted), { 'OAuthClient/github': { secret: 'not-compared' } });
    assert.deepEqual(await compared('any', {}), unverified);
  });

  it('is found under the old address of an entry that was renamed', async () => {
    const renamed = { 'OAuthClient/gh': held() };
    assert.deepEqual(await compared('as written', renamed), { 'OAuthClient/github': { secret: 'same' } });
  });
});
