/** The rows of the planning table of links (docs/architecture.md), for attachments, and those that are planned with their clients. */
import type { Ledger } from '../../../reconciler/ledger/ledger';
import { linkTable } from '../../../reconciler/plan/table';
import { clientEntry, githubFields as values } from '../../support/acme';
import { type LinkRow, linkFacts, oneMinuteAgo } from '../../support/link-rows';
import { describeRows, type LinkDecision, type Rows } from '../../support/planning-rows';
import { clientDocument, longAgo } from '../../support/small-world';

const declareClient = (more = '') =>
  `oauthClients:\n${clientEntry('github', { oauthTokenString: null })}${more}`;
const attachmentLine = 'projectAttachments:\n  - { oauthClient: github, project: shop }\n';

const githubRecord: Ledger['objects'] = {
  'OAuthClient/github': { id: 'oc-1', createdAt: longAgo, values, digests: {} },
};
const shopRecord: Ledger['objects'] = { 'ProjectAttachment/oc-1/prj-shop': {} };
const clientWithShop = [clientDocument('oc-1', { projectIds: ['prj-shop'] })];
const hubFields = {
  ...values,
  name: 'Hub',
  httpUrl: 'https://hub.example.com',
  apiUrl: 'https://hub.example.com',
};
/** A client that cannot be created, because its provider needs more, with an attachment. */
const hubWithoutKey = `  hub: { name: Hub, serviceProvider: provider_c_server, httpUrl: https://hub.example.com, apiUrl: https://hub.example.com }\n${attachmentLine.replace('github', 'hub')}`;

const adoptAttachment = 'adopt ProjectAttachment/github/shop: found';
const sameObject = 'same-object ProjectAttachment/oc-1/shop';

