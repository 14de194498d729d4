/** The planning table of links: single lines and exact sets, what is recorded and there, and what the plan says of it. */
import assert from 'node:assert/strict';
import type { OAuthClientDocument } from '../../../client/api';
import type { Ledger } from '../../../reconciler/ledger/ledger';
import type { Facts } from '../../../reconciler/plan/facts';
import { planChanges } from '../../../reconciler/plan/make';
import { clientEntry, githubFields as values } from '../../support/acme';
import {
  clientDocument,
  linesOf,
  longAgo,
  smallFacts,
  smallLedger,
  smallManifest,
  smallNow,
  triggerDocument,
} from '../../support/small-world';

const head =
  'aliases: { workspaces: { app: ws-app, docs: ws-docs, net: ws-net, dns: ws-dns }, projects: { shop: prj-shop, data: prj-data } }\n';
const triggers = (...lines: string[]) => `runTriggers:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
const single = triggers('{ target: app, source: net }');
const inbound = triggers('{ target: app, sources: [net] }');
const outbound = triggers('{ source: net, targets: [app] }');
const both = triggers('{ target: app, sources: [net] }', '{ source: dns, targets: [docs] }');
const nothing = triggers('{ target: app, sources: [] }');
const client = (more = '') => `oauthClients:\n${clientEntry('github', { oauthTokenString: null })}${more}`;
const attached = 'projectAttachments:\n  - { oauthClient: github, project: shop }\n';

/** Ledger entries of triggers, by pair and id. */
const recorded = (pairs: Readonly<Record<string, string>>, createdAt = longAgo): Ledger['objects'] =>
  Object.fromEntries(
    Object.entries(pairs).map(([pair, id]) => [
      `RunTrigger/${pair.replace(/(\w+)<(\w+)/, 'ws-$1/ws-$2')}`,
      { id, createdAt },
    ]),
  );
const github: Ledger['objects'] = {
  'OAuthClient/github': { id: 'oc-1', createdAt: longAgo, values, digests: {} },
};
const hub = { ...values, name: 'Hub', httpUrl: 'https://hub.example.com', apiUrl: 'https://hub.example.com' };
const lackingHub = `  hub: { name: Hub, serviceProvider: provider_c_server, httpUrl: https://hub.example.com, apiUrl: https://hub.example.com }\n${attached.replace('github', 'hub')}`;
const shop: Ledger['objects'] = { 'ProjectAttachment/oc-1/prj-shop': {} };
const young = new Date(smallNow - 60_000).toISOString();
const withShop = [clientDocument('oc-1', { projectIds: ['prj-shop'] })];

interface Row {
  readonly says?: string;
  readonly ledger?: Ledger['objects'];
  /** Triggers by id: `{ 'rt-1': 'app<net' }`. */
  readonly there?: Readonly<Record<string, string>>;
  readonly clients?: readonly OAuthClientDocument[];
  readonly hidden?: readonly string[];
  readonly destroy?: true;
  readonly plan: readonly string[];
}

const app = 'RunTrigger/app/net';
const swapped = 'RunTrigger/net/app';
const unknown = 'unknown ProjectAttachment';
const adopted = 'adopt ProjectAttachment/github/shop: found';
const sameObject = 'same-object ProjectAttachment/oc-1/shop';
const rows: Readonly<Record<string, Row>> = {
  declared: { says: single, plan: [`create ${app}: new`] },
  'declared, and there': { says: single, there: { 'rt-1': 'app<net' }, plan: [`adopt ${app}: found`] },
  'declared, and gone': {
    says: single,
    ledger: recorded({ 'app<net': 'rt-1' }),
    plan: [`create ${app}: gone`],
  },
  'declared, and made anew by somebody': {
    says: single,
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-2': 'app<net' },
    plan: [`adopt ${app}: found`],
  },
  'declared, twice there and recorded': {
    says: single,
    ledger: recorded({ 'app<net': 'rt-2' }),
    there: { 'rt-1': 'app<net', 'rt-2': 'app<net' },
    plan: [],
  },
  'declared, and not listed, and young': {
    says: single,
    ledger: recorded({ 'app<net': 'rt-1' }, young),
    plan: [`create ${app}: gone`],
  },
  'declared in two sets of which one cannot be seen': {
    says: inbound + outbound.replace('runTriggers:\n', ''),
    there: { 'rt-1': 'app<dns' },
    hidden: ['ws-net'],
    plan: [`unknown ${app}`, 'unknown the targets of net'],
  },
  'declared, and both ends are hidden': {
    says: single,
    hidden: ['ws-app', 'ws-net'],
    plan: [`unknown ${app}`],
  },

  'not declared any more, and gone': {
    ledger: recorded({ 'app<net': 'rt-1' }),
    plan: [`forget ${app}: already-gone`],
  },
  'not declared any more, and made anew by somebody': {
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-2': 'app<net' },
    plan: [`forget ${app}: already-gone`, `note ${app}`],
  },
  'not declared any more, young, and another trigger of its pair is listed': {
    ledger: recorded({ 'app<net': 'rt-1' }, young),
    there: { 'rt-2': 'app<net' },
    plan: [`forget ${app}: already-gone`, `note ${app}`],
  },
  'not declared any more, and hidden': {
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-1': 'app<net' },
    hidden: ['ws-app', 'ws-net'],
    plan: [`unknown ${app}`],
  },
  'not declared any more, hidden and to be forgotten': {
    says: `forget: [${app}]\n`,
    ledger: recorded({ 'app<net': 'rt-1' }),
    hidden: ['ws-app', 'ws-net'],
    plan: [`forget ${app}: forget-line`],
  },
  'not declared any more, beside a line with its ends swapped': {
    says: `forget: [${swapped}]\n`,
    ledger: recorded({ 'app<net': 'rt-1', 'docs<dns': 'rt-2' }),
    there: { 'rt-1': 'app<net', 'rt-2': 'docs<dns' },
    plan: [`unknown ${swapped}`, `unknown ${app}`, 'unknown RunTrigger/docs/dns'],
  },
  'to be destroyed, beside a line with its ends swapped': {
    says: `forget: [${swapped}]\n`,
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-1': 'app<net' },
    destroy: true,
    plan: [`unknown ${swapped}`, `unknown ${app}`],
  },
  'not declared any more, beside a line that names the unmanaged one the other way': {
    says: `forget: [${swapped}]\n`,
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-1': 'app<net', 'rt-2': 'net<app' },
    plan: [`delete ${app}: removed-from-manifest`, `note ${swapped}`],
  },
  'not declared any more, beside a line of another kind that names nothing': {
    says: 'forget: [OAuthClient/hub]\n',
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-1': 'app<net' },
    plan: [`delete ${app}: removed-from-manifest`, 'note OAuthClient/hub'],
  },
  'off a set, beside a line that names nothing': {
    says: `${inbound}forget: [RunTrigger/app/docs]\n`,
    there: { 'rt-1': 'app<net', 'rt-2': 'app<dns' },
    plan: [`adopt ${app}: found`, 'unknown RunTrigger/app/docs'],
  },
  'declared, beside a line that names nothing': {
    says: `${single}forget: [${swapped}]\n`,
    there: { 'rt-1': 'app<net' },
    plan: [`adopt ${app}: found`, `note ${swapped}`],
  },
  'declared, beside a line that names an unmanaged one': {
    says: `${single}forget: [${swapped}]\n`,
    there: { 'rt-1': 'app<net', 'rt-2': 'net<app' },
    plan: [`adopt ${app}: found`],
  },
  'declared, beside a line whose ends are gone': {
    says: `${single}forget: [RunTrigger/dns/docs]\n`,
    there: { 'rt-1': 'app<net' },
    hidden: ['ws-dns', 'ws-docs'],
    plan: [`adopt ${app}: found`, 'note RunTrigger/dns/docs'],
  },

  'not managed where everything is to be destroyed': {
    says: inbound,
    there: { 'rt-1': 'app<net', 'rt-2': 'app<dns' },
    destroy: true,
    plan: [],
  },

  'beside an outbound set': {
    says: outbound,
    there: { 'rt-1': 'docs<net', 'rt-2': 'app<net' },
    plan: [
      `adopt ${app}: found`,
      'delete RunTrigger/docs/net (rt-1): not-in-exact-set, unmanaged',
      '--max-deletes 1',
    ],
  },
  'beside two sets': {
    says: both,
    there: { 'rt-1': 'app<dns' },
    plan: [
      'create RunTrigger/app/net: new',
      'create RunTrigger/docs/dns: new',
      'delete RunTrigger/app/dns (rt-1): not-in-exact-set, unmanaged',
      '--max-deletes 1',
    ],
  },
  'out of reach of a set': {
    says: inbound,
    there: { 'rt-1': 'docs<net', 'rt-2': 'app<net' },
    plan: [`adopt ${app}: found`],
  },
  'taken off a set, and made anew by somebody': {
    says: inbound,
    ledger: recorded({ 'app<net': 'rt-1', 'app<dns': 'rt-2' }),
    there: { 'rt-1': 'app<net', 'rt-3': 'app<dns' },
    plan: [
      'forget RunTrigger/app/dns: already-gone',
      'delete RunTrigger/app/dns (rt-3): not-in-exact-set, unmanaged',
    ],
  },
  'taken off a set, and twice there': {
    says: inbound,
    ledger: recorded({ 'app<net': 'rt-1', 'app<dns': 'rt-2' }),
    there: { 'rt-1': 'app<net', 'rt-2': 'app<dns', 'rt-3': 'app<dns' },
    plan: [
      'delete RunTrigger/app/dns: removed-from-manifest',
      'delete RunTrigger/app/dns (rt-3): not-in-exact-set, unmanaged',
    ],
  },
  'in a set, twice there and not recorded': {
    says: inbound,
    there: { 'rt-1': 'app<net', 'rt-2': 'app<net' },
    plan: [`adopt ${app}: found`, `delete ${app} (rt-2): duplicate, unmanaged`, '--max-deletes 1'],
  },
  'in an empty set': {
    says: nothing,
    there: { 'rt-1': 'app<net' },
    plan: [`delete ${app} (rt-1): not-in-exact-set, unmanaged`, '--max-deletes 1'],
  },
  'in an empty set, and to be forgotten': {
    says: `${nothing}forget: [${app}]\n`,
    there: { 'rt-1': 'app<net' },
    plan: [`note ${app}`],
  },
  'in an empty set, recorded and to be forgotten': {
    says: `${nothing}forget: [${app}]\n`,
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-1': 'app<net' },
    plan: [`forget ${app}: forget-line`],
  },
  'of a set that is gone': {
    ledger: recorded({ 'app<net': 'rt-1' }),
    there: { 'rt-1': 'app<net', 'rt-2': 'app<dns' },
    plan: [`delete ${app}: removed-from-manifest`],
  },
  'an attachment of a client that is made': {
    says: client() + attached,
    plan: ['create OAuthClient/github: new', 'create ProjectAttachment/github/shop: new'],
  },
  'an attachment that is there': {
    says: client() + attached,
    ledger: github,
    clients: withShop,
    plan: [adopted],
  },
  'an attachment that is recorded': {
    says: client() + attached,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: [],
  },
  'an attachment that nobody manages': { says: client(), ledger: github, clients: withShop, plan: [] },
  'an attachment off the exact set of its client': {
    says: client('    projects: [data]\n'),
    ledger: github,
    clients: withShop,
    plan: [
      'create ProjectAttachment/github/data: new',
      'delete ProjectAttachment/github/shop (oc-1/prj-shop): not-in-exact-set, unmanaged',
      '--max-deletes 1',
    ],
  },
  'an attachment of a client that is gone': {
    ledger: { ...github, ...shop },
    plan: ['forget OAuthClient/github: already-gone'],
  },
  'an attachment not declared any more, of a client that is young and not listed': {
    says: client(),
    ledger: { 'OAuthClient/github': { id: 'oc-1', createdAt: young, values, digests: {} }, ...shop },
    plan: ['unknown OAuthClient/github', 'unknown ProjectAttachment/github/shop'],
  },
  'an attachment by the id of an unmanaged client': {
    says: 'projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n',
    clients: withShop,
    plan: ['adopt ProjectAttachment/oc-1/shop: found'],
  },
  'an attachment by the id of a client that does not exist': {
    says: 'projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n',
    plan: ['unknown ProjectAttachment/oc-1/shop'],
  },
  'an attachment by the retiring id of its client': {
    says: `${client()}projectAttachments:\n  - { oauthClient: oc-0, project: shop }\n`,
    ledger: {
      'OAuthClient/github': { id: 'oc-1', createdAt: longAgo, values, digests: {}, retiring: ['oc-0'] },
      ...shop,
    },
    clients: [clientDocument('oc-0'), ...withShop],
    plan: [`${unknown}/oc-0/shop`, `${unknown}/github/shop`, 'unknown OAuthClient/github'],
  },
  'an attachment of a client that moves': {
    says: client().replace('github:', 'hub:') + attached.replace('github', 'hub'),
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['move OAuthClient/hub: renamed'],
  },
  'an attachment of a client that moves and is too young to be missing': {
    says: client().replace('github:', 'hub:') + attached.replace('github', 'hub'),
    ledger: { 'OAuthClient/github': { id: 'oc-1', createdAt: young, values, digests: {} }, ...shop },
    plan: ['move OAuthClient/hub: renamed', 'unknown OAuthClient/hub', `${unknown}/hub/shop`],
  },
  'an attachment not declared any more, of a client that is gone': {
    says: client(),
    ledger: { ...github, ...shop },
    plan: ['create OAuthClient/github: gone'],
  },
  'an attachment of a client with a problem': {
    says: client('    id: oc-2\n') + attached,
    ledger: { ...github, ...shop },
    clients: [...withShop, clientDocument('oc-2')],
    plan: ['id-conflict OAuthClient/github', 'unknown ProjectAttachment/github/shop'],
  },
  'an attachment by the address and by the id of its client': {
    says: `${client()}${attached}  - { oauthClient: oc-1, project: shop }\n`,
    ledger: github,
    clients: [clientDocument('oc-1')],
    plan: ['create ProjectAttachment/github/shop: new', sameObject],
  },
  'an attachment left alone, of a client whose scope narrows': {
    says: `${client('    organizationScoped: false\n')}${attached}  - { oauthClient: oc-1, project: shop }\n`,
    ledger: github,
    clients: withShop,
    plan: [adopted, sameObject, 'unknown OAuthClient/github'],
  },
  'an attachment left alone, of a client whose scope widens': {
    says: `${client('    organizationScoped: true\n')}${attached}  - { oauthClient: oc-1, project: shop }\n`,
    ledger: github,
    clients: withShop.map((one) => ({ ...one, organizationScoped: false })),
    plan: [adopted, 'update OAuthClient/github: manifest-changed', sameObject],
  },
  'an attachment by the earlier id of a client that is adopted and whose scope narrows': {
    says: `${client('    id: oc-1\n    organizationScoped: false\n')}projectAttachments:\n  - { oauthClient: oc-9, project: shop }\n`,
    ledger: {
      'OAuthClient/github': { id: 'oc-9', createdAt: longAgo, values, digests: {}, retiring: ['oc-0'] },
    },
    clients: withShop,
    plan: [
      'forget OAuthClient/github (oc-0): already-gone',
      `${unknown}/oc-9/shop`,
      'unknown OAuthClient/github',
      '--max-deletes 2',
    ],
  },
  'an attachment of a client that is replaced by a narrower one': {
    says: client('    organizationScoped: false\n').replaceAll('git.example', 'new.example') + attached,
    ledger: github,
    clients: [clientDocument('oc-1')],
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'create ProjectAttachment/github/shop: new',
      'delete OAuthClient/github (oc-1): replaced',
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'an attachment by the id of a client that is replaced': {
    says: `${client('    organizationScoped: false\n').replaceAll('git.example', 'new.example')}projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n`,
    ledger: github,
    clients: [clientDocument('oc-1')],
    plan: ['create ProjectAttachment/oc-1/shop: new', 'named-by-id OAuthClient/github'],
  },
  'an attachment by the id of a client whose exact set lacks it': {
    says: `${client('    projects: []\n')}projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n`,
    ledger: { ...github, 'ProjectAttachment/oc-9/prj-shop': {} },
    clients: [...withShop, clientDocument('oc-9', { ...hub, projectIds: ['prj-shop'] })],
    plan: [sameObject, `${unknown}/oc-9/shop`],
  },
  'an attachment by the id of a client that another address claims': {
    says: `${client('    id: oc-2\n')}  hub: { name: Hub, serviceProvider: provider_a, httpUrl: https://hub.example.com, apiUrl: https://hub.example.com }\nprojectAttachments:\n  - { oauthClient: oc-2, project: shop }\n`,
    ledger: {
      ...github,
      'OAuthClient/hub': { id: 'oc-2', createdAt: longAgo, values: hub, digests: {} },
      'ProjectAttachment/oc-2/prj-shop': {},
    },
    clients: [clientDocument('oc-1'), clientDocument('oc-2', { ...hub, projectIds: ['prj-shop'] })],
    plan: [
      'id-conflict OAuthClient/github',
      'unknown OAuthClient/hub',
      `${unknown}/github/shop`,
      `${unknown}/hub/shop`,
    ],
  },
  'an attachment not declared any more, of a client whose replacement is refused': {
    says: client('    projects: []\n').replaceAll('git.example', 'hub.example'),
    ledger: { ...github, ...shop },
    clients: [
      ...withShop,
      clientDocument('oc-2', { ...hub, name: 'GitHub', apiUrl: `${hub.apiUrl}/api/v3` }),
    ],
    plan: ['possible-match OAuthClient/github', 'unknown ProjectAttachment/github/shop'],
  },
  'an attachment to be forgotten, of a client with a problem': {
    says: `${client('    id: oc-2\n')}forget: [ProjectAttachment/github/shop]\n`,
    ledger: { ...github, ...shop },
    clients: [...withShop, clientDocument('oc-2')],
    plan: ['forget ProjectAttachment/github/shop: forget-line', 'id-conflict OAuthClient/github'],
  },
  'an attachment to be forgotten by the id of its client': {
    says: `${client()}forget: [ProjectAttachment/oc-1/prj-shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['forget ProjectAttachment/github/shop: forget-line'],
  },
  'an attachment to be forgotten by the id of its client, and declared': {
    says: `${client('    projects: [shop]\n')}forget: [ProjectAttachment/oc-1/prj-shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['note ProjectAttachment/github/shop'],
  },
  'an attachment to be forgotten by the earlier address of its client': {
    says: `${client().replace('github:', 'hub:')}forget: [ProjectAttachment/github/shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['move OAuthClient/hub: renamed', 'forget ProjectAttachment/hub/shop: forget-line'],
  },
  'an attachment to be forgotten by the new address of its client': {
    says: `${client().replace('github:', 'hub:')}forget: [ProjectAttachment/hub/shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['move OAuthClient/hub: renamed', 'forget ProjectAttachment/hub/shop: forget-line'],
  },
  'an attachment not declared any more, beside a line in another case': {
    says: `${client()}forget: [ProjectAttachment/GitHub/shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['unknown ProjectAttachment/GitHub/shop', `${unknown}/github/shop`],
  },
  'an attachment off a client that is replaced, beside a line in another case': {
    says: `${client().replaceAll('git.example', 'new.example')}forget: [ProjectAttachment/GitHub/shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'unknown ProjectAttachment/GitHub/shop',
      'unknown OAuthClient/github',
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'an attachment not declared any more, beside a line that names an unmanaged one': {
    says: `${client()}forget: [ProjectAttachment/github/data]\n`,
    ledger: { ...github, ...shop },
    clients: [clientDocument('oc-1', { projectIds: ['prj-shop', 'prj-data'] })],
    plan: [
      'delete ProjectAttachment/github/shop: removed-from-manifest',
      'note ProjectAttachment/github/data',
    ],
  },
  'an attachment not declared any more, beside a line of another client with a problem': {
    says: client() + lackingHub,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['missing-fields OAuthClient/hub', `${unknown}/hub/shop`, `${unknown}/github/shop`],
  },
  'an attachment that would end with its client, beside a line of another client with a problem': {
    says: `oauthClients:\n${lackingHub}`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: ['missing-fields OAuthClient/hub', `${unknown}/hub/shop`, 'unknown OAuthClient/github'],
  },
  'an attachment that would end with its client, and that a forget line names': {
    says: `${attached.replace('github', 'oc-8')}forget: [ProjectAttachment/github/shop]\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: [
      'delete OAuthClient/github: removed-from-manifest',
      `${unknown}/oc-8/shop`,
      'needs approved: [{ destroy: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'an attachment off a client that is replaced, beside a line of another client with a problem': {
    says: client().replaceAll('git.example', 'new.example') + lackingHub,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'missing-fields OAuthClient/hub',
      `${unknown}/hub/shop`,
      'unknown OAuthClient/github',
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'an attachment of a client that is replaced, beside an attachment that is left alone': {
    says: `${client().replaceAll('git.example', 'new.example')}${attached}  - { oauthClient: oc-8, project: shop }\n`,
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: [
      'replace OAuthClient/github: manifest-changed',
      'move ProjectAttachment/github/shop: replaced',
      'delete OAuthClient/github (oc-1): replaced',
      `${unknown}/oc-8/shop`,
      'needs approved: [{ replace: OAuthClient/github, id: oc-1 }]',
    ],
  },
  'an attachment by the id of a client that is not declared any more': {
    says: 'projectAttachments:\n  - { oauthClient: oc-1, project: shop }\n',
    ledger: { ...github, ...shop },
    clients: withShop,
    plan: [`${unknown}/oc-1/shop`, 'unknown OAuthClient/github'],
  },
};

describe('the plan of a link that is', () => {
  for (const [what, row] of Object.entries(rows)) {
    it(`${what}: ${row.plan.join(' · ') || 'nothing'}`, async () => {
      const { clients = [], hidden = [] } = row;
      const triggers = Object.entries(row.there ?? {}).map(([id, pair]) => triggerDocument(id, pair));
      const manifests = smallManifest(head + (row.says ?? ''));
      const facts = await smallFacts(
        { clients, triggers, hidden },
        manifests,
        smallLedger(row.ledger ?? {}),
        row.destroy ? { destroy: true } : {},
      );
      assert.deepEqual(linesOf(planChanges(facts)), row.plan);
    });
  }
});

describe('a target that is full', () => {
  const sources = Array.from({ length: 20 }, (_, index) => `s${index + 1}`);
  const triggers = sources.map((source, index) => triggerDocument(`rt-${index + 1}`, `app<${source}`));

  async function crowdedFacts(existing = triggers, kept = sources.slice(2)): Promise<Facts> {
    const listed = [...kept, 'typo', 'other'].map((source) => `ws-${source}`);
    const set = `{ target: ws-app, sources: [${listed.join(', ')}] }`;
    const manifests = smallManifest(`profile: hcp-terraform\nrunTriggers: [${set}]\n`);
    return smallFacts({ triggers: existing }, manifests, smallLedger({}));
  }

  it('loses what the set does not list before the new sources come', async () => {
    const facts = await crowdedFacts();
    const { steps } = planChanges(facts);
    const deletes = steps.filter(({ action }) => action === 'delete').map(({ id }) => id);
    const creates = steps.filter(({ action }) => action === 'create');
    assert.deepEqual(
      deletes,
      [1, 2].map((n) => `delete RunTrigger/ws-app/ws-s${n} (rt-${n})`),
    );
    assert.deepEqual(
      creates.map(({ address, needs, after }) => [address, needs, after]),
      ['typo', 'other'].map((source) => [`RunTrigger/ws-app/ws-${source}`, [], deletes]),
    );
    assert.deepEqual(linesOf(planChanges(facts)).at(-1), '--max-deletes 2');
  });

  it('loses a source only after the new one where both have room', async () => {
    const { steps } = planChanges(await crowdedFacts(triggers.slice(3), sources.slice(4)));
    const gone = steps.find(({ action }) => action === 'delete');
    assert.deepEqual(
      gone?.needs.toSorted(),
      ['other', 'typo'].map((source) => `create RunTrigger/ws-app/ws-${source}`),
    );
  });

  /** One source is new. Of the 22 that exist, two above the limit, the ledger has some and the manifest fewer. */
  async function planAbove(declaredCount: number, recordedCount: number): Promise<readonly string[]> {
    const over = [...sources, 's21', 's22'];
    const there = over.map((source) => triggerDocument(`rt-${source}`, `app<${source}`));
    there.push(triggerDocument('rt-old', 'docs<new'));
    const held = over.slice(0, recordedCount).map((source) => [`app<${source}`, `rt-${source}`]);
    const objects = recorded({ ...Object.fromEntries(held), 'docs<new': 'rt-old' });
    const listed = ['new', ...over.slice(0, declaredCount)];
    const lines = listed.map((source) => `{ target: ws-app, source: ws-${source} }`);
    const manifests = smallManifest(`profile: hcp-terraform\nrunTriggers: [${lines.join(', ')}]\n`);
    const facts = await smallFacts({ triggers: there }, manifests, smallLedger(objects));
    return linesOf(planChanges(facts));
  }

  it('gets a new source only if enough of what is above its limit goes', async () => {
    const make = 'create RunTrigger/ws-app/ws-new: new';
    assert.ok((await planAbove(18, 22)).includes(make));
    assert.ok((await planAbove(19, 22)).includes(make));
    const lines = await planAbove(18, 20);
    assert.ok(!lines.includes(make));
    const kept = ['too-many-sources RunTrigger/ws-app/ws-new', 'unknown RunTrigger/ws-docs/ws-new'];
    assert.deepEqual(
      lines.filter((line) => kept.includes(line)),
      kept,
      'the connection that the source has stays',
    );
  });
});
