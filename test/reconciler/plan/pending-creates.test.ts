/** The rules of `bind.ts` for pending creates, which come before the planning table. */
import assert from 'node:assert/strict';
import { bindClients } from '../../../reconciler/plan/bind';
import type { SecretState } from '../../../reconciler/plan/inputs';
import { planChanges } from '../../../reconciler/plan/make';
import { readMember } from '../../../reconciler/plan/plan';
import { clientTable } from '../../../reconciler/plan/table';
import { githubFields as values } from '../../support/acme';
import {
  approvalNeeded,
  type ClientRow,
  clientFacts,
  createdClient,
  declare,
  declareEntry,
  existingClient,
  github,
  newUrl,
  pendingCreate,
  recordClient,
  tokenField,
} from '../../support/client-rows';
import { describeRows, type Rows } from '../../support/planning-rows';
import { clientDocument, planLines, smallFacts, smallLedger, smallManifest } from '../../support/small-world';

const rows: Rows<ClientRow> = {
  'the equal client existed before the create': {
    manifest: declare(),
    pending: pendingCreate(130, { existing: ['oc-1'] }),
    existing: [createdClient('oc-1', 130)],
    plan: [`drop pending ${github}: nothing-made`, `possible-match ${github}`],
  },
  'the equal client belongs to another entry': {
    manifest: `${declare()}${declareEntry('hub')}`,
    ledger: { 'OAuthClient/hub': recordClient() },
    pending: pendingCreate(130),
    existing: [createdClient('oc-1', 130)],
    plan: [`create ${github}: new`],
  },
  'a client with another key appeared': {
    manifest: declare(),
    pending: pendingCreate(30),
    existing: [createdClient('oc-1', 29, { key: 'k' })],
    plan: [`create-pending ${github}`],
  },
  'its client is found, and a forget line names the address': {
    manifest: `forget: [${github}]\n`,
    pending: pendingCreate(30),
    existing: [createdClient('oc-1', 29)],
    plan: [`adopt ${github}: taken-over`, `forget ${github}: forget-line`],
  },
  'its client is found, and a forget line names the id': {
    manifest: 'forget: [OAuthClient/oc-1]\n',
    pending: pendingCreate(120),
    existing: [createdClient('oc-1', 119)],
    plan: [`drop pending ${github}: nothing-made`],
  },
  'no client is found, and it may still appear': {
    manifest: declare(),
    pending: pendingCreate(119),
    plan: [`create-pending ${github}`],
  },
  'no client is found after two minutes': {
    manifest: declare(),
    pending: pendingCreate(120),
    plan: [`create ${github}: new`],
  },
  'a forget line names it, and no client is found after two minutes': {
    manifest: `forget: [${github}]\n`,
    pending: pendingCreate(120),
    plan: [`drop pending ${github}: forget-line`],
  },
  'a forget line names it, and its client may still appear': {
    manifest: `forget: [${github}]\n`,
    pending: pendingCreate(30),
    plan: [`drop pending ${github}: forget-line`],
  },
  'a forget line names it, and two clients may be it': {
    manifest: `forget: [${github}]\n`,
    pending: pendingCreate(30),
    existing: [createdClient('oc-1', 29), createdClient('oc-2', 28)],
    plan: [`drop pending ${github}: forget-line`],
  },
  'a forget line names it beside a recorded client with an attachment': {
    manifest: `forget: [${github}]\n`,
    record: recordClient(),
    ledger: { 'ProjectAttachment/oc-1/prj-1': {} },
    pending: pendingCreate(30, { values: { ...values, ...newUrl } }),
    existing: [clientDocument('oc-1', { projectIds: ['prj-1'] })],
    plan: [`forget ${github}: forget-line`, `drop pending ${github}: forget-line`],
  },
  'a forget line has the id of the recorded client, and its successor may still appear': {
    manifest: 'forget: [OAuthClient/oc-1]\n',
    record: recordClient(),
    pending: pendingCreate(30, { values: { ...values, ...newUrl } }),
    existing: [existingClient],
    plan: [`forget ${github}: forget-line`, `create-pending ${github}`],
  },
  'a forget line has the id of the recorded client, and its successor is found': {
    manifest: 'forget: [OAuthClient/oc-1]\n',
    record: recordClient(),
    pending: pendingCreate(30, { values: { ...values, ...newUrl } }),
    existing: [existingClient, createdClient('oc-2', 29, newUrl)],
    plan: [
      `adopt ${github}: taken-over`,
      `delete ${github}: removed-from-manifest`,
      `forget ${github} (oc-1): forget-line`,
      approvalNeeded('destroy', 'oc-2'),
    ],
  },
  'two clients may be it': {
    manifest: declare(),
    pending: pendingCreate(30),
    existing: [createdClient('oc-1', 29), createdClient('oc-2', 28)],
    plan: [`several-made ${github}`],
  },
  'two clients may be it, and the id line names one of them': {
    manifest: declare({ id: 'oc-2' }),
    pending: pendingCreate(30),
    existing: [createdClient('oc-1', 29), createdClient('oc-2', 28)],
    plan: [`adopt ${github}: found`, `note ${github}`],
  },
  'an equal entry stands under another address': {
    manifest: declare({}, 'hub'),
    pending: pendingCreate(60),
    plan: [`create-pending ${github}`, 'create-pending OAuthClient/hub'],
  },
  'its client is found, and an equal entry stands under another address': {
    manifest: declare({}, 'hub'),
    pending: pendingCreate(30),
    existing: [createdClient('oc-1', 29)],
    plan: [`adopt ${github}: taken-over`, 'move OAuthClient/hub: renamed'],
  },
  'an entry with another name stands under another address': {
    manifest: declare({ name: 'Other' }, 'hub'),
    pending: pendingCreate(60),
    plan: ['create OAuthClient/hub: new', `create-pending ${github}`],
  },
  'the recorded client equals the entry again': {
    manifest: declare(),
    record: recordClient(),
    pending: pendingCreate(30, { values: { ...values, ...newUrl } }),
    existing: [existingClient, createdClient('oc-2', 29, newUrl)],
    plan: [`adopt ${github}: found`, `delete ${github} (oc-2): replaced`, approvalNeeded('replace', 'oc-2')],
  },
  'the recorded client is missing': {
    manifest: declare(),
    record: recordClient(),
    pending: pendingCreate(30),
    existing: [createdClient('oc-2', 29)],
    plan: [`adopt ${github}: taken-over`],
  },
  'no client is found, and the id line names one that cannot be adopted': {
    manifest: declare({ id: 'oc-1', ...newUrl }),
    pending: pendingCreate(130),
    existing: [existingClient],
    plan: [`drop pending ${github}: nothing-made`, `cannot-adopt ${github}`],
  },
  'its client is found, and the id line names the client of another entry': {
    manifest: `${declare({ id: 'oc-1' })}${declareEntry('hub', { name: 'Other' })}`,
    ledger: { 'OAuthClient/hub': recordClient('oc-1', { values: { ...values, name: 'Other' } }) },
    pending: pendingCreate(30),
    existing: [clientDocument('oc-1', { name: 'Other' }), createdClient('oc-2', 29)],
    plan: [`adopt ${github}: taken-over`, `id-conflict ${github}`, 'unknown OAuthClient/hub'],
  },
};