const rows: Readonly<Partial<Record<LinkDecision, Rows<LinkRow>>>> = {
  forget: {
    'a forget line names it, and its client has a problem': {
      manifest: `${declareClient('    id: oc-2\n')}forget: [ProjectAttachment/github/shop]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: [...clientWithShop, clientDocument('oc-2')],
      plan: ['forget ProjectAttachment/github/shop: forget-line', 'id-conflict OAuthClient/github'],
    },
    'a forget line names it by the id of its client': {
      manifest: `${declareClient()}forget: [ProjectAttachment/oc-1/prj-shop]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: ['forget ProjectAttachment/github/shop: forget-line'],
    },
    'a forget line names it by the earlier address of its client': {
      manifest: `${declareClient().replace('github:', 'hub:')}forget: [ProjectAttachment/github/shop]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: ['move OAuthClient/hub: renamed', 'forget ProjectAttachment/hub/shop: forget-line'],
    },
    'a forget line names it by the new address of its client': {
      manifest: `${declareClient().replace('github:', 'hub:')}forget: [ProjectAttachment/hub/shop]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: ['move OAuthClient/hub: renamed', 'forget ProjectAttachment/hub/shop: forget-line'],
    },
  },
  keep: {
    'it exists and is recorded': {
      manifest: declareClient() + attachmentLine,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: [],
    },
    'its client moves to a new address': {
      manifest: declareClient().replace('github:', 'hub:') + attachmentLine.replace('github', 'hub'),
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: ['move OAuthClient/hub: renamed'],
    },
    'a forget line names a declared one by the id of its client': {
      manifest: `${declareClient('    projects: [shop]\n')}forget: [ProjectAttachment/oc-1/prj-shop]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: ['note ProjectAttachment/github/shop'],
    },
  },
  adopt: {
    'it exists': {
      manifest: declareClient() + attachmentLine,
      ledger: githubRecord,
      clients: clientWithShop,
      plan: [adoptAttachment],
    },
    'it names an unmanaged client by its id': {
      manifest: 'projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n',
      clients: clientWithShop,
      plan: ['adopt ProjectAttachment/oc-1/shop: found'],
    },
    'a line is left alone, and its client narrows its scope': {
      manifest: `${declareClient('    organizationScoped: false\n')}${attachmentLine}  - { oauthClient: oc-1, project: shop }\n`,
      ledger: githubRecord,
      clients: clientWithShop,
      plan: [adoptAttachment, sameObject, 'unknown OAuthClient/github'],
    },
    'a line is left alone, and its client widens its scope': {
      manifest: `${declareClient('    organizationScoped: true\n')}${attachmentLine}  - { oauthClient: oc-1, project: shop }\n`,
      ledger: githubRecord,
      clients: clientWithShop.map((document) => ({ ...document, organizationScoped: false })),
      plan: [adoptAttachment, 'update OAuthClient/github: manifest-changed', sameObject],
    },
  },
  create: {
    'two lines name its client, by address and by id': {
      manifest: `${declareClient()}${attachmentLine}  - { oauthClient: oc-1, project: shop }\n`,
      ledger: githubRecord,
      clients: [clientDocument('oc-1')],
      plan: ['create ProjectAttachment/github/shop: new', sameObject],
    },
    'it names by its id a client that is replaced': {
      manifest: `${declareClient('    organizationScoped: false\n').replaceAll('git.example', 'new.example')}projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n`,
      ledger: githubRecord,
      clients: [clientDocument('oc-1')],
      plan: ['create ProjectAttachment/oc-1/shop: new', 'named-by-id OAuthClient/github'],
    },
  },
  'leave alone': {
    'its client is young and not listed': {
      manifest: declareClient(),
      ledger: {
        'OAuthClient/github': { id: 'oc-1', createdAt: oneMinuteAgo, values, digests: {} },
        ...shopRecord,
      },
      plan: ['unknown OAuthClient/github', 'unknown ProjectAttachment/github/shop'],
    },
    'it names by its id a client that the id line of another entry names': {
      manifest: `${declareClient('    id: oc-2\n')}  hub: { name: Hub, serviceProvider: provider_a, httpUrl: https://hub.example.com, apiUrl: https://hub.example.com }\nprojectAttachments:\n  - { oauthClient: oc-2, project: shop }\n`,
      ledger: {
        ...githubRecord,
        'OAuthClient/hub': { id: 'oc-2', createdAt: longAgo, values: hubFields, digests: {} },
        'ProjectAttachment/oc-2/prj-shop': {},
      },
      clients: [clientDocument('oc-1'), clientDocument('oc-2', { ...hubFields, projectIds: ['prj-shop'] })],
      plan: [
        'id-conflict OAuthClient/github',
        'unknown OAuthClient/hub',
        `unknown ProjectAttachment/github/shop`,
        `unknown ProjectAttachment/hub/shop`,
      ],
    },
    'nothing declares it, and the replacement of its client is refused': {
      manifest: declareClient('    projects: []\n').replaceAll('git.example', 'hub.example'),
      ledger: { ...githubRecord, ...shopRecord },
      clients: [
        ...clientWithShop,
        clientDocument('oc-2', { ...hubFields, name: 'GitHub', apiUrl: `${hubFields.apiUrl}/api/v3` }),
      ],
      plan: ['possible-match OAuthClient/github', 'unknown ProjectAttachment/github/shop'],
    },
  },
  delete: {
    'it names the predecessor of its client by its id': {
      manifest: `${declareClient()}projectAttachments:\n  - { oauthClient: oc-0, project: shop }\n`,
      ledger: {
        'OAuthClient/github': { id: 'oc-1', createdAt: longAgo, values, digests: {}, retiring: ['oc-0'] },
        ...shopRecord,
      },
      clients: [clientDocument('oc-0'), ...clientWithShop],
      plan: [
        `unknown ProjectAttachment/oc-0/shop`,
        `unknown ProjectAttachment/github/shop`,
        'unknown OAuthClient/github',
      ],
    },
    'it names by its id a client whose exact set does not list it': {
      manifest: `${declareClient('    projects: []\n')}projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n`,
      ledger: { ...githubRecord, 'ProjectAttachment/oc-9/prj-shop': {} },
      clients: [...clientWithShop, clientDocument('oc-9', { ...hubFields, projectIds: ['prj-shop'] })],
      plan: [sameObject, `unknown ProjectAttachment/oc-9/shop`],
    },
    'a forget line in another case holds its delete': {
      manifest: `${declareClient()}forget: [ProjectAttachment/GitHub/shop]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: ['unknown ProjectAttachment/GitHub/shop', `unknown ProjectAttachment/github/shop`],
    },
    'a forget line names an unmanaged attachment': {
      manifest: `${declareClient()}forget: [ProjectAttachment/github/data]\n`,
      ledger: { ...githubRecord, ...shopRecord },
      clients: [clientDocument('oc-1', { projectIds: ['prj-shop', 'prj-data'] })],
      plan: [
        'delete ProjectAttachment/github/shop: removed-from-manifest',
        'note ProjectAttachment/github/data',
      ],
    },
    'the line of a client with a problem holds its delete': {
      manifest: declareClient() + hubWithoutKey,
      ledger: { ...githubRecord, ...shopRecord },
      clients: clientWithShop,
      plan: [
        'missing-fields OAuthClient/hub',
        `unknown ProjectAttachment/hub/shop`,
        `unknown ProjectAttachment/github/shop`,
      ],
    },
  },
  'delete unmanaged': {
    'the exact set of its client does not list it': {
      manifest: declareClient('    projects: [data]\n'),
      ledger: githubRecord,
      clients: clientWithShop,
      plan: [
        'create ProjectAttachment/github/data: new',
        'delete ProjectAttachment/github/shop (oc-1/prj-shop): not-in-exact-set, unmanaged',
        '--max-deletes 1',
      ],
    },
  },
};

const rowsWithClient: Rows<LinkRow> = {
  'its client is created': {
    manifest: declareClient() + attachmentLine,
    plan: ['create OAuthClient/github: new', 'create ProjectAttachment/github/shop: new'],
  },
  'it is unmanaged': { manifest: declareClient(), ledger: githubRecord, clients: clientWithShop, plan: [] },
  'its undeclared client is missing': {
    ledger: { ...githubRecord, ...shopRecord },
    plan: ['forget OAuthClient/github: already-gone'],
  },
  'it names a missing client by its id': {
    manifest: 'projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n',
    plan: ['unknown ProjectAttachment/oc-1/shop'],
  },
  'its client moves, is not listed, and is young': {
    manifest: declareClient().replace('github:', 'hub:') + attachmentLine.replace('github', 'hub'),
    ledger: {
      'OAuthClient/github': { id: 'oc-1', createdAt: oneMinuteAgo, values, digests: {} },
      ...shopRecord,
    },
    plan: ['move OAuthClient/hub: renamed', 'unknown OAuthClient/hub', `unknown ProjectAttachment/hub/shop`],
  },
  'nothing declares it, and its client is created again': {
    manifest: declareClient(),
    ledger: { ...githubRecord, ...shopRecord },
    plan: ['create OAuthClient/github: gone'],
  },
  'its client has a problem': {
    manifest: declareClient('    id: oc-2\n') + attachmentLine,
    ledger: { ...githubRecord, ...shopRecord },
    clients: [...clientWithShop, clientDocument('oc-2')],
    plan: ['id-conflict OAuthClient/github', 'unknown ProjectAttachment/github/shop'],
  },
  'it names the earlier id of a client that is adopted and narrows its scope': {
    manifest: `${declareClient('    id: oc-1\n    organizationScoped: false\n')}projectAttachments:\n  - { oauthClient: oc-9, project: shop }\n`,
    ledger: {
      'OAuthClient/github': { id: 'oc-9', createdAt: longAgo, values, digests: {}, retiring: ['oc-0'] },
    },
    clients: clientWithShop,
    plan: [
      'forget OAuthClient/github (oc-0): already-gone',
      `unknown ProjectAttachment/oc-9/shop`,
      'unknown OAuthClient/github',
      '--max-deletes 2',
    ],
  },
  'its client is replaced by one with a narrower scope': {
    manifest:
      declareClient('    organizationScoped: false\n').replaceAll('git.example', 'new.example') +
      attachmentLine,
    ledger: githubRecord,
    clients: [clientDocument('oc-1')],
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'create ProjectAttachment/github/shop: new',
      'delete OAuthClient/github (oc-1): replaced',
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'a forget line in another case holds the replacement of its client, which would drop it': {
    manifest: `${declareClient().replaceAll('git.example', 'new.example')}forget: [ProjectAttachment/GitHub/shop]\n`,
    ledger: { ...githubRecord, ...shopRecord },
    clients: clientWithShop,
    plan: [
      'unknown OAuthClient/github',
      'unknown ProjectAttachment/github/shop',
      'note ProjectAttachment/GitHub/shop',
    ],
  },
  'the line of a client with a problem holds the delete of its client': {
    manifest: `oauthClients:\n${hubWithoutKey}`,
    ledger: { ...githubRecord, ...shopRecord },
    clients: clientWithShop,
    plan: [
      'missing-fields OAuthClient/hub',
      `unknown ProjectAttachment/hub/shop`,
      'unknown OAuthClient/github',
    ],
  },
  'a forget line names it, and its client is deleted': {
    manifest: `${attachmentLine.replace('github', 'oc-8')}forget: [ProjectAttachment/github/shop]\n`,
    ledger: { ...githubRecord, ...shopRecord },
    clients: clientWithShop,
    plan: [
      'delete OAuthClient/github: removed-from-manifest',
      `unknown ProjectAttachment/oc-8/shop`,
      'needs approved: [{ destroy: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'the line of a client with a problem holds the delete of its replaced client': {
    manifest: declareClient().replaceAll('git.example', 'new.example') + hubWithoutKey,
    ledger: { ...githubRecord, ...shopRecord },
    clients: clientWithShop,
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'missing-fields OAuthClient/hub',
      `unknown ProjectAttachment/hub/shop`,
      'unknown OAuthClient/github',
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'another attachment is left alone, and its client is replaced': {
    manifest: `${declareClient().replaceAll('git.example', 'new.example')}${attachmentLine}  - { oauthClient: oc-8, project: shop }\n`,
    ledger: { ...githubRecord, ...shopRecord },
    clients: clientWithShop,
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'move ProjectAttachment/github/shop: replaced',
      'delete OAuthClient/github (oc-1): replaced',
      `unknown ProjectAttachment/oc-8/shop`,
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'it names an undeclared client by its id': {
    manifest: 'projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n',
    ledger: { ...githubRecord, ...shopRecord },
    clients: clientWithShop,
    plan: [`unknown ProjectAttachment/oc-1/shop`, 'unknown OAuthClient/github'],
  },
};

for (const [decision, rowsOfDecision] of Object.entries(rows)) {
  describeRows(
    `an attachment that the table decides to "${decision}"`,
    linkTable,
    decision,
    rowsOfDecision,
    linkFacts,
  );
}
describeRows('an attachment that is planned with its client', linkTable, null, rowsWithClient, linkFacts);
