/** The text of a ledger: one way of writing, and every other document is refused with what to do. */
import assert from 'node:assert/strict';
import { parseLedger, renderLedger } from '../../../reconciler/ledger/document';
import { emptyLedger, type Ledger, nextSerial } from '../../../reconciler/ledger/ledger';

const digest = `scrypt:${'A'.repeat(22)}:${'B'.repeat(43)}`;
const salt = 'C'.repeat(22);
const address = 'https://app.example.com/api/v2';
const at = '2026-01-31T10:00:00.000Z';
const ledger: Ledger = {
  version: 3,
  organization: 'acme',
  address,
  lineage: '6f0c',
  salt,
  serial: 41,
  lastApply: { at, by: 'ada' },
  objects: {
    'RunTrigger/ws-app/ws-network': { id: 'rt-1', createdAt: at },
    'OAuthClient/github': {
      id: 'oc-1',
      values: { projectIds: ['prj-1', 'prj-2'], name: null, organizationScoped: false },
      digests: { oauthTokenString: digest },
      retiring: ['oc-0'],
    },
    'ProjectAttachment/oc-1/prj-1': {},
  },
  pending: {
    'OAuthClient/gitlab': {
      attemptedAt: at,
      values: { name: 'line\nbreak' },
      digests: {},
      existing: ['oc-7'],
    },
  },
};
const text = `{
  "version": 3,
  "organization": "acme",
  "address": "${address}",
  "lineage": "6f0c",
  "salt": "${salt}",
  "serial": 41,
  "lastApply": { "at": "${at}", "by": "ada" },
  "objects": {
    "OAuthClient/github": { "digests": { "oauthTokenString": "${digest}" }, "id": "oc-1", "retiring": ["oc-0"], "values": { "name": null, "organizationScoped": false, "projectIds": ["prj-1", "prj-2"] } },
    "ProjectAttachment/oc-1/prj-1": {},
    "RunTrigger/ws-app/ws-network": { "createdAt": "${at}", "id": "rt-1" }
  },
  "pending": {
    "OAuthClient/gitlab": { "attemptedAt": "${at}", "digests": {}, "existing": ["oc-7"], "values": { "name": "line\\nbreak" } }
  }
}
`;
const place = { place: 'acme/tether.ledger.json', organization: 'acme' };

