/** The planning table of clients: what is declared, recorded, pending and there, and what the plan says of it. */

import assert from 'node:assert/strict';
import type { OAuthClientDocument } from '../../../client/api';
import type { Ledger, LedgerObject, Pending } from '../../../reconciler/ledger/ledger';
import { bindClients } from '../../../reconciler/plan/bind';
import type { SecretState } from '../../../reconciler/plan/facts';
import { planChanges } from '../../../reconciler/plan/make';
import { readMember } from '../../../reconciler/plan/plan';
import { clientEntry, githubFields as values } from '../../support/acme';
import {
  clientDocument,
  linesOf,
  longAgo,
  smallFacts,
  smallLedger,
  smallManifest,
  smallNow,
} from '../../support/small-world';

type Fields = Readonly<Record<string, string>>;
const entry = (address: string, fields: Fields = {}) =>
  clientEntry(address, { oauthTokenString: null, ...fields });
const declare = (fields: Fields = {}, address = 'github') => `oauthClients:\n${entry(address, fields)}`;

const moved = { httpUrl: 'https://new.example.com' };
const record = (id = 'oc-1', more: Partial<LedgerObject> = {}): LedgerObject => ({
  id,
  createdAt: longAgo,
  values,
  digests: {},
  ...more,
});
const secondsAgo = (seconds: number) => new Date(smallNow - seconds * 1000).toISOString();
const pending = (seconds: number, more: Partial<Pending> = {}): Pending => ({
  attemptedAt: secondsAgo(seconds),
  values,
  digests: {},
  existing: [],
  ...more,
});
const made = (id: string, seconds: number, more: Partial<OAuthClientDocument> = {}) =>
  clientDocument(id, { createdAt: secondsAgo(seconds), ...more });
const github = 'OAuthClient/github';
const there = clientDocument('oc-1');
const secret = { oauthTokenString: '{ fromEnv: GIT_TOKEN }' };
const unlinks = (action: string, id = 'oc-1', address = github) =>
  `needs approved: [{ ${action}: ${address}, id: ${id} }]`;

interface Row {
  /** Of the manifest, below its head. */
  readonly says?: string;
  readonly recorded?: LedgerObject;
  readonly ledger?: Ledger['objects'];
  readonly pending?: Pending;
  readonly there?: readonly OAuthClientDocument[];
  /** Ids that lists lack and Show has. */
  readonly late?: readonly string[];
  readonly hidden?: true;
  readonly secret?: SecretState;
  readonly plan: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  declared: { says: declare(), plan: ['create OAuthClient/github: new'] },
  'declared, and one with another name is there': {
    says: declare(),
    there: [clientDocument('oc-1', { name: 'Other' })],
    plan: [`create ${github}: new`],
  },
  'declared without what its provider needs': {
    says: declare({ serviceProvider: 'provider_c_server' }),
    plan: [`missing-fields ${github}`],
  },
  'declared, and the list cannot be read': { says: declare(), hidden: true, plan: [`unknown ${github}`] },

  'as recorded, and a create that was executed late made another': {
    says: declare(),
    recorded: record(),
    there: [there, made('oc-2', 600)],
    plan: [`note ${github}`],
  },
  'as recorded, and a line allows the late one': {
    says: declare({ allowDuplicate: '[oc-2]' }),
    recorded: record(),
    there: [there, made('oc-2', 600)],
    plan: [],
  },
  'as recorded, and an older one is like it': {
    says: declare(),
    recorded: record(),
    there: [there, clientDocument('oc-2', { createdAt: '2024-01-01T00:00:00.000Z' })],
    plan: [`note ${github}`],
  },
  'edited so, and connected with a token that nobody declares': {
    says: `${declare(moved)}approved: [{ replace: ${github}, id: oc-1 }]\n`,
    recorded: record(),
    there: [clientDocument('oc-1', { oauthTokenIds: ['ot-1'] })],
    plan: [`secret-needed ${github}`],
  },
  'its predecessor is gone': {
    says: declare(),
    recorded: record('oc-2', { retiring: ['oc-1'] }),
    there: [clientDocument('oc-2')],
    plan: [`forget ${github} (oc-1): already-gone`],
  },
  'the successor is gone, and its predecessor is there': {
    says: declare(),
    recorded: record('oc-2', { retiring: ['oc-1'] }),
    there: [there],
    plan: [`possible-match ${github}`, `unknown ${github}`],
  },

