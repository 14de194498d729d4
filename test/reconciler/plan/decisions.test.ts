/** The table of docs/architecture.md, row by row: what the planner does with what is declared, held and found. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PendingIntent } from '../../../reconciler/ledger/ledger';
import type { Plan } from '../../../reconciler/plan/plan';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  type PureWorld,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

interface Row {
  readonly declared: string;
  readonly held: string;
  readonly found: string;
  readonly client: string;
  readonly link: string;
}

/** The rows below the header that begins with `Declared`. */
function rowsOfTable(): readonly Row[] {
  const text = readFileSync(join(__dirname, '../../../../docs/architecture.md'), 'utf8');
  const lines = text.split('\n');
  const header = lines.findIndex((line) => line.startsWith('| Declared |'));
  const rows = lines.slice(header + 2, lines.indexOf('', header));
  return rows.map((line) => {
    const [declared = '', held = '', found = '', client = '', link = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { declared, held, found, client, link };
  });
}

/** One way to play the cells of a kind: words of the table that are not here do not occur for it. */
interface Stage {
  readonly declared: Readonly<Record<string, string>>;
  readonly held: Readonly<Record<string, Parameters<typeof ledgerWith>>>;
  readonly found: Readonly<Record<string, Partial<PureWorld>>>;
}

const nonce = 'tether-pending-0a1b2c3d4e5f-6a7b';
const begun = (key: string, intent: PendingIntent): Parameters<typeof ledgerWith> => [
  {},
  { pending: { [key]: intent } },
];
const elsewhere = { httpUrl: 'https://other.example.com' };

const clientStage: Stage = {
  declared: {
    yes: github,
    no: '',
    'yes, with `destroy`': github,
    'by `id:`': `${github}    id: oc-1\n`,
    'with another name': github.replace('name: GitHub', 'name: Ours'),
    'with another `httpUrl`': github.replace('https://git.example.com\n', 'https://new.example.com\n'),
    'under another address': github.replace('  github:', '  forge:'),
    'under `forget`': 'forget: [OAuthClient/github]\n',
  },
  held: {
    yes: [{ 'OAuthClient/github': clientInLedger('oc-1', values) }],
    no: [{}],
    'a create was begun': begun('OAuthClient/github', { kind: 'OAuthClient', nonce, hash: 'hash' }),
  },
  found: {
    missing: {},
    present: { clients: [clientDocument('oc-1')] },
    unknown: { hidden: new Set(['OAuth clients of acme']) },
    'other name': { clients: [clientDocument('oc-1', { name: 'Theirs' })] },
    'other `httpUrl`': { clients: [clientDocument('oc-1', elsewhere)] },
    'left by it': { clients: [clientDocument('oc-1', { name: nonce })] },
  },
};

const trigger = 'runTriggers: [{ target: ws-a, source: ws-b }]\n';
const triggerKey = 'RunTrigger/ws-a/ws-b';
const there = { triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a')] };

const triggerStage: Stage = {
  declared: {
    yes: trigger,
    no: '',
    'yes, with `destroy`': trigger,
    'no, in an exact set': 'runTriggers: [{ target: ws-a, sources: [] }]\n',
    'under `forget`': `forget: [${triggerKey}]\n`,
  },
  held: {
    yes: [{ [triggerKey]: triggerInLedger('rt-1', 'ws-b', 'ws-a') }],
    no: [{}],
    'a create was begun': begun(triggerKey, { kind: 'RunTrigger', nonce: triggerKey, hash: triggerKey }),
  },
  found: {
    missing: {},
    present: there,
    unknown: { hidden: new Set(['run triggers of ws-a (inbound)', 'run triggers of ws-b (outbound)']) },
    'another one': { triggers: [triggerDocument('rt-2', 'ws-b', 'ws-a')] },
    'left by it': there,
  },
};

const attachment = { oauthClientId: 'oc-1', projectId: 'prj-1' };
const attachmentKey = 'ProjectAttachment/oc-1/prj-1';
const client = { 'OAuthClient/github': clientInLedger('oc-1', values) };
const attached = { clients: [clientDocument('oc-1', { projectIds: ['prj-1'] })] };

/** Of a client that stands as it is. What nobody can see of an attachment, nobody can see of its client. */
const attachmentStage: Stage = {
  declared: {
    yes: `${github}projectAttachments: [{ oauthClient: github, project: prj-1 }]\n`,
    no: github,
    'no, in an exact set': `${github}    projects: []\n`,
    'under `forget`': `${github}forget: [ProjectAttachment/github/prj-1]\n`,
  },
  held: {
    yes: [
      {
        ...client,
        [attachmentKey]: { ...clientInLedger('oc-1/prj-1', attachment), kind: 'ProjectAttachment' },
      },
    ],
    no: [client],
    'a create was begun': [
      client,
      {
        pending: {
          [attachmentKey]: { kind: 'ProjectAttachment', nonce: attachmentKey, hash: attachmentKey },
        },
      },
    ],
  },
  found: { missing: { clients: [clientDocument('oc-1')] }, present: attached, 'left by it': attached },
};

/** What the plan says of the addresses of a kind, in the words of the table. */
function outcome({ steps, problems, unknown }: Plan, kind: string): string {
  const isOfKind = ({ address }: { readonly address: string }): boolean => address.startsWith(`${kind}/`);
  const said = [
    ...steps.filter(isOfKind).map(({ action, reason }) => `${action}: ${reason}`),
    ...problems.filter(isOfKind).map(({ rule }) => `problem: ${rule}`),
    ...unknown.filter(isOfKind).map(() => 'unknown'),
  ];
  return said.length === 0 ? 'nothing' : said.join(', ');
}

function play(stage: Stage, { declared, held, found }: Row, kind: string): string | null {
  const [text, ledger, seen] = [stage.declared[declared], stage.held[held], stage.found[found]];
  if (text === undefined || ledger === undefined || seen === undefined) return null;
  const world = pureWorld({ ...seen, ledger: ledgerWith(...ledger) });
  const { plan } = planIn(world, manifest(text), { destroy: declared.includes('destroy') });
  return outcome(plan, kind);
}

const rows = rowsOfTable();

describe('the table of decisions', () => {
  const columns = [
    ['OAuthClient', clientStage, 'client'],
    ['RunTrigger', triggerStage, 'link'],
    ['ProjectAttachment', attachmentStage, 'link'],
  ] as const;

  for (const row of rows) {
    it(`declared: ${row.declared} · in the ledger: ${row.held} · found: ${row.found}`, () => {
      let played = 0;
      for (const [kind, stage, column] of columns) {
        if (row[column] === '·') continue;
        const actual = play(stage, row, kind);
        if (actual === null && kind === 'ProjectAttachment') continue;
        assert.equal(actual, row[column], kind);
        played += 1;
      }
      assert.ok(played > 0, 'a row that nobody can play');
    });
  }

  it('has each combination once', () => {
    const names = rows.map(({ declared, held, found }) => `${declared} · ${held} · ${found}`);
    assert.deepEqual([...new Set(names)], names);
    assert.ok(rows.length >= 30, `${rows.length} rows`);
  });
});