describeRows('a client with a pending create', clientTable, null, rows, clientFacts);

describe('a replacement that was killed', () => {
  it('links that its POST carried are those of the successor: one that no line declares any more is deleted there', async () => {
    const projectIds = ['prj-payments', 'prj-shop'];
    const sent = { ...newUrl, organizationScoped: false, projectIds };
    const clients = [
      clientDocument('oc-1', { organizationScoped: false, projectIds: [...projectIds, 'prj-data'] }),
      createdClient('oc-2', 29, sent),
    ];
    const recordedIds = [...projectIds, 'prj-data'];
    const links = Object.fromEntries(recordedIds.map((id) => [`ProjectAttachment/oc-1/${id}`, {}]));
    const ledgerPending = { [github]: pendingCreate(30, { values: { ...values, ...sent } }) };
    const ledger = smallLedger({ [github]: recordClient('oc-1'), ...links }, ledgerPending);
    const manifest = `${declare({ ...newUrl, organizationScoped: 'false' })}projectAttachments: [{ oauthClient: github, project: prj-payments }]\n`;
    const { steps } = planChanges(await smallFacts({ clients }, smallManifest(manifest), ledger));
    assert.deepEqual(
      steps.map(({ action, key, objectId, reason }) =>
        [action, ...key, objectId, reason].filter(Boolean).join(' '),
      ),
      [
        'adopt OAuthClient github oc-2 taken-over',
        'delete ProjectAttachment oc-2 prj-shop removed-from-manifest',
        'delete OAuthClient github oc-1 replaced',
      ],
    );
  });

  it('order of a forgotten predecessor: it is dropped after the step that records its successor', async () => {
    const clients = [clientDocument('oc-2'), createdClient('oc-3', 29, newUrl)];
    const ledgerPending = { [github]: pendingCreate(30, { values: { ...values, ...newUrl } }) };
    const ledger = smallLedger({ [github]: recordClient('oc-2', { retiring: ['oc-1'] }) }, ledgerPending);
    const { steps } = planChanges(await smallFacts({ clients }, smallManifest(declare(newUrl)), ledger));
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
    const clients = [clientDocument('oc-1', { projectIds: ['prj-late'] }), createdClient('oc-2', 29)];
    const digests = { oauthTokenString: 'scrypt:new' };
    const before = { [github]: recordClient('oc-1', { digests: { oauthTokenString: 'scrypt:old' } }) };
    const ledgerPending = { [github]: pendingCreate(30, { digests, existing: ['oc-1'], values }) };
    const states = (old: SecretState, successor: SecretState) => ({
      secrets: { 'oc-1': { oauthTokenString: old }, 'oc-2': { oauthTokenString: successor } },
    });
    const rest = [smallManifest(declare(tokenField)), smallLedger(before, ledgerPending)] as const;
    const facts = await smallFacts({ clients }, ...rest, states('changed', 'same'));
    const [bound] = bindClients(facts).clients;
    assert.deepEqual(bound?.record?.digests, digests, 'the secret is compared with what was sent last');
    assert.deepEqual(planLines(planChanges(facts)), [
      `adopt ${github}: taken-over`,
      `delete ${github} (oc-1): replaced`,
      approvalNeeded('replace'),
    ]);
    assert.match(
      planChanges(facts).steps.flatMap((step) => readMember(step, 'risks') ?? [])[1] ?? '',
      /not to the client that stays: prj-late$/,
    );
    assert.deepEqual(
      planLines(planChanges(facts.with(states('same', 'changed')))),
      [`adopt ${github}: found`, `delete ${github} (oc-2): replaced`, approvalNeeded('replace', 'oc-2')],
      'the old secret is declared again',
    );
    assert.equal(planChanges(facts.with(states('changed', 'changed'))).steps[1]?.action, 'replace');
  });
});
