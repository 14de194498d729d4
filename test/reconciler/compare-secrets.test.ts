/** How a secret compares with what was last written, by the entry that the ledger has for it. */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { Digests } from '../../reconciler/ledger/digest';
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
    written = { secret: await new Digests(ledgerWith({})).create('as written') };
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

  it('costs one scrypt, however many entries hold it', async () => {
    const digests = new Digests(ledgerWith({}));
    const keys = ['github', 'lab', 'cloud'];
    const objects = await Promise.all(
      keys.map(async (key): Promise<[string, LedgerObject]> => {
        const secret = await digests.create('as written');
        return [`OAuthClient/${key}`, clientInLedger(`oc-${key}`, values, { digests: { secret } })];
      }),
    );
    const [, entry = ''] = text.split(/^(?= {2}github)/m);
    const [fields = '', triggers] = entry.split(/^(?=runTriggers)/m);
    const all = keys.map((key) => fields.replace('github', key)).join('');
    let count = 0;
    const init = (_id: number, type: string) => {
      if (type === 'SCRYPTREQUEST') count += 1;
    };
    const hook = createHook({ init }).enable();
    const ledger = ledgerWith(Object.fromEntries(objects));
    const wanted = manifest(`oauthClients:\n${all}${triggers}`);
    const states = await compareSecrets(wanted, ledger, { SECRET: 'as written' }, registry);
    hook.disable();
    assert.deepEqual(
      keys.map((key) => states[`OAuthClient/${key}`]),
      keys.map(() => ({ secret: 'same' })),
    );
    assert.equal(count, 1);
  });

  it('is found under the old address of an entry that was renamed', async () => {
    const renamed = { 'OAuthClient/gh': held() };
    assert.deepEqual(await compared('as written', renamed), { 'OAuthClient/github': { secret: 'same' } });
  });
});
