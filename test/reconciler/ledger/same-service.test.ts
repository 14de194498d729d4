/** Whose objects a ledger has: what is the same service, what is another, and the ways out that a message has. */
import assert from 'node:assert/strict';
import type { Ledger } from '../../../reconciler/ledger/ledger';
import { refuseOtherService } from '../../../reconciler/ledger/same-service';
import { smallLedger, smallManifest } from '../../support/small-world';

const address = 'https://tfe.example.com/api/v2';
const objects = { 'RunTrigger/ws-1/ws-2': { id: 'rt-1' } };
const pending = {
  'OAuthClient/a': { attemptedAt: '2026-01-31T10:00:00.000Z', values: {}, digests: {}, existing: [] },
};

function refusal(current: string, lines: string, ledger: Partial<Ledger> = {}): string {
  const given = { manifests: smallManifest(lines), place: 'tether.ledger.json' };
  try {
    refuseOtherService({ ...given, ledger: { ...smallLedger(objects), address, ...ledger } }, current);
    return '';
  } catch (error) {
    assert.equal((error as Error).name, 'LedgerError');
    return (error as Error).message;
  }
}

describe('the service of a ledger', () => {
  const same: [what: string, current: string, lines: string, ledger: Partial<Ledger>][] = [
    ['its own address', address, '', {}],
    ['its own address, edited by hand', address, '', { address: 'https://TFE.example.com:443/api/v2/' }],
    ['any address, while it has no object', 'https://b.example.com/api/v2', '', { objects: {} }],
    [
      'one that `addresses` names too',
      'https://b.example.com',
      `addresses: [${address}, https://B.example.com/]`,
      {},
    ],
  ];
  for (const [what, current, lines, ledger] of same) {
    it(`is at ${what}`, () => assert.equal(refusal(current, lines, ledger), ''));
  }

  const others: [what: string, current: string, lines: string, ledger: Partial<Ledger>][] = [
    ['another host', 'https://tfe.example.org/api/v2', '', {}],
    ['another port', 'https://tfe.example.com:8443/api/v2', '', {}],
    ['another scheme', 'http://localhost/api/v2', '', { address: 'https://localhost/api/v2' }],
    ['another path', 'https://tfe.example.com/staging/api/v2', '', {}],
    ['another address, while a create is pending', 'https://b.example.com', '', { objects: {}, pending }],
    [
      'another address of which `addresses` names one',
      'https://b.example.com',
      `addresses: [${address}]`,
      {},
    ],
    ['no address', address, '', { address: 'https://[' }],
  ];
  for (const [what, current, lines, ledger] of others) {
    it(`is not at ${what}`, () =>
      assert.match(refusal(current, lines, ledger), /is the ledger of the service at/));
  }

  const other = 'https://b.example.com/api/v2';
  const moved = `If the service has moved, name both beside \`organization:\`: addresses: [${address}, ${other}]`;

  it('is named in the message with both ways out, that for a copied folder first', () => {
    assert.equal(
      refusal(other, ''),
      [
        `tether.ledger.json is the ledger of the service at ${address}, and this run is for ${other}. No call was made. Check the address.`,
        'If this folder is a copy, give it a ledger of its own: remove tether.ledger.json.',
        moved,
      ].join('\n'),
    );
  });

  it('is no reason to remove a ledger on a server, which the original folder has too', () => {
    const message = refusal(other, 'ledger: s3://bucket/key\n');
    assert.match(message, /a ledger of its own: write another place under `ledger:`\.\n/);
    assert.doesNotMatch(message, /remove/);
  });

  it('is likely an embedded service where both are on this machine', () => {
    const local = refusal('http://127.0.0.1:2/api/v2', '', { address: 'http://127.0.0.1:1/api/v2' });
    assert.match(
      local,
      /\n`tether serve` forgets everything when it ends: if it was restarted, remove the ledger\.\n/,
    );
    assert.doesNotMatch(refusal('http://127.0.0.1:2/api/v2', ''), /tether serve/);
  });
});
