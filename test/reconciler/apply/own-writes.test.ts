/** An apply knows its own attachments when it looks at a client again, and nobody else's. */
import assert from 'node:assert/strict';
import { OwnWrites } from '../../../reconciler/apply/task';
import { projectAttachment } from '../../../resources/project-attachment';
import { registry } from '../../../resources/registry';
import { runTrigger } from '../../../resources/run-trigger';

describe('what an apply did itself', () => {
  const key = (projectId: string) => ({ organization: 'acme', oauthClientId: 'oc-1', projectId });
  const fresh = () => new OwnWrites(registry);
  type Deed = readonly [project: string, there: boolean];

  const rows: { what: string; deeds: readonly Deed[]; before: string[]; after: string[] }[] = [
    { what: 'nothing leaves the projects as they were', deeds: [], before: ['a'], after: ['a'] },
    { what: 'an attachment adds its project', deeds: [['b', true]], before: ['a'], after: ['a', 'b'] },
    { what: 'an attachment that was there adds nothing', deeds: [['a', true]], before: ['a'], after: ['a'] },
    { what: 'a detachment takes its project', deeds: [['a', false]], before: ['a', 'b'], after: ['b'] },
    {
      what: 'the last of several deeds counts',
      deeds: [
        ['a', false],
        ['a', true],
        ['b', true],
        ['b', false],
      ],
      before: ['a'],
      after: ['a'],
    },
  ];
  for (const { what, deeds, before, after } of rows) {
    it(what, () => {
      const own = fresh();
      for (const [project, there] of deeds) own.linked(projectAttachment, key(project), there);
      assert.deepEqual(own.expected('oc-1', { name: 'x', projectIds: before }), {
        name: 'x',
        projectIds: after,
      });
    });
  }

  it('is nothing on another client, and nothing where the projects were not observed', () => {
    const own = fresh();
    own.linked(projectAttachment, key('b'), true);
    assert.deepEqual(own.expected('oc-2', { projectIds: [] }), { projectIds: [] });
    assert.deepEqual(own.expected('oc-1', { name: 'x' }), { name: 'x' });
  });

  it('shows of an attachment on its client, and of a trigger nowhere', () => {
    const own = fresh();
    assert.deepEqual(own.shownBy(projectAttachment, key('a')), ['OAuthClient oc-1']);
    const pair = { organization: 'acme', workspaceId: 'ws-a', sourceableId: 'ws-b' };
    assert.deepEqual(own.shownBy(runTrigger, pair), []);
  });
});
