/** How export and drift look around, from how few calls. */
import assert from 'node:assert/strict';
import { ServerError } from '../../client/errors';
import { ListCache } from '../../observation/list-cache';
import { emptyLedger } from '../../reconciler/ledger/ledger';
import { surveyAll } from '../../reconciler/survey';
import { manifest, triggerDocument } from '../support/pure-world';
import { type Answers, readApi } from '../support/read-api';

/** `a>b`: runs of a create runs in b. */
function answersOf(arrows: readonly string[]): Answers {
  const all = arrows.map((arrow, index) => {
    const [source = '', target = ''] = arrow.split('>');
    return triggerDocument(`rt-${index}`, `ws-${source}`, `ws-${target}`);
  });
  const ids = [...new Set(all.flatMap(({ workspaceId, sourceableId }) => [workspaceId, sourceableId]))];
  const lists = ids.flatMap((id) => [
    [`${id} inbound`, all.filter(({ workspaceId }) => workspaceId === id)] as const,
    [`${id} outbound`, all.filter(({ sourceableId }) => sourceableId === id)] as const,
  ]);
  return { clients: { acme: [] }, triggers: Object.fromEntries(lists) };
}

const aliases = 'aliases: { workspaces: { first: ws-a } }\n';
const ledger = emptyLedger('acme');

describe('a look around', () => {
  it('reads two lists for each workspace where nobody lists all, one of clients, and none twice', async () => {
    const { api, calls } = readApi(answersOf(['a>b', 'b>c', 'c>d']));
    const { found, workspaces } = await surveyAll(new ListCache(api), manifest(aliases), ledger, null);
    assert.deepEqual([calls.length, new Set(calls).size, workspaces], [1 + 2 * 4, 1 + 2 * 4, 4]);
    assert.equal(found.RunTrigger?.length, 3);
  });

  it('looks also around what no list of all workspaces shows, and says what it cannot read', async () => {
    const answers = answersOf(['a>b', 'a>hidden']);
    const { 'ws-hidden inbound': _in, 'ws-hidden outbound': _out, ...triggers } = answers.triggers ?? {};
    const { api, calls } = readApi({ ...answers, triggers });
    const { found, unread } = await surveyAll(new ListCache(api), manifest(''), ledger, ['ws-a', 'ws-b']);
    assert.equal(found.RunTrigger?.length, 2);
    assert.deepEqual([unread.map(({ owner }) => owner), calls.length], [['workspace ws-hidden'], 1 + 2 * 3]);
  });

  it('finds at their sources the triggers of a target among them that cannot be read', async () => {
    const answers = answersOf(['a>b', 'a>c', 'c>b']);
    const { 'ws-b inbound': _in, 'ws-b outbound': _out, ...triggers } = answers.triggers ?? {};
    const { api, calls } = readApi({ ...answers, triggers });
    const listed = ['ws-a', 'ws-b', 'ws-c'];
    const { found, unread } = await surveyAll(new ListCache(api), manifest(''), ledger, listed);
    assert.deepEqual(
      unread.map(({ owner }) => owner),
      ['workspace ws-b'],
    );
    assert.equal(found.RunTrigger?.length, 3);
    assert.equal(calls.length, 1 + 2 * listed.length);
  });

  it('of drift reads the lists of what is named alone, and one that fails is unread', async () => {
    const answers = answersOf(['a>b', 'b>c', 'c>d']);
    const down = new ServerError('GET /workspaces/ws-a/run-triggers: 503', 'rejected', {
      ...{ method: 'GET', route: '/workspaces/ws-a/run-triggers', status: 503, attempts: 3, details: [] },
    });
    const { api, calls } = readApi({ ...answers, triggers: { ...answers.triggers, 'ws-a inbound': down } });
    const { unread } = await surveyAll(new ListCache(api), manifest(aliases), ledger);
    assert.deepEqual(calls, ['list acme', 'list ws-a inbound', 'list ws-a outbound']);
    assert.deepEqual(
      unread.map(({ owner }) => owner),
      ['workspace ws-a'],
    );
  });
});
