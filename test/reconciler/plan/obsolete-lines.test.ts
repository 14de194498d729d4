/** Lines that have nothing to do: done, or misspelt from the start. Never in silence. */
import assert from 'node:assert/strict';
import { clientInLedger, ledgerWith, manifest, planIn, pureWorld } from '../../support/pure-world';

const github =
  'oauthClients: { github: { name: GitHub, serviceProvider: provider_a, httpUrl: https://a.example, apiUrl: https://a.example/api } }\n';
const ledger = ledgerWith({
  'OAuthClient/github': clientInLedger('oc-1', {}),
  'OAuthClient/legacy': clientInLedger('oc-2', {}),
});

describe('a line with nothing to do', () => {
  function warnings(lines: string, held: typeof ledger): readonly string[] {
    const { plan } = planIn(pureWorld({ ledger: held }), manifest(github + lines));
    const all = plan.warnings;
    return all.filter((one) => one.rule === 'obsolete-line').map((one) => one.message);
  }

  const move = (from: string, to: string) =>
    `moved: [{ from: OAuthClient/${from}, to: OAuthClient/${to} }]\n`;
  const rows: readonly (readonly [string, string, typeof ledger, string])[] = [
    [
      'a move that was made',
      move('gh', 'github'),
      ledger,
      'the move from OAuthClient/gh to OAuthClient/github is done: remove the line',
    ],
    [
      'a move of what never was',
      move('gh', 'github'),
      ledgerWith({}),
      'the move from OAuthClient/gh to OAuthClient/github has nothing to move, the ledger knows neither: correct the line, or remove it',
    ],
    [
      'letting go of what is not held',
      'forget: [OAuthClient/gone]\n',
      ledger,
      'the ledger does not hold OAuthClient/gone, or not any more: remove the `forget` line',
    ],
    [
      'letting go of what is misspelt',
      'forget: [OAuthClient/legcy]\n',
      ledger,
      'the ledger does not hold OAuthClient/legcy, or not any more: remove the `forget` line; did you mean OAuthClient/legacy?',
    ],
    [
      'letting go of something near to what is wanted, which is not offered',
      'forget: [OAuthClient/githuh]\n',
      ledger,
      'the ledger does not hold OAuthClient/githuh, or not any more: remove the `forget` line',
    ],
  ];
  for (const [what, lines, held, message] of rows) {
    it(`is told: ${what}`, () => assert.deepEqual(warnings(lines, held), [message]));
  }

  it('is told of nothing that has something to do', () => {
    assert.deepEqual(warnings('forget: [OAuthClient/legacy]\n', ledger), []);
  });
});
