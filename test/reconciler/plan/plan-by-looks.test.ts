/** Objects that could be taken for each other: without a ledger, and where two addresses name one. */
import assert from 'node:assert/strict';
import type { Step } from '../../../reconciler/plan/plan';
import { clientDocument, manifest, planIn, pureWorld } from '../../support/pure-world';

const fields = `    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
`;
const github = `oauthClients:\n  github:\n${fields}`;

const ids = (steps: readonly Step[]): string[] => steps.map((step) => step.id);
type Made = ReturnType<typeof planIn>;
const planOf = (made: Made) => {
  const [organization] = made.plan.organizations;
  assert.ok(organization);
  return organization;
};
const problems = (made: Made): string[] => planOf(made).problems.map((one) => one.rule);

describe('without a ledger', () => {
  it('an entry that matches two objects makes no third one, not even as a twin', () => {
    const world = pureWorld({ ledger: null, clients: [clientDocument('oc-1'), clientDocument('oc-2')] });
    const made = planIn(world, manifest(`${github}    allowDuplicate: true\n`));
    assert.deepEqual([problems(made), ids(made.steps)], [['look-alike'], []]);
  });

  it('two entries that look the same are refused, for they could not be told apart afterwards', () => {
    const twins = `${github}    allowDuplicate: true\n  hub:\n${fields}    allowDuplicate: true\n`;
    for (const clients of [[], [clientDocument('oc-1')]]) {
      const made = planIn(pureWorld({ ledger: null, clients }), manifest(twins));
      assert.deepEqual([problems(made), ids(made.steps)], [['look-alike', 'look-alike'], []]);
    }
  });

  it('two entries that look the same may name their ids', () => {
    const world = pureWorld({ ledger: null, clients: [clientDocument('oc-1'), clientDocument('oc-2')] });
    const twins = `${github}    id: oc-1\n  hub:\n${fields}    id: oc-2\n`;
    assert.deepEqual(planOf(planIn(world, manifest(twins))).unchanged, [
      'OAuthClient/github',
      'OAuthClient/hub',
    ]);
  });
});
