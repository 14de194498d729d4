/** The rows of the planning table of clients (docs/architecture.md). The group of a row is the decision of the table. */
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
import { type ClientDecision, describeRows, type Rows } from '../../support/planning-rows';
import { clientDocument } from '../../support/small-world';

const rows: Readonly<Record<ClientDecision, Rows<ClientRow>>> = {
  forget: {
    'a new entry equals the client that a forget line names': {
      manifest: `${declare({}, 'hub')}forget: [OAuthClient/github]\n`,
      record: recordClient(),
      existing: [existingClient],
      plan: [`forget ${github}: forget-line`, 'possible-match OAuthClient/hub'],
    },
    'the forget line has its id': {
      manifest: 'forget: [OAuthClient/oc-1]\n',
      record: recordClient(),
      existing: [existingClient],
      plan: [`forget ${github}: forget-line`],
    },
    'its predecessor is forgotten with it': {
      manifest: `forget: [${github}]\n`,
      record: recordClient('oc-2', { retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2')],
      plan: [`forget ${github}: forget-line`],
    },
  },
  nothing: {
    'nothing declares it, and its pending create made nothing': {
      pending: pendingCreate(120),
      plan: [`drop pending ${github}: nothing-made`],
    },
  },
  delete: {
    'a new entry has the URLs of the undeclared client and another name': {
      manifest: declare({ name: 'Other' }, 'hub'),
      record: recordClient(),
      existing: [existingClient],
      plan: [
        `create OAuthClient/hub: new`,
        `delete ${github}: removed-from-manifest`,
        approvalNeeded('destroy'),
        'note OAuthClient/hub',
      ],
    },
    'a new entry equals the client whose deletion is approved': {
      manifest: `${declare({}, 'hub')}approved: [{ destroy: ${github}, id: oc-1 }]\n`,
      record: recordClient(),
      existing: [existingClient],
      plan: ['create OAuthClient/hub: new', `delete ${github}: removed-from-manifest`],
    },
    'the approvals name another id, another address and a replace': {
      manifest: `approved: [{ destroy: ${github}, id: oc-2 }, { destroy: OAuthClient/hub, id: oc-1 }, { replace: ${github}, id: oc-1 }]\n`,
      record: recordClient(),
      existing: [existingClient],
      plan: [
        `delete ${github}: removed-from-manifest`,
        approvalNeeded('destroy'),
        `note ${github}`,
        'note OAuthClient/hub',
        `note ${github}`,
      ],
    },
    'its predecessor is missing': {
      manifest: `approved: [{ destroy: ${github}, id: oc-1 }]\n`,
      record: recordClient('oc-1', { retiring: ['oc-0'] }),
      existing: [existingClient],
      plan: [
        `delete ${github}: removed-from-manifest`,
        `forget ${github} (oc-0): already-gone`,
        '--max-deletes 2',
      ],
    },
    'a forget line with a misspelt id holds the delete': {
      manifest: `forget: [OAuthClient/oc-11]\napproved: [{ destroy: ${github}, id: oc-1 }]\n`,
      record: recordClient(),
      existing: [existingClient],
      plan: ['unknown OAuthClient/oc-11', `unknown ${github}`],
    },
    'a forget line names an unmanaged client by its id': {
      manifest: `forget: [OAuthClient/oc-9]\napproved: [{ destroy: ${github}, id: oc-1 }]\n`,
      record: recordClient(),
      existing: [existingClient, clientDocument('oc-9', { name: 'Other' })],
      plan: [`delete ${github}: removed-from-manifest`, 'note OAuthClient/oc-9'],
    },
  },
  'forget gone': {
    'nothing declares it': {
      record: recordClient(),
      plan: [`forget ${github}: already-gone`],
    },
  },
  'leave alone': {
    'nothing declares it, and the list of clients cannot be read': {
      record: recordClient(),
      hidden: true,
      plan: [`unknown ${github}`],
    },
  },
  'refuse: id differs': {
    'the id line names the client of another entry': {
      manifest: `${declare({ id: 'oc-1', name: 'A' })}${declareEntry('hub')}`,
      ledger: { 'OAuthClient/hub': recordClient() },
      existing: [existingClient],
      plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub'],
    },
    'the id line names the predecessor of another entry': {
      manifest: `${declare({ id: 'oc-1', name: 'A' })}${declareEntry('hub')}`,
      ledger: { 'OAuthClient/hub': recordClient('oc-2', { retiring: ['oc-1'] }) },
      existing: [existingClient, clientDocument('oc-2')],
      plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub'],
    },
    'the id line names the predecessor of an undeclared client': {
      manifest: `${declare({ id: 'oc-1', name: 'A' })}approved: [{ replace: OAuthClient/hub, id: oc-1 }, { destroy: OAuthClient/hub, id: oc-2 }]\n`,
      ledger: { 'OAuthClient/hub': recordClient('oc-2', { retiring: ['oc-1'] }) },
      existing: [existingClient, clientDocument('oc-2')],
      plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub', 'unknown OAuthClient/hub'],
    },
    'the id line names a client that this plan forgets, with its attachments': {
      manifest: `${declare({ id: 'oc-2' })}projectAttachments: [{ oauthClient: github, project: prj-1 }]\nforget: [OAuthClient/hub]\n`,
      record: recordClient(),
      ledger: { 'OAuthClient/hub': recordClient('oc-2'), 'ProjectAttachment/oc-2/prj-1': {} },
      existing: [clientDocument('oc-2', { projectIds: ['prj-1'] })],
      plan: [
        'forget OAuthClient/hub: forget-line',
        `id-conflict ${github}`,
        'unknown ProjectAttachment/github/prj-1',
      ],
    },
    'it is recorded, and the id line names an undeclared client': {
      manifest: `${declare({ id: 'oc-2' })}approved: [{ destroy: OAuthClient/hub, id: oc-2 }]\n`,
      record: recordClient(),
      ledger: { 'OAuthClient/hub': recordClient('oc-2'), 'ProjectAttachment/oc-2/prj-1': {} },
      existing: [existingClient, clientDocument('oc-2', { projectIds: ['prj-1'] })],
      plan: [`id-conflict ${github}`, 'unknown OAuthClient/hub', 'unknown ProjectAttachment/hub/prj-1'],
    },
    'a new entry equals the recorded client, and the id line names another one': {
      manifest: `${declare({ id: 'oc-2' })}${declareEntry('hub')}`,
      record: recordClient(),
      ledger: { 'OAuthClient/old': recordClient('oc-2') },
      existing: [existingClient, clientDocument('oc-2')],
      plan: [`id-conflict ${github}`, 'possible-match OAuthClient/hub', 'unknown OAuthClient/old'],
    },
    'a new entry equals the recorded client of an entry whose id line names another one': {
      manifest: `${declare({ id: 'oc-2', name: 'Other' })}${declareEntry('hub')}`,
      record: recordClient(),
      existing: [existingClient, clientDocument('oc-2', { name: 'Other' })],
      plan: [`id-conflict ${github}`, 'possible-match OAuthClient/hub'],
    },
  },
  compare: {
    'a delayed create made an equal client': {
      manifest: declare(),
      record: recordClient(),
      existing: [existingClient, createdClient('oc-2', 600)],
      plan: [`note ${github}`],
    },
    'the entry allows the equal client': {
      manifest: declare({ allowDuplicate: '[oc-2]' }),
      record: recordClient(),
      existing: [existingClient, createdClient('oc-2', 600)],
      plan: [],
    },
    'an older equal client exists': {
      manifest: declare(),
      record: recordClient(),
      existing: [existingClient, clientDocument('oc-2', { createdAt: '2024-01-01T00:00:00.000Z' })],
      plan: [`note ${github}`],
    },
    'a change needs a replace, and the token of the client is not declared': {
      manifest: `${declare(newUrl)}approved: [{ replace: ${github}, id: oc-1 }]\n`,
      record: recordClient(),
      existing: [clientDocument('oc-1', { oauthTokenIds: ['ot-1'] })],
      plan: [`secret-needed ${github}`],
    },
    'the id line names the client of another entry, which is missing': {
      manifest: `${declare({ id: 'oc-2' })}${declareEntry('hub', { name: 'Hub' })}`,
      record: recordClient(),
      ledger: { 'OAuthClient/hub': recordClient('oc-2') },
      existing: [existingClient],
      plan: ['create OAuthClient/hub: gone'],
    },
    'the id line names the predecessor of another entry, which is missing': {
      manifest: `${declare({ id: 'oc-2' })}${declareEntry('hub', { name: 'Hub' })}`,
      record: recordClient(),
      ledger: {
        'OAuthClient/hub': recordClient('oc-3', { values: { ...values, name: 'Hub' }, retiring: ['oc-2'] }),
      },
      existing: [existingClient, clientDocument('oc-3', { name: 'Hub' })],
      plan: ['forget OAuthClient/hub (oc-2): already-gone'],
    },
    'its predecessor is missing': {
      manifest: declare(),
      record: recordClient('oc-2', { retiring: ['oc-1'] }),
      existing: [clientDocument('oc-2')],
      plan: [`forget ${github} (oc-1): already-gone`],
    },
    'a secret was never written': {
      manifest: declare({ secret: '{ fromEnv: S }' }),
      record: recordClient(),
      existing: [existingClient],
      secretState: 'unknown',
      plan: [`update ${github}: secret-unknown`],
    },
    'the variable of a secret is not set': {
      manifest: declare({ secret: '{ fromEnv: S }' }),
      record: recordClient(),
      existing: [existingClient],
      secretState: { why: 'GIT_TOKEN is not set' },
      plan: [`note ${github}`],
    },
    'a secret changed that only a create can send': {
      manifest: declare(tokenField),
      record: recordClient(),
      existing: [existingClient],
      secretState: 'changed',
      plan: [
        `replace ${github}: secret-changed`,
        `delete ${github} (oc-1): replaced`,
        approvalNeeded('replace'),
      ],
    },
    'the id line of a new entry names an undeclared client, which moves to it': {
      manifest: declare({ id: 'oc-1', name: 'Other' }, 'hub'),
      record: recordClient(),
      existing: [existingClient],
      plan: ['move OAuthClient/hub: renamed', 'update OAuthClient/hub: manifest-changed'],
    },
    'the entry equals its predecessor again': {
      manifest: declare(),
      record: recordClient('oc-2', { values: { ...values, ...newUrl }, retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2', newUrl)],
      plan: [`possible-match ${github}`, `unknown ${github}`],
    },
    'a forget line with a misspelt id holds the delete of a replaced client': {
      manifest: `${declare(newUrl)}forget: [OAuthClient/oc-11]\napproved: [{ replace: ${github}, id: oc-1 }]\n`,
      record: recordClient(),
      existing: [existingClient],
      plan: [`replace ${github}: manifest-changed`, 'unknown OAuthClient/oc-11', `unknown ${github}`],
    },
    'a forget line with a misspelt id holds the delete of the predecessor': {
      manifest: `${declare()}forget: [OAuthClient/oc-11]\napproved: [{ replace: ${github}, id: oc-1 }]\n`,
      record: recordClient('oc-2', { retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2')],
      plan: ['unknown OAuthClient/oc-11', `unknown ${github}`],
    },
    'a new entry equals the client before its name changes': {
      manifest: `${declare({ id: 'oc-1', name: 'Other' })}${declareEntry('hub')}`,
      record: recordClient(),
      existing: [existingClient],
      plan: ['create OAuthClient/hub: new', `update ${github}: manifest-changed`],
    },
    'the deletion of its predecessor is approved': {
      manifest: `${declare()}approved: [{ destroy: ${github}, id: oc-1 }]\n`,
      record: recordClient('oc-2', { retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2')],
      plan: [`delete ${github} (oc-1): replaced`],
    },
  },
  adopt: {
    'the id line names an unmanaged client': {
      manifest: declare({ id: 'oc-1' }),
      existing: [existingClient],
      plan: [`adopt ${github}: found`],
    },
    'the id line names a client that lists do not show yet': {
      manifest: declare({ id: 'oc-1' }),
      existing: [existingClient],
      unlisted: ['oc-1'],
      plan: [`adopt ${github}: found`],
    },
    'a new entry equals the client that this entry adopts': {
      manifest: `${declare({ id: 'oc-1' })}${declareEntry('hub')}`,
      existing: [existingClient],
      plan: [`adopt ${github}: found`, 'possible-match OAuthClient/hub'],
    },
  },
  'refuse: id missing': {
    'the id line names no client': { manifest: declare({ id: 'oc-9' }), plan: [`id-missing ${github}`] },
    'the id line names the missing client of another entry': {
      manifest: `${declare({ id: 'oc-2' })}${declareEntry('hub', { name: 'Hub' })}`,
      ledger: { 'OAuthClient/hub': recordClient('oc-2') },
      plan: ['create OAuthClient/hub: gone', `id-missing ${github}`],
    },
  },
  create: {
    'nothing like it exists': { manifest: declare(), plan: ['create OAuthClient/github: new'] },
    'a client with another name exists': {
      manifest: declare(),
      existing: [clientDocument('oc-1', { name: 'Other' })],
      plan: [`create ${github}: new`],
    },
    'the entry lacks what its provider needs': {
      manifest: declare({ serviceProvider: 'provider_c_server' }),
      plan: [`missing-fields ${github}`],
    },
    'the list of clients cannot be read': { manifest: declare(), hidden: true, plan: [`unknown ${github}`] },
    'the recorded client is missing, and its predecessor exists': {
      manifest: declare(),
      record: recordClient('oc-2', { retiring: ['oc-1'] }),
      existing: [existingClient],
      plan: [`possible-match ${github}`, `unknown ${github}`],
    },
    'the id line names the recorded client, which is missing': {
      manifest: declare({ id: 'oc-1' }),
      record: recordClient(),
      plan: [`create ${github}: gone`],
    },
    'a new entry equals the predecessor of an undeclared client': {
      manifest: `${declare({}, 'hub')}approved: [{ replace: ${github}, id: oc-1 }]\n`,
      record: recordClient('oc-2', { values: { ...values, ...newUrl }, retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2', newUrl)],
      plan: ['possible-match OAuthClient/hub', `unknown ${github}`, `unknown ${github}`],
    },
    'the missing client moved to an equal entry': {
      manifest: declare({}, 'hub'),
      record: recordClient(),
      plan: ['move OAuthClient/hub: renamed', 'create OAuthClient/hub: gone'],
    },
    'a new entry equals the predecessor of another entry': {
      manifest: `${declare()}${declareEntry('hub')}`,
      record: recordClient('oc-2', { retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2')],
      plan: ['create OAuthClient/hub: new', `delete ${github} (oc-1): replaced`, approvalNeeded('replace')],
    },
    'a new entry equals a predecessor that a forget line names': {
      manifest: `${declare(newUrl)}${declareEntry('hub')}forget: [OAuthClient/oc-1]\n`,
      record: recordClient('oc-2', { values: { ...values, ...newUrl }, retiring: ['oc-1'] }),
      existing: [existingClient, clientDocument('oc-2', newUrl)],
      plan: [`forget ${github} (oc-1): forget-line`, 'possible-match OAuthClient/hub'],
    },
    'the recorded client is missing, and an equal one exists': {
      manifest: declare(),
      record: recordClient('oc-2'),
      existing: [clientDocument('oc-3')],
      plan: [`possible-match ${github}`],
    },
  },
};

const atNewUrl = { values: { ...values, ...newUrl } };
const thirdUrl = { httpUrl: 'https://third.example.com' };
const approvedReplace = (id: string, address = github) => `approved: [{ replace: ${address}, id: ${id} }]\n`;

/** A new client would be equal to one that this plan or a later one would delete. */
const protectedRows: Rows<ClientRow> = {
  'a replaced entry equals the client that another entry gives up': {
    manifest: `${declare(newUrl)}${declareEntry('hub', thirdUrl)}${approvedReplace('oc-2', 'OAuthClient/hub')}`,
    record: recordClient(),
    ledger: { 'OAuthClient/hub': recordClient('oc-2', atNewUrl) },
    existing: [existingClient, clientDocument('oc-2', newUrl)],
    plan: [
      'replace OAuthClient/hub: manifest-changed',
      `possible-match ${github}`,
      'unknown OAuthClient/hub',
    ],
  },
  'a new entry equals the client that an entry with an id line gives up': {
    manifest: `${declare({ ...newUrl, id: 'oc-1' })}${declareEntry('hub')}${approvedReplace('oc-1')}`,
    record: recordClient(),
    existing: [existingClient],
    plan: [`replace ${github}: manifest-changed`, 'possible-match OAuthClient/hub', `unknown ${github}`],
  },
  'a new entry equals a predecessor that its own entry no longer describes': {
    manifest: `${declare(newUrl)}${declareEntry('hub')}${approvedReplace('oc-1')}`,
    record: recordClient('oc-2', { ...atNewUrl, retiring: ['oc-1'] }),
    existing: [existingClient, clientDocument('oc-2', newUrl)],
    plan: ['possible-match OAuthClient/hub', `unknown ${github}`],
  },
  'a new entry equals the predecessor of an entry with an id line': {
    manifest: `${declare({ ...newUrl, id: 'oc-1' })}${declareEntry('hub')}${approvedReplace('oc-1')}`,
    record: recordClient('oc-2', { ...atNewUrl, retiring: ['oc-1'] }),
    existing: [existingClient, clientDocument('oc-2', newUrl)],
    plan: ['possible-match OAuthClient/hub', `unknown ${github}`],
  },
  'a replaced entry equals the predecessor of another one': {
    manifest: `${declare(newUrl)}${declareEntry('hub')}${approvedReplace('oc-1')}`,
    record: recordClient('oc-2', { ...atNewUrl, retiring: ['oc-1'] }),
    ledger: { 'OAuthClient/hub': recordClient('oc-3', { values: { ...values, ...thirdUrl } }) },
    existing: [existingClient, clientDocument('oc-2', newUrl), clientDocument('oc-3', thirdUrl)],
    plan: ['possible-match OAuthClient/hub', `unknown ${github}`],
  },
  'a replaced entry equals an undeclared client': {
    manifest: declare({}, 'hub'),
    record: recordClient(),
    ledger: { 'OAuthClient/hub': recordClient('oc-3', { values: { ...values, ...thirdUrl } }) },
    existing: [existingClient, clientDocument('oc-3', thirdUrl)],
    plan: ['possible-match OAuthClient/hub', `unknown ${github}`],
  },
  'the manifest allows the client that another entry gives up': {
    manifest: `${declare({ ...newUrl, allowDuplicate: '[oc-2]' })}${declareEntry('hub', thirdUrl)}${approvedReplace('oc-2', 'OAuthClient/hub')}`,
    record: recordClient(),
    ledger: { 'OAuthClient/hub': recordClient('oc-2', atNewUrl) },
    existing: [existingClient, clientDocument('oc-2', newUrl)],
    plan: [
      `replace ${github}: manifest-changed`,
      'replace OAuthClient/hub: manifest-changed',
      `delete ${github} (oc-1): replaced`,
      'delete OAuthClient/hub (oc-2): replaced',
      approvalNeeded('replace'),
      '--max-deletes 2',
    ],
  },
  'a replaced entry equals the create of another address, which may still be executed': {
    manifest: `${declare({ name: 'Other' })}${declareEntry('hub', newUrl)}${approvedReplace('oc-1', 'OAuthClient/hub')}`,
    ledger: { 'OAuthClient/hub': recordClient() },
    pending: pendingCreate(10, atNewUrl),
    existing: [existingClient],
    plan: [`create-pending ${github}`, 'create-pending OAuthClient/hub'],
  },
  'a forget line names the client that is replaced': {
    manifest: `${declare(newUrl)}forget: [OAuthClient/oc-1]\n${approvedReplace('oc-1')}`,
    record: recordClient(),
    existing: [existingClient],
    plan: [`replace ${github}: manifest-changed`, `forget ${github} (oc-1): forget-line`],
  },
};

const undecidedRows: Rows<ClientRow> = {
  'the forget line names an unmanaged client': {
    manifest: `forget: [${github}]\n`,
    existing: [existingClient],
    plan: [`note ${github}`],
  },
};

for (const [decision, rowsOfDecision] of Object.entries(rows)) {
  describeRows(
    `a client that the table decides to "${decision}"`,
    clientTable,
    decision,
    rowsOfDecision,
    clientFacts,
  );
}
describeRows('a client beside an equal one', clientTable, null, protectedRows, clientFacts);
describeRows('a client that no row of the table decides', clientTable, null, undecidedRows, clientFacts);
