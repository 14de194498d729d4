/** The rows of the planning table of links (docs/architecture.md), for triggers. The group of a row is the decision of the table. */
import { linkTable } from '../../../reconciler/plan/table';
import { type LinkRow, linkFacts, oneMinuteAgo, recordTriggers } from '../../support/link-rows';
import { describeRows, type LinkDecision, type Rows } from '../../support/planning-rows';

const declareTriggers = (...lines: string[]) =>
  `runTriggers:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
const singleLine = declareTriggers('{ target: app, source: net }');
const inboundSet = declareTriggers('{ target: app, sources: [net] }');
const outboundSet = declareTriggers('{ source: net, targets: [app] }');
const twoSets = declareTriggers('{ target: app, sources: [net] }', '{ source: dns, targets: [docs] }');
const emptySet = declareTriggers('{ target: app, sources: [] }');

const app = 'RunTrigger/app/net';
const swapped = 'RunTrigger/net/app';

const rows: Readonly<Record<LinkDecision, Rows<LinkRow>>> = {
  forget: {
    'neither end can be read': {
      manifest: `forget: [${app}]\n`,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      hidden: ['ws-app', 'ws-net'],
      plan: [`forget ${app}: forget-line`],
    },
    'the set is empty': {
      manifest: `${emptySet}forget: [${app}]\n`,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net' },
      plan: [`forget ${app}: forget-line`],
    },
  },
  nothing: {
    'the set is empty, and a forget line names the unmanaged trigger': {
      manifest: `${emptySet}forget: [${app}]\n`,
      triggers: { 'rt-1': 'app<net' },
      plan: [`note ${app}`],
    },
  },
  keep: {
    'a second trigger of the pair exists': {
      manifest: singleLine,
      ledger: recordTriggers({ 'app<net': 'rt-2' }),
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<net' },
      plan: [`note ${app}`],
    },
  },
  adopt: {
    'an unmanaged trigger of the pair exists': {
      manifest: singleLine,
      triggers: { 'rt-1': 'app<net' },
      plan: [`adopt ${app}: found`],
    },
    'two unmanaged triggers of the pair exist': {
      manifest: singleLine,
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<net' },
      plan: [`adopt ${app}: found`, `note ${app}`],
    },
    'somebody else made the recorded trigger again': {
      manifest: singleLine,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-2': 'app<net' },
      plan: [`adopt ${app}: found`],
    },
    'a forget line names nothing': {
      manifest: `${singleLine}forget: [${swapped}]\n`,
      triggers: { 'rt-1': 'app<net' },
      plan: [`adopt ${app}: found`, `note ${swapped}`],
    },
    'a forget line names an unmanaged trigger': {
      manifest: `${singleLine}forget: [${swapped}]\n`,
      triggers: { 'rt-1': 'app<net', 'rt-2': 'net<app' },
      plan: [`adopt ${app}: found`],
    },
    'the ends of a forget line are missing': {
      manifest: `${singleLine}forget: [RunTrigger/dns/docs]\n`,
      triggers: { 'rt-1': 'app<net' },
      hidden: ['ws-dns', 'ws-docs'],
      plan: [`adopt ${app}: found`, 'note RunTrigger/dns/docs'],
    },
    'a set does not cover another trigger of the source': {
      manifest: inboundSet,
      triggers: { 'rt-1': 'docs<net', 'rt-2': 'app<net' },
      plan: [`adopt ${app}: found`],
    },
  },
  create: {
    'it is neither recorded nor found': { manifest: singleLine, plan: [`create ${app}: new`] },
    'the recorded trigger is missing': {
      manifest: singleLine,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      plan: [`create ${app}: gone`],
    },
    'the recorded trigger is missing and young': {
      manifest: singleLine,
      ledger: recordTriggers({ 'app<net': 'rt-1' }, oneMinuteAgo),
      plan: [`create ${app}: gone`],
    },
  },
  'leave alone': {
    'it is in two exact sets, and one of them cannot be read': {
      manifest: inboundSet + outboundSet.replace('runTriggers:\n', ''),
      triggers: { 'rt-1': 'app<dns' },
      hidden: ['ws-net'],
      plan: [`unknown ${app}`, 'unknown the targets of net', 'unknown RunTrigger/app/dns'],
    },
    'neither end can be read': {
      manifest: singleLine,
      hidden: ['ws-app', 'ws-net'],
      plan: [`unknown ${app}`],
    },
    'nothing declares it, and neither end can be read': {
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net' },
      hidden: ['ws-app', 'ws-net'],
      plan: [`unknown ${app}`],
    },
  },
  'forget gone': {
    'nothing declares it': {
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      plan: [`forget ${app}: already-gone`],
    },
    'somebody else made it again': {
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-2': 'app<net' },
      plan: [`forget ${app}: already-gone`, `note ${app}`],
    },
    'it is young, and another trigger of the pair exists': {
      ledger: recordTriggers({ 'app<net': 'rt-1' }, oneMinuteAgo),
      triggers: { 'rt-2': 'app<net' },
      plan: [`forget ${app}: already-gone`, `note ${app}`],
    },
  },
  delete: {
    'a forget line with swapped ends holds every delete of a trigger': {
      manifest: `forget: [${swapped}]\n`,
      ledger: recordTriggers({ 'app<net': 'rt-1', 'docs<dns': 'rt-2' }),
      triggers: { 'rt-1': 'app<net', 'rt-2': 'docs<dns' },
      plan: [`unknown ${swapped}`, `unknown ${app}`, 'unknown RunTrigger/docs/dns'],
    },
    'a forget line with swapped ends holds the deletes of a destroy': {
      manifest: `forget: [${swapped}]\n`,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net' },
      destroy: true,
      plan: [`unknown ${swapped}`, `unknown ${app}`],
    },
    'a forget line names the unmanaged trigger in the other direction': {
      manifest: `forget: [${swapped}]\n`,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net', 'rt-2': 'net<app' },
      plan: [`delete ${app}: removed-from-manifest`, `note ${swapped}`],
    },
    'a forget line of another kind names nothing': {
      manifest: 'forget: [OAuthClient/hub]\n',
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net' },
      plan: [`delete ${app}: removed-from-manifest`, 'note OAuthClient/hub'],
    },
    'it was taken off a set, and a second trigger of the pair exists': {
      manifest: inboundSet,
      ledger: recordTriggers({ 'app<net': 'rt-1', 'app<dns': 'rt-2' }),
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<dns', 'rt-3': 'app<dns' },
      plan: [
        'delete RunTrigger/app/dns: removed-from-manifest',
        'delete RunTrigger/app/dns (rt-3): not-in-exact-set, unmanaged',
      ],
    },
    'its set was removed, and with it the guard of unmanaged triggers': {
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<dns' },
      plan: [`delete ${app}: removed-from-manifest`],
    },
  },
  'delete unmanaged': {
    'a forget line that names nothing holds it': {
      manifest: `${inboundSet}forget: [RunTrigger/app/docs]\n`,
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<dns' },
      plan: [`adopt ${app}: found`, 'unknown RunTrigger/app/docs', 'unknown RunTrigger/app/dns'],
    },
    'it is a second trigger of the pair, and a forget line that names nothing holds it': {
      manifest: `${inboundSet}forget: [RunTrigger/app/docs]\n`,
      ledger: recordTriggers({ 'app<net': 'rt-1' }),
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<net' },
      plan: ['unknown RunTrigger/app/docs', `unknown ${app} (rt-2)`],
    },
    'an outbound set does not list it': {
      manifest: outboundSet,
      triggers: { 'rt-1': 'docs<net', 'rt-2': 'app<net' },
      plan: [
        `adopt ${app}: found`,
        'delete RunTrigger/docs/net (rt-1): not-in-exact-set, unmanaged',
        '--max-deletes 1',
      ],
    },
    'two sets do not list it': {
      manifest: twoSets,
      triggers: { 'rt-1': 'app<dns' },
      plan: [
        'create RunTrigger/app/net: new',
        'create RunTrigger/docs/dns: new',
        'delete RunTrigger/app/dns (rt-1): not-in-exact-set, unmanaged',
        '--max-deletes 1',
      ],
    },
    'somebody else made again what was taken off a set': {
      manifest: inboundSet,
      ledger: recordTriggers({ 'app<net': 'rt-1', 'app<dns': 'rt-2' }),
      triggers: { 'rt-1': 'app<net', 'rt-3': 'app<dns' },
      plan: [
        'forget RunTrigger/app/dns: already-gone',
        'delete RunTrigger/app/dns (rt-3): not-in-exact-set, unmanaged',
      ],
    },
    'a set lists it, and two triggers of the pair exist': {
      manifest: inboundSet,
      triggers: { 'rt-1': 'app<net', 'rt-2': 'app<net' },
      plan: [`adopt ${app}: found`, `delete ${app} (rt-2): duplicate, unmanaged`, '--max-deletes 1'],
    },
    'the set is empty': {
      manifest: emptySet,
      triggers: { 'rt-1': 'app<net' },
      plan: [`delete ${app} (rt-1): not-in-exact-set, unmanaged`, '--max-deletes 1'],
    },
  },
};

const undecidedRows: Rows<LinkRow> = {
  'everything is destroyed, and the trigger is unmanaged': {
    manifest: inboundSet,
    triggers: { 'rt-1': 'app<net', 'rt-2': 'app<dns' },
    destroy: true,
    plan: [],
  },
};

for (const [decision, rowsOfDecision] of Object.entries(rows)) {
  describeRows(
    `a trigger that the table decides to "${decision}"`,
    linkTable,
    decision,
    rowsOfDecision,
    linkFacts,
  );
}
describeRows('a trigger that no row of the table decides', linkTable, null, undecidedRows, linkFacts);