  'a secret was never written': {
    says: declare({ secret: '{ fromEnv: S }' }),
    recorded: record(),
    there: [there],
    secret: 'unknown',
    plan: [`update ${github}: secret-unknown`],
  },
  'a secret is not at hand': {
    says: declare({ secret: '{ fromEnv: S }' }),
    recorded: record(),
    there: [there],
    secret: { why: 'GIT_TOKEN is not set' },
    plan: [`note ${github}`],
  },
  'a secret that only a create takes changed': {
    says: declare(secret),
    recorded: record(),
    there: [there],
    secret: 'changed',
    plan: [`replace ${github}: secret-changed`, `delete ${github} (oc-1): replaced`, unlinks('replace')],
  },

  'named by its id': { says: declare({ id: 'oc-1' }), there: [there], plan: [`adopt ${github}: found`] },
  'named by an id that lists show late': {
    says: declare({ id: 'oc-1' }),
    there: [there],
    late: ['oc-1'],
    plan: [`adopt ${github}: found`],
  },
  'named by the id of none': { says: declare({ id: 'oc-9' }), plan: [`id-missing ${github}`] },
  'named by the id that is recorded, and gone': {
    says: declare({ id: 'oc-1' }),
    recorded: record(),
    plan: [`create ${github}: gone`],
  },
  'named by an id that another declared address has': {
    says: `${declare({ id: 'oc-1', name: 'A' })}${entry('hub')}`,
    ledger: { 'OAuthClient/hub': record() },
    there: [there],
    plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub'],
  },
  'named by an id that another address is to retire': {
    says: `${declare({ id: 'oc-1', name: 'A' })}${entry('hub')}`,
    ledger: { 'OAuthClient/hub': record('oc-2', { retiring: ['oc-1'] }) },
    there: [there, clientDocument('oc-2')],
    plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub'],
  },
  'named by an id that another address is to retire, which nothing declares': {
    says: `${declare({ id: 'oc-1', name: 'A' })}approved: [{ replace: OAuthClient/hub, id: oc-1 }, { destroy: OAuthClient/hub, id: oc-2 }]\n`,
    ledger: { 'OAuthClient/hub': record('oc-2', { retiring: ['oc-1'] }) },
    there: [there, clientDocument('oc-2')],
    plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub', 'unknown OAuthClient/hub'],
  },
  'recorded, and named by the id of an undeclared one that may be destroyed': {
    says: `${declare({ id: 'oc-2' })}approved: [{ destroy: OAuthClient/hub, id: oc-2 }]\n`,
    recorded: record(),
    ledger: { 'OAuthClient/hub': record('oc-2'), 'ProjectAttachment/oc-2/prj-1': {} },
    there: [there, clientDocument('oc-2', { projectIds: ['prj-1'] })],
    plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub', 'unknown ProjectAttachment/hub/prj-1'],
  },
  'named by the id of an undeclared one, with other values': {
    says: declare({ id: 'oc-1', name: 'Other' }, 'hub'),
    recorded: record(),
    there: [there],
    plan: ['move OAuthClient/hub: renamed', 'update OAuthClient/hub: manifest-changed'],
  },

