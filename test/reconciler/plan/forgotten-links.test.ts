/** A link that is let go under any of its names: it is never deleted because somebody wrote another one. */
import assert from 'node:assert/strict';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

const hub = `${github.replace('  github:', '  hub:')}moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]\n`;
const aliases = (...names: string[]): string => {
  const workspaces = names.map((name) => `${name}: ws-a`).join(', ');
  return `aliases: { workspaces: { ${workspaces} }, projects: { payments: prj-1 } }\n`;
};

const world = pureWorld({
  clients: [clientDocument('oc-1', { projectIds: ['prj-1'] })],
  triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a')],
  ledger: ledgerWith({
    'OAuthClient/github': clientInLedger('oc-1', values),
    'ProjectAttachment/oc-1/prj-1': {
      ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
      kind: 'ProjectAttachment',
    },
    'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
  }),
});

describe('a link that is let go', () => {
  const rows: readonly [what: string, text: string, trigger: string, attachment: string][] = [
    ['by an alias', `${aliases('app')}${github}`, 'app/ws-b', 'github/payments'],
    ['by one of two aliases', `${aliases('zed', 'app')}${github}`, 'zed/ws-b', 'github/payments'],
    ['by the other of two aliases', `${aliases('zed', 'app')}${github}`, 'app/ws-b', 'github/prj-1'],
    ['by its ids', `${aliases('app', 'zed')}${github}`, 'ws-a/ws-b', 'oc-1/prj-1'],
    ['by the new name of its client', `${aliases('app')}${hub}`, 'app/ws-b', 'hub/payments'],
    ['by the old name of its client', `${aliases('app')}${hub}`, 'app/ws-b', 'github/payments'],
  ];
  for (const [what, text, trigger, attachment] of rows) {
    it(`${what} is not deleted, and its line is not obsolete`, () => {
      const forget = `forget: [RunTrigger/${trigger}, ProjectAttachment/${attachment}]\n`;
      const { steps, plan } = planIn(world, manifest(`${text}${forget}`));
      const links = steps.filter((step) => step.action !== 'move');
      assert.deepEqual(
        links.map((step) => [step.action, step.key]),
        [
          ['forget', 'ProjectAttachment/oc-1/prj-1'],
          ['forget', 'RunTrigger/ws-a/ws-b'],
        ],
      );
      assert.deepEqual(plan.warnings, []);
    });
  }
});

it('a client that is let go says how many links the ledger forgets with it', () => {
  const { steps } = planIn(world, manifest('forget: [OAuthClient/github, RunTrigger/ws-a/ws-b]\n'));
  assert.deepEqual(
    steps.map((step) => [step.action, step.key, step.because]),
    [
      [
        'forget',
        'OAuthClient/github',
        'a `forget` line lets it go with the link that the ledger holds of it; nothing is touched',
      ],
      ['forget', 'RunTrigger/ws-a/ws-b', 'a `forget` line lets it go; nothing is touched'],
    ],
  );
});

describe('a `forget` line for a link that is not let go', () => {
  const rows: readonly [what: string, text: string, told: string][] = [
    [
      'another line wants',
      `${github}projectAttachments: [{ oauthClient: github, project: payments }]\n`,
      'is in the manifests, so it stays: remove the `forget` line, or the other one',
    ],
    [
      'an exact set covers',
      `${github}    projects: []\n`,
      'is deleted all the same, because an exact set covers it: list it there, or remove the `forget` line',
    ],
  ];
  for (const [what, text, told] of rows) {
    it(`because ${what} it is told of as that, not as one that the ledger lacks`, () => {
      const forget = 'forget: [ProjectAttachment/oc-1/payments]\n';
      const { plan } = planIn(world, manifest(`${aliases('app')}${text}${forget}`));
      const warnings = plan.warnings.map((one) => one.message);
      assert.deepEqual(warnings, [`ProjectAttachment/oc-1/payments ${told}`]);
    });
  }
});