describe('the text of a ledger', () => {
  it('is sorted, with one line for each entry, and reads back as it was', () => {
    assert.equal(renderLedger(ledger), text);
    assert.deepEqual(parseLedger(text, place), ledger);
    assert.equal(renderLedger(parseLedger(text, place)), text);
    // An editor of Windows adds a byte order mark.
    assert.deepEqual(parseLedger(`\uFEFF${text}`, place), ledger);
  });

  it('may have an address whose path holds an @', () => {
    const atTeam = { ...ledger, address: 'https://app.example.com/@team/api/v2' };
    assert.deepEqual(parseLedger(renderLedger(atTeam), place), atTeam);
  });

  const edited = (from: string, to: string) => text.replace(from, to);
  const entry = (key: string, value: object) =>
    renderLedger({ ...ledger, objects: { [key]: value }, pending: {} });
  const pending = (key: string, value: object) =>
    edited(
      /"OAuthClient\/gitlab": .*/.exec(text)?.[0] ?? '',
      `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    );
  const rows: [what: string, text: string, says: RegExp][] = [
    [
      'no text',
      '',
      /If there is none, remove it and run `tether plan`, which shows how to adopt what exists$/,
    ],
    ['half of one', text.slice(0, 200), /is not valid JSON\. Restore/],
    ['the marks of a merge conflict', `<<<<<<< ours\n${text}`, /holds the marks of a merge conflict\. Take/],
    ['a list', '[]', /: the document must be object/],
    ['null', 'null', /is not valid JSON/],
    ['an older version', edited('"version": 3', '"version": 2'), /has version 2, .* run `tether export`/],
    [
      'the state of Terraform',
      edited('"version"', '"terraform_version": "1.9.0", "version"'),
      /name another place/,
    ],
    [
      'a newer version',
      edited('"version": 3', '"version": 4'),
      /has version 4, .* Use the Tether that wrote it/,
    ],
    [
      'another organization',
      edited('"acme"', '"acmee"'),
      /is the ledger of acmee, and the manifests are for acme:/,
    ],
    ['no address', edited(`"address": "${address}",`, ''), /property 'address'/],
    ['an address that is none', edited('https://', 'app:'), /: \/address must match/],
    ['an address with a password', edited('https://', 'https://user:word@'), /: \/address must match/],
    ['a salt that is none', edited(salt, ''), /: \/salt must match/],
    ['a serial of 0', edited('41', '0'), /: \/serial must be/],
    ['a serial beyond all numbers', edited('41', '1e99'), /: \/serial must be/],
    ['a lineage with a line break', edited('"6f0c"', '"a\\nb"'), /: \/lineage must match/],
    [
      'an unknown member',
      edited('"serial"', '"journal": 1, "serial"'),
      /: the document cannot have "journal"\. A newer Tether may have written it: use that version\. (?!.*remove it)/,
    ],
    [
      '`__proto__` as a member',
      edited('"serial"', '"__proto__": {}, "serial"'),
      /: the document cannot have "__proto__"/,
    ],
    [
      '`__proto__` as a key',
      edited('"OAuthClient/github"', '"__proto__"'),
      /: \/objects cannot have "__proto__"/,
    ],
    [
      'a kind of a newer version',
      entry('AgentPool/a', { id: 'apool-1' }),
      /cannot have "AgentPool\/a"\. A newer Tether may have written it: use that version\. (?!.*remove it)/,
    ],
    ['a kind without a name', entry('OAuthClient', { id: 'oc-1' }), /: \/objects cannot have "OAuthClient"/],
    ['a reserved name', entry('OAuthClient/constructor', { id: 'oc-1' }), /"constructor" is a reserved/],
    ['a name that looks like an id', entry('OAuthClient/oc-1', { id: 'oc-1' }), /"oc-1" looks like the id/],
    ['a link with one end', entry('RunTrigger/ws-1', {}), /cannot have "RunTrigger\/ws-1"/],
    ['a link of other objects', entry('RunTrigger/ws-1/prj-2', {}), /cannot have/],
    ['an end that leaves its path', entry('RunTrigger/ws-1/ws-..%2F', {}), /cannot have/],
    [
      'an id that leaves its path',
      entry('OAuthClient/a', { id: 'oc-1/../../x' }),
      /OAuthClient\/a\/id must match/,
    ],
    ['an id of another kind', entry('OAuthClient/a', { id: 'rt-1' }), /OAuthClient\/a\/id must match/],
    ['a client without an id', entry('OAuthClient/a', {}), /a must have required property 'id'/],
    [
      'an attachment with an id',
      entry('ProjectAttachment/oc-1/prj-1', { id: 'x' }),
      /prj-1 cannot have "id"/,
    ],
    ['a trigger without an id', entry('RunTrigger/ws-1/ws-2', {}), /ws-2 must have required property 'id'/],
    [
      'a link with values',
      entry('RunTrigger/ws-1/ws-2', { id: 'rt-1', values: {} }),
      /ws-2 cannot have "values"/,
    ],
    [
      'an object that is none',
      edited('"ProjectAttachment/oc-1/prj-1": {}', '"ProjectAttachment/oc-1/prj-1": 1'),
      /prj-1 must be object/,
    ],
    [
      'a time that is none',
      entry('RunTrigger/ws-1/ws-2', { id: 'rt-1', createdAt: 'today' }),
      /createdAt must match/,
    ],
    [
      'a value of no field',
      entry('OAuthClient/a', { id: 'oc-1', values: { name: { x: 1 } } }),
      /values\/name must be/,
    ],
    [
      'a secret in place of a digest',
      entry('OAuthClient/a', { id: 'oc-1', digests: { secret: 'x' } }),
      /digests\/secret must match/,
    ],
    ['a digest of another cost', edited('scrypt:', 'scrypt:2:8:1:'), /digests\/oauthTokenString must match/],
    [
      'one id under two keys',
      edited('["oc-0"]', '["oc-1"]'),
      /OAuthClient\/github and OAuthClient\/github both hold oc-1/,
    ],
    ['a link that is pending', pending('RunTrigger/ws-1/ws-2', {}), /: \/pending cannot have/],
    [
      'a pending entry of no time',
      pending('OAuthClient/b', { values: {}, digests: {}, existing: [] }),
      /OAuthClient\/b must have required property 'attemptedAt'/,
    ],
    [
      'a pending entry of wrong ids',
      pending('OAuthClient/b', { attemptedAt: at, values: {}, digests: {}, existing: ['x'] }),
      /existing\/0 must match/,
    ],
  ];
  for (const [what, document, says] of rows) {
    it(`is refused with ${what}`, () => {
      assert.throws(
        () => parseLedger(document, place),
        (error: Error) => {
          assert.equal(error.name, 'LedgerError');
          assert.match(error.message, says);
          assert.match(error.message, /^acme\/tether\.ledger\.json /);
          assert.doesNotMatch(error.message, /[\n\r]/);
          return true;
        },
      );
    });
  }

  it('is refused in one short line, whatever its keys hold', () => {
    const key = `OAuthClient/\u001b[31m\n${'x'.repeat(100_000)}`;
    assert.throws(
      () => parseLedger(entry(key, { id: 'oc-1' }), place),
      ({ message }: Error) => message.length < 400 && !message.includes('\u001b'),
    );
  });
});

describe('a ledger', () => {
  it('has no lineage before its first save, and keeps the one it got, and its own salt', () => {
    const empty = emptyLedger('acme');
    assert.deepEqual([empty.serial, empty.lineage], [0, '']);
    const first = nextSerial(empty, address);
    assert.match(first.lineage, /^[0-9a-f-]{36}$/);
    assert.notEqual(nextSerial(empty, address).lineage, first.lineage);
    assert.match(first.salt, /^[\w-]{22}$/);
    assert.notEqual(emptyLedger('acme').salt, first.salt);
    assert.deepEqual(nextSerial(first, address), { ...first, serial: 2 });
  });
});