  'under a new address, and other values': {
    says: declare({ name: 'Other' }, 'hub'),
    recorded: record(),
    there: [there],
    plan: [
      `create OAuthClient/hub: new`,
      `delete ${github}: removed-from-manifest`,
      unlinks('destroy'),
      'note OAuthClient/hub',
    ],
  },
  'under a new address, and to be forgotten under the old one': {
    says: `${declare({}, 'hub')}forget: [OAuthClient/github]\n`,
    recorded: record(),
    there: [there],
    plan: [`forget ${github}: forget-line`, 'possible-match OAuthClient/hub'],
  },
  'under a new address, and approved to be destroyed': {
    says: `${declare({}, 'hub')}approved: [{ destroy: ${github}, id: oc-1 }]\n`,
    recorded: record(),
    there: [there],
    plan: ['create OAuthClient/hub: new', `delete ${github}: removed-from-manifest`],
  },
  'under a new address as its predecessor was, which may go': {
    says: `${declare({}, 'hub')}approved: [{ replace: ${github}, id: oc-1 }]\n`,
    recorded: record('oc-2', { values: { ...values, ...moved }, retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2', moved)],
    plan: ['possible-match OAuthClient/hub', `unknown ${github}`, `unknown ${github}`],
  },
  'under a new address, while the entry of another one names its id': {
    says: `${declare({ id: 'oc-2' })}${entry('hub')}`,
    recorded: record(),
    ledger: { 'OAuthClient/old': record('oc-2') },
    there: [there, clientDocument('oc-2')],
    plan: [`id-conflict ${github}`, 'possible-match OAuthClient/hub', 'unknown OAuthClient/old'],
  },
  'under a new address, and gone': {
    says: declare({}, 'hub'),
    recorded: record(),
    plan: ['move OAuthClient/hub: renamed', 'create OAuthClient/hub: gone'],
  },

  'declared as its predecessor is again': {
    says: declare(),
    recorded: record('oc-2', { values: { ...values, ...moved }, retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2', moved)],
    plan: [`possible-match ${github}`, `unknown ${github}`],
  },
  'there, beside a new one like its predecessor': {
    says: `${declare()}${entry('hub')}`,
    recorded: record('oc-2', { retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2')],
    plan: ['create OAuthClient/hub: new', `delete ${github} (oc-1): replaced`, unlinks('replace')],
  },
  'there, beside a new one like its predecessor, which is to be forgotten': {
    says: `${declare(moved)}${entry('hub')}forget: [OAuthClient/oc-1]\n`,
    recorded: record('oc-2', { values: { ...values, ...moved }, retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2', moved)],
    plan: [`forget ${github} (oc-1): forget-line`, 'possible-match OAuthClient/hub'],
  },
  'not declared any more, and another id, another address and a replacement approved': {
    says: `approved: [{ destroy: ${github}, id: oc-2 }, { destroy: OAuthClient/hub, id: oc-1 }, { replace: ${github}, id: oc-1 }]\n`,
    recorded: record(),
    there: [there],
    plan: [
      `delete ${github}: removed-from-manifest`,
      unlinks('destroy'),
      `note ${github}`,
      'note OAuthClient/hub',
      `note ${github}`,
    ],
  },
  'not declared any more, and the list cannot be read': {
    recorded: record(),
    hidden: true,
    plan: [`unknown ${github}`],
  },
  'to be forgotten by its id': {
    says: 'forget: [OAuthClient/oc-1]\n',
    recorded: record(),
    there: [there],
    plan: [`forget ${github}: forget-line`],
  },
  'to be forgotten with its predecessor': {
    says: `forget: [${github}]\n`,
    recorded: record('oc-2', { retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2')],
    plan: [`forget ${github}: forget-line`],
  },
  'to be forgotten, and never managed': {
    says: `forget: [${github}]\n`,
    there: [there],
    plan: [`note ${github}`],
  },
  'not declared any more, beside a line with a misspelt id': {
    says: `forget: [OAuthClient/oc-11]\napproved: [{ destroy: ${github}, id: oc-1 }]\n`,
    recorded: record(),
    there: [there],
    plan: ['unknown OAuthClient/oc-11', `unknown ${github}`],
  },
  'not declared any more, beside a line that names an unmanaged one by its id': {
    says: `forget: [OAuthClient/oc-9]\napproved: [{ destroy: ${github}, id: oc-1 }]\n`,
    recorded: record(),
    there: [there, clientDocument('oc-9', { name: 'Other' })],
    plan: [`delete ${github}: removed-from-manifest`, 'note OAuthClient/oc-9'],
  },
  'edited, beside a line with a misspelt id of what may be replaced': {
    says: `${declare(moved)}forget: [OAuthClient/oc-11]\napproved: [{ replace: ${github}, id: oc-1 }]\n`,
    recorded: record(),
    there: [there],
    plan: [`replace ${github}: manifest-changed`, 'unknown OAuthClient/oc-11', `unknown ${github}`],
  },
  'its predecessor may go, beside a line with a misspelt id of it': {
    says: `${declare()}forget: [OAuthClient/oc-11]\napproved: [{ replace: ${github}, id: oc-1 }]\n`,
    recorded: record('oc-2', { retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2')],
    plan: ['unknown OAuthClient/oc-11', `unknown ${github}`],
  },

  'pending, and one like it was there': {
    says: declare(),
    pending: pending(130, { existing: ['oc-1'] }),
    there: [made('oc-1', 130)],
    plan: [`drop pending ${github}: nothing-made`, `possible-match ${github}`],
  },
  'pending, and one like it is managed': {
    says: `${declare()}${entry('hub')}`,
    ledger: { 'OAuthClient/hub': record() },
    pending: pending(130),
    there: [made('oc-1', 130)],
    plan: [`create ${github}: new`],
  },
  'new, and like the client that another line names': {
    says: `${declare({ id: 'oc-1' })}${entry('hub')}`,
    there: [there],
    plan: [`adopt ${github}: found`, 'possible-match OAuthClient/hub'],
  },
  'new, and like a client whose address is to adopt another one': {
    says: `${declare({ id: 'oc-2', name: 'Other' })}${entry('hub')}`,
    recorded: record(),
    there: [there, clientDocument('oc-2', { name: 'Other' })],
    plan: [`id-conflict ${github}`, 'possible-match OAuthClient/hub'],
  },
  'new, and as another one was, whose line changes its name': {
    says: `${declare({ id: 'oc-1', name: 'Other' })}${entry('hub')}`,
    recorded: record(),
    there: [there],
    plan: ['create OAuthClient/hub: new', `update ${github}: manifest-changed`],
  },
  'pending, and one with another key was made': {
    says: declare(),
    pending: pending(30),
    there: [made('oc-1', 29, { key: 'k' })],
    plan: [`create-pending ${github}`],
  },
  'pending, made and to be forgotten': {
    says: `forget: [${github}]\n`,
    pending: pending(30),
    there: [made('oc-1', 29)],
    plan: [`adopt ${github}: taken-over`, `forget ${github}: forget-line`],
  },
  'pending, made and to be forgotten by its id': {
    says: 'forget: [OAuthClient/oc-1]\n',
    pending: pending(120),
    there: [made('oc-1', 119)],
    plan: [`drop pending ${github}: nothing-made`],
  },
  'pending, and nothing was made yet': {
    says: declare(),
    pending: pending(119),
    plan: [`create-pending ${github}`],
  },
  'pending, and nothing was made': {
    says: declare(),
    pending: pending(120),
    plan: [`create ${github}: new`],
  },
  'pending, not declared, and nothing was made': {
    pending: pending(120),
    plan: [`drop pending ${github}: nothing-made`],
  },
  'pending, to be forgotten, and nothing was made': {
    says: `forget: [${github}]\n`,
    pending: pending(120),
    plan: [`drop pending ${github}: forget-line`],
  },
  'pending, to be forgotten, and may still be made': {
    says: `forget: [${github}]\n`,
    pending: pending(30),
    plan: [`drop pending ${github}: forget-line`],
  },
  'pending, to be forgotten, and two may be it': {
    says: `forget: [${github}]\n`,
    pending: pending(30),
    there: [made('oc-1', 29), made('oc-2', 28)],
    plan: [`drop pending ${github}: forget-line`],
  },
  'pending, to be forgotten, and recorded with an attachment': {
    says: `forget: [${github}]\n`,
    recorded: record(),
    ledger: { 'ProjectAttachment/oc-1/prj-1': {} },
    pending: pending(30, { values: { ...values, ...moved } }),
    there: [clientDocument('oc-1', { projectIds: ['prj-1'] })],
    plan: [`forget ${github}: forget-line`],
  },
  'pending, and two may be it': {
    says: declare(),
    pending: pending(30),
    there: [made('oc-1', 29), made('oc-2', 28)],
    plan: [`several-made ${github}`],
  },
  'pending, and two may be it, of which a line names one': {
    says: declare({ id: 'oc-2' }),
    pending: pending(30),
    there: [made('oc-1', 29), made('oc-2', 28)],
    plan: [`adopt ${github}: found`, `note ${github}`],
  },
  'pending, and an equal one is declared under another address': {
    says: declare({}, 'hub'),
    pending: pending(60),
    plan: [`create-pending ${github}`, 'create-pending OAuthClient/hub'],
  },
  'pending, and another one is declared under another address': {
    says: declare({ name: 'Other' }, 'hub'),
    pending: pending(60),
    plan: ['create OAuthClient/hub: new', `create-pending ${github}`],
  },
  'pending beside a recorded one that fits again': {
    says: declare(),
    recorded: record(),
    pending: pending(30, { values: { ...values, ...moved } }),
    there: [there, made('oc-2', 29, moved)],
    plan: [`adopt ${github}: found`, `delete ${github} (oc-2): replaced`, unlinks('replace', 'oc-2')],
  },
  'pending beside a recorded one that is gone': {
    says: declare(),
    recorded: record(),
    pending: pending(30),
    there: [made('oc-2', 29)],
    plan: [`adopt ${github}: taken-over`],
  },
  'it is gone, and one like it is there': {
    says: declare(),
    recorded: record('oc-2'),
    there: [clientDocument('oc-3')],
    plan: [`possible-match ${github}`],
  },
  'the successor is there, and the destruction of its predecessor approved': {
    says: `${declare()}approved: [{ destroy: ${github}, id: oc-1 }]\n`,
    recorded: record('oc-2', { retiring: ['oc-1'] }),
    there: [there, clientDocument('oc-2')],
    plan: [`delete ${github} (oc-1): replaced`],
  },
  'pending without a client, and a line names one that cannot be adopted': {
    says: declare({ id: 'oc-1', ...moved }),
    pending: pending(130),
    there: [there],
    plan: [`drop pending ${github}: nothing-made`, `cannot-adopt ${github}`],
  },
  'pending and made, and a line names one that another address has': {
    says: `${declare({ id: 'oc-1' })}${entry('hub', { name: 'Other' })}`,
    ledger: { 'OAuthClient/hub': record('oc-1', { values: { ...values, name: 'Other' } }) },
    pending: pending(30),
    there: [clientDocument('oc-1', { name: 'Other' }), made('oc-2', 29)],
    plan: [`adopt ${github}: taken-over`, `id-conflict ${github}`, 'unknown OAuthClient/hub'],
  },
};

describe('the plan of a client that is', () => {
  for (const [what, row] of Object.entries(rows)) {
    it(`${what}: ${row.plan.join(' · ') || 'nothing'}`, async () => {
      const { there: clients = [], late = [] } = row;
      const existing = { clients, late, hidden: row.hidden ? ['acme'] : [] };
      const objects = { ...row.ledger, ...(row.recorded && { [github]: row.recorded }) };
      const ledger = smallLedger(objects, row.pending && { [github]: row.pending });
      const state = row.secret ?? 'unknown';
      const secrets = { 'oc-1': { secret: state, oauthTokenString: state } };
      const facts = await smallFacts(existing, smallManifest(row.says ?? ''), ledger, { secrets });
      assert.deepEqual(linesOf(planChanges(facts)), row.plan);
    });
  }
});

describe('a replacement that was killed', () => {
  it('order of a forgotten predecessor: it is dropped after the step that records its successor', async () => {
    const clients = [clientDocument('oc-2'), made('oc-3', 29, moved)];
    const open = { [github]: pending(30, { values: { ...values, ...moved } }) };
    const ledger = smallLedger({ [github]: record('oc-2', { retiring: ['oc-1'] }) }, open);
    const { steps } = planChanges(await smallFacts({ clients }, smallManifest(declare(moved)), ledger));
    assert.deepEqual(
      steps.map(({ id, needs }) => [id, needs]),
      [
        [`adopt ${github}`, []],
        [`forget ${github} (oc-1)`, [`adopt ${github}`]],
        [`delete ${github} (oc-2)`, [`adopt ${github}`, `forget ${github} (oc-1)`]],
      ],
    );
  });

  it('secret-only replacement: the successor is adopted with its digest, and the predecessor goes', async () => {
    const clients = [clientDocument('oc-1', { projectIds: ['prj-late'] }), made('oc-2', 29)];
    const digests = { oauthTokenString: 'scrypt:new' };
    const before = { [github]: record('oc-1', { digests: { oauthTokenString: 'scrypt:old' } }) };
    const open = { [github]: pending(30, { digests, existing: ['oc-1'], values }) };
    const states = (old: SecretState, successor: SecretState) => ({
      secrets: { 'oc-1': { oauthTokenString: old }, 'oc-2': { oauthTokenString: successor } },
    });
    const now = [smallManifest(declare(secret)), smallLedger(before, open)] as const;
    const facts = await smallFacts({ clients }, ...now, states('changed', 'same'));
    const [bound] = bindClients(facts).clients;
    assert.deepEqual(bound?.record?.digests, digests, 'the secret is compared with what was sent last');
    assert.deepEqual(linesOf(planChanges(facts)), [
      `adopt ${github}: taken-over`,
      `delete ${github} (oc-1): replaced`,
      unlinks('replace'),
    ]);
    assert.match(
      planChanges(facts).steps.flatMap((step) => readMember(step, 'risks') ?? [])[1] ?? '',
      /not to the client that stays: prj-late$/,
    );
    assert.deepEqual(
      linesOf(planChanges(facts.with(states('same', 'changed')))),
      [`adopt ${github}: found`, `delete ${github} (oc-2): replaced`, unlinks('replace', 'oc-2')],
      'the old secret is declared again',
    );
    assert.equal(planChanges(facts.with(states('changed', 'changed'))).steps[1]?.action, 'replace');
  });
});
