/** The suite against the embedded service, under both profiles and three sets of behaviours. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/pulumi-engine';
import { temporaryFolder } from '../support/temporary-folder';
import { acceptanceWorlds, markedRows, readTable, token, vcsToken } from './acceptance-world';
import { chooseSteps } from './life';

/** Each set has the rows that must be marked, with what was switched. */
const sets = {
  'as the profile assumes': { behaviours: {}, marked: {} },
  'stricter than the profile assumes': {
    behaviours: {
      'duplicate-trigger': '409',
      'attach-again': '422',
      'page-size-over': '422',
      'patch-without-agent-pool': 'clear',
      'list-order': 'random',
      'trigger-lock': '409',
      'rate-limit': 'token-bucket',
      rate: '1000',
    },
    marked: {
      'status of a duplicate trigger': '409',
      'attaching a project twice': '422',
      'detaching what is not attached': '422',
      'page size above the maximum': '422',
      'order of the client list': 'another in each answer',
      'rate-limit headers': 'limit 1000',
      'PATCH without an agent pool': 'cleared',
      'two creates for one target at once': '201 and 409',
    },
  },
  'laxer and later than the profile assumes': {
    behaviours: {
      'duplicate-trigger': 'accept',
      'page-size-max': '50',
      'create-hidden-ms': '100',
      'delete-visible-ms': '100',
      'trigger-lock': '422',
      'rate-limit': 'sliding-window',
      rate: '2000',
    },
    marked: {
      'status of a duplicate trigger': '201',
      'page size above the maximum': 'clamped to 50',
      'a created client is listed': 'later',
      'a created trigger is listed': 'later',
      'a deleted client leaves the list': 'later',
      'a deleted trigger leaves the list': 'later',
      "a deleted client's own page is gone": 'later',
      'two creates for one target at once': '201 and 422',
      'rate-limit headers': 'limit 2000',
    },
  },
};

describe('the acceptance suite on the embedded service', () => {
  const start = acceptanceWorlds();
  const folder = temporaryFolder();

  for (const assumed of ['default', 'hcp-terraform']) {
    for (const [name, { behaviours, marked }] of Object.entries(sets)) {
      it(`passes under ${assumed} with a service that is ${name}, and marks what was switched`, async () => {
        const world = await start({ assumed, behaviours, random: numbers(7) });
        const { exitCode, table, printed } = await world.run();
        assert.equal(exitCode, 0, printed);
        assert.deepEqual(markedRows(table), marked);
        const unseen = [...readTable(table)].filter(([, cells]) => cells[2] === 'not observed');
        // The other rows have nothing to compare with, or need the engine.
        const questions = unseen.flatMap(([question, cells]) =>
          cells[1] === '' || question.includes('Pulumi') ? [] : [question],
        );
        const unseenNames = assumed === 'default' ? ['life: names in place of aliases'] : [];
        assert.deepEqual(questions, [`life: ${rsaStep}`, ...unseenNames]);
        assert.equal(world.countOwn(), 0);
        for (const secret of [token, vcsToken]) assert.ok(!`${table}${printed}`.includes(secret));
        assert.doesNotMatch(table ?? '', /\b(?:oc|ot|ws|prj|rt|apool)-|acme|tether-acceptance-/);
      });
    }
  }

  it('writes an RSA public key where the provider takes one', async () => {
    const profile = JSON.parse(readFileSync(join(root, 'profiles/hcp-terraform.json'), 'utf8'));
    profile.serviceProviders.github.forbids = [];
    const assumed = join(folder(), 'profile.json');
    writeFileSync(assumed, JSON.stringify(profile));
    const world = await start({ assumed });
    const steps = chooseSteps('apply', rsaStep, 'destroy');
    const { table, printed } = await world.run({ steps });
    assert.equal(readTable(table).get(`life: ${rsaStep}`)?.[2], 'passes', printed);
    assert.match(table ?? '', /Assumed by a profile file/);
  });
});

const rsaStep = 'RSA public key written in place';

/** Returns numbers from 0 to 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
