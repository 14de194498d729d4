/** What a plan of clients advises beside its steps. */
import assert from 'node:assert/strict';
import type { SecretStates } from '../../../reconciler/plan/plan';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
} from '../../support/pure-world';

const notes = (made: ReturnType<typeof planIn>): string[] => made.plan.notes.map((one) => one.code);
const warnings = (made: ReturnType<typeof planIn>): string[] => made.plan.warnings.map((one) => one.rule);

/** acme with one client that is ours and unchanged. */
const settled = () =>
  pureWorld({
    clients: [clientDocument('oc-1')],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values) }),
  });

describe('what a plan of clients advises', () => {
  it('asks about `moved:` where a key and something else change at once, and not where two may be meant', () => {
    const other = github.replace('github:', 'hub:').replace('git.example.com', 'new.example.com');
    const made = planIn(settled(), manifest(other));
    assert.deepEqual(
      made.steps.map(({ id }) => id),
      ['create OAuthClient/hub', 'delete OAuthClient/github'],
    );
    const [one] = made.plan.warnings;
    assert.deepEqual([one?.rule, one?.path], ['perhaps-renamed', 'OAuthClient/hub']);
    const line = 'moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]';
    assert.ok(one?.message.includes(`\`${line}\``), one?.message);
    const moved = planIn(settled(), manifest(`${other}${line}\n`));
    assert.deepEqual([moved.steps[0]?.id, warnings(moved)], ['move OAuthClient/hub', []]);
    const several = `${other}${other.slice(other.indexOf('\n') + 1).replace('hub:', 'hub2:')}`;
    assert.deepEqual(warnings(planIn(settled(), manifest(several))), []);
    const stranger = `oauthClients:
  lab: { name: Lab, serviceProvider: provider_b_hosted, httpUrl: https://b.example, apiUrl: https://b.example/api }
`;
    assert.deepEqual(warnings(planIn(settled(), manifest(stranger))), []);
  });

  it('tells the way with a second client where nothing but a new secret replaces', () => {
    const text = `${github}    oauthTokenString: { fromEnv: T }\n`;
    const changed: SecretStates = { 'OAuthClient/github': { oauthTokenString: 'changed' } };
    const [note] = planIn(settled(), manifest(text), {}, changed).plan.notes;
    assert.equal(note?.code, 'rotation');
    assert.match(
      note?.text ?? '',
      /a new oauthTokenString replaces.*second client with `allowDuplicate: true`/,
    );
    const moved = text.replace('httpUrl: https://git.', 'httpUrl: https://new.');
    assert.ok(!notes(planIn(settled(), manifest(moved), {}, changed)).includes('rotation'));
  });

  it('says how to keep what it deletes, once, where lines were removed', () => {
    const codes = (made: ReturnType<typeof planIn>) => notes(made).filter((code) => code === 'removed');
    const two = pureWorld({
      clients: [clientDocument('oc-1'), clientDocument('oc-2')],
      ledger: ledgerWith({
        'OAuthClient/one': clientInLedger('oc-1', values),
        'OAuthClient/two': clientInLedger('oc-2', values),
      }),
    });
    const made = planIn(two, manifest('oauthClients: {}\n'));
    assert.equal(codes(made).length, 1);
    assert.match(made.plan.notes[0]?.text ?? '', /list its address under `forget:`/);
    assert.deepEqual(codes(planIn(two, manifest('oauthClients: {}\n'), { destroy: true })), []);
    assert.deepEqual(codes(planIn(two, manifest('forget: [OAuthClient/one, OAuthClient/two]\n'))), []);
  });
});
