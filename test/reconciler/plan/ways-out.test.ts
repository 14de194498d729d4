/** The line that a problem tells a user to write is one that works there. */
import assert from 'node:assert/strict';
import { planChanges } from '../../../reconciler/plan/make';
import { clientDocument, longAgo, smallFacts, smallLedger, smallManifest } from '../../support/small-world';

const github = 'OAuthClient/github';
const values = { name: 'GitHub', serviceProvider: 'provider_a', apiUrl: 'https://git.example.com/api/v3' };
const recorded = (id: string, more: object = {}) => ({
  [github]: { id, createdAt: longAgo, values, digests: {}, ...more },
});
const entry = (httpUrl: string, more: object = {}) => ({ ...values, httpUrl, ...more });
const manifest = (clients: object) => smallManifest(`oauthClients: ${JSON.stringify(clients)}\n`);

describe('a way out', () => {
  it('of a replacement beside an equal client is to forget first; a line to paste would make a second one', async () => {
    const moved = entry('https://new.example.com');
    const clients = [clientDocument('oc-1'), clientDocument('oc-2', moved)];
    const planOf = async (more: object, others: object = {}) =>
      planChanges(
        await smallFacts(
          { clients },
          manifest({ github: { ...moved, ...more }, ...others }),
          smallLedger(recorded('oc-1')),
        ),
      );
    const { problems, steps } = await planOf({ secret: { fromEnv: 'SECRET' } });
    const [{ rule, line, message = '' } = {}] = problems;
    assert.deepEqual([steps.length, rule, line], [0, 'possible-match', undefined]);
    assert.match(
      message,
      /in place of oc-1, forget OAuthClient\/github first: .*`forget: \[OAuthClient\/github\]`/,
    );
    const hub = { hub: { ...moved, id: 'oc-2' } };
    const [owned] = (await planOf({ secret: { fromEnv: 'SECRET' } }, hub)).problems;
    assert.equal(owned?.line, 'allowDuplicate: [oc-2]');
    const allowed = await planOf({ secret: { fromEnv: 'SECRET' }, allowDuplicate: ['oc-2'] });
    assert.deepEqual([allowed.steps[0]?.action, allowed.problems], ['replace', []]);
  });

  it('of an entry like a client that its old address leaves is the id, or to forget it, or the choice of two', async () => {
    const hub = manifest({ hub: { ...entry('https://git.example.com'), organizationScoped: false } });
    const problemOf = async (clients: readonly string[], objects: object) => {
      const there = { clients: clients.map((id) => clientDocument(id)) };
      const { problems } = planChanges(await smallFacts(there, hub, smallLedger({ ...objects })));
      return `${problems.map(({ message, line }) => `${message} ${line}`)}`;
    };
    const old = recorded('oc-1');
    assert.match(
      await problemOf(['oc-1'], old),
      /oc-1 belongs to OAuthClient\/github, which is not declared any more: to keep it, add its `id:`.* id: oc-1$/,
    );
    const both = { ...old, 'OAuthClient/hub': { id: 'oc-9', createdAt: longAgo, values } };
    assert.match(await problemOf(['oc-1'], both), /keep it, add `forget: .* forget: \[OAuthClient\/oc-1\]$/);
    const retiring = recorded('oc-2', { retiring: ['oc-1'], values: { ...values, httpUrl: 'https://x.y' } });
    assert.match(
      await problemOf(['oc-1'], retiring),
      /to keep it, add `forget: \[OAuthClient\/oc-1\]` and apply; .* forget: \[OAuthClient\/oc-1\]$/,
    );
    assert.match(await problemOf(['oc-1', 'oc-2'], old), /: oc-1, .*; oc-2, .* id: oc-1 # or oc-2$/);
  });

  it('of a link that an unknown name may declare is not to forget it; of a client it is', async () => {
    const at = { file: '', line: 1, column: 1 };
    const nameReferences = new Map([['workspace/net', { at, why: 'no workspace has it' }]]);
    const ledger = smallLedger({ ...recorded('oc-1'), 'RunTrigger/ws-1/ws-2': { id: 'rt-1' } });
    const linesWith = async (more: object) => {
      const facts = await smallFacts(
        { hidden: ['acme', 'ws-1', 'ws-2'] },
        { ...manifest({}), ...more },
        ledger,
      );
      return planChanges(facts).unknown.flatMap(({ line }) => line ?? []);
    };
    const client = `forget: [${github}]`;
    assert.deepEqual(await linesWith({}), [client, 'forget: [RunTrigger/ws-1/ws-2]']);
    assert.deepEqual(await linesWith({ nameReferences }), [client]);
  });

  it('of a link by the id of a client to be forgotten is a second plan, and the first counts what leaves', async () => {
    const clients = [clientDocument('oc-1', { projectIds: ['prj-1', 'prj-2'] })];
    const links = { 'ProjectAttachment/oc-1/prj-1': {}, 'ProjectAttachment/oc-1/prj-2': {} };
    const declared = smallManifest(
      `projectAttachments: [{ oauthClient: oc-1, project: prj-1 }]\nforget: [${github}]\n`,
    );
    const ledger = smallLedger({ ...recorded('oc-1'), ...links });
    const { steps, unknown } = planChanges(await smallFacts({ clients }, declared, ledger));
    assert.deepEqual(
      steps.map(({ id, because }) => [id, because]),
      [[`forget ${github}`, 'a `forget` line names it, so its 2 links will not be managed either']],
    );
    assert.match(
      unknown[0]?.message ?? '',
      /which leaves the ledger with OAuthClient\/github: plan again after/,
    );
  });

  it('of an `id:` line with the predecessor of another address names that predecessor, and not the address', async () => {
    const clients = [clientDocument('oc-1'), clientDocument('oc-2')];
    const both = {
      github: entry('https://git.example.com'),
      old: entry('https://git.example.com', { id: 'oc-1' }),
    };
    const ledger = smallLedger(recorded('oc-2', { retiring: ['oc-1'] }));
    const { problems } = planChanges(await smallFacts({ clients }, manifest(both), ledger));
    assert.match(
      problems[0]?.message ?? '',
      /Remove the `id:` line, or forget it there first: add `forget: \[OAuthClient\/oc-1\]` and apply\.$/,
    );
  });

  it('of an `id:` line that names the client of an address without an entry asks for no removal of that entry', async () => {
    const ledger = {
      ...recorded('oc-1'),
      'OAuthClient/hub': { id: 'oc-2', createdAt: longAgo, values, digests: {} },
    };
    const clients = [clientDocument('oc-1'), clientDocument('oc-2', { name: 'Hub' })];
    const says = manifest({ github: entry('https://git.example.com', { id: 'oc-2' }) });
    const { problems } = planChanges(await smallFacts({ clients }, says, smallLedger(ledger)));
    assert.match(
      problems[0]?.message ?? '',
      /forget it there first: add `forget: \[OAuthClient\/hub\]` and apply/,
    );
  });

  it('of an `id:` line with a client that this plan forgets is another plan, and no line that is there', async () => {
    const ledger = {
      ...recorded('oc-1'),
      'OAuthClient/hub': { id: 'oc-2', createdAt: longAgo, values, digests: {}, retiring: ['oc-3'] },
    };
    const clients = ['oc-1', 'oc-2', 'oc-3'].map((id) => clientDocument(id));
    const hub = entry('https://git.example.com');
    for (const [id, lines, more, isForgotten] of [
      ['oc-2', 'OAuthClient/hub', {}, true],
      ['oc-2', 'OAuthClient/oc-2', {}, true],
      ['oc-3', 'OAuthClient/oc-3', { hub }, true],
      ['oc-3', 'OAuthClient/oc-2', { hub }, false],
      ['oc-2', 'OAuthClient/oc-2', { hub }, false],
    ] as const) {
      const entries = JSON.stringify({ github: entry('https://git.example.com', { id }), ...more });
      const says = smallManifest(`oauthClients: ${entries}\nforget: [${lines}]\n`);
      const { steps, problems } = planChanges(await smallFacts({ clients }, says, smallLedger(ledger)));
      assert.equal(
        steps.some(({ action }) => action === 'forget'),
        isForgotten,
        `${id} ${lines}`,
      );
      const message = problems.find(({ rule }) => rule === 'id-conflict')?.message ?? '';
      const wayOut = isForgotten
        ? /cannot adopt it yet\. This plan forgets it there: apply it, and plan again\.$/
        : /, or forget it there first: .* and apply\.$/;
      assert.match(message, wayOut, `${id} ${lines}`);
    }
  });

  it('of two renames in a row is a line each, so that no client is made again', async () => {
    const first = entry('https://git.example.com');
    const second = entry('https://new.example.com');
    const ledger = {
      'OAuthClient/one': { id: 'oc-1', createdAt: longAgo, values: first, digests: {} },
      'OAuthClient/two': { id: 'oc-2', createdAt: longAgo, values: second, digests: {} },
    };
    const clients = [clientDocument('oc-1'), clientDocument('oc-2', second)];
    const planOf = async (entries: object) =>
      planChanges(await smallFacts({ clients }, manifest(entries), smallLedger(ledger)));
    const renamed = await planOf({ one: second, three: first });
    assert.deepEqual(
      renamed.problems.map(({ rule, address }) => [rule, address]),
      [
        ['possible-match', 'OAuthClient/one'],
        ['possible-match', 'OAuthClient/three'],
      ],
    );
    assert.match(
      `${renamed.problems[1]?.message} ${renamed.problems[1]?.line}`,
      /oc-1 belongs to OAuthClient\/one, which replaces it: to keep it, add `forget: .* forget: \[OAuthClient\/oc-1\]$/,
    );
    assert.deepEqual(renamed.steps, []);
    const copied = await planOf({ one: first, two: second, three: first });
    assert.deepEqual(
      copied.steps.map(({ id }) => id),
      ['create OAuthClient/three'],
      'of two equal entries both are wanted',
    );
  });

  it('of a create that may have made three clients names all three', async () => {
    const sent = { ...values, httpUrl: 'https://git.example.com' };
    const attemptedAt = '2026-01-01T11:59:30.000Z';
    const pending = { [github]: { attemptedAt, values: sent, digests: {}, existing: [] } };
    const clients = ['oc-1', 'oc-2', 'oc-3'].map((id) => clientDocument(id, { createdAt: attemptedAt }));
    const says = manifest({ github: sent });
    const { problems } = planChanges(await smallFacts({ clients }, says, smallLedger({}, pending)));
    const [{ message = '', line } = {}] = problems;
    assert.match(
      message,
      /oc-1 and oc-2 and oc-3 are all equal to it. Adopt one of them, and delete the others by hand/,
    );
    assert.equal(line, 'id: oc-1 # or oc-2 # or oc-3');
  });
});
