/** What tells objects apart or proves them gone: a 404 with a list that lacks it, what never changes. */
import assert from 'node:assert/strict';
import { describeMatch, possibleMatches } from '../../resources/diff';
import { readPart } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { toFoundClient } from '../../resources/oauth-client-calls';
import { projectAttachment } from '../../resources/project-attachment';
import { provedGone } from '../../resources/safe-calls';
import { githubFields } from '../support/acme';
import { type Answers, readApi } from '../support/read-api';
import { clientDocument } from '../support/small-world';

describe('an object that answers 404', () => {
  const one = clientDocument('oc-1');
  const rows: { what: string; answers: Answers; gone: boolean }[] = [
    {
      what: 'gone when its list lacks it',
      answers: { clients: { acme: [clientDocument('oc-2')] } },
      gone: true,
    },
    { what: 'not gone when its list has it', answers: { clients: { acme: [one] } }, gone: false },
    { what: 'not known to be gone when its list cannot be read', answers: {}, gone: false },
    {
      what: 'there when a Show finds it, whatever the list says',
      answers: { clients: { acme: [] }, shows: { 'oc-1': one } },
      gone: false,
    },
  ];
  for (const { what, answers, gone } of rows) {
    it(`is ${what}`, async () => {
      const key = { organization: 'acme' };
      assert.equal(await provedGone(readApi(answers).api, oauthClient, 'oc-1', key), gone);
    });
  }

  it('is no question where the service fails otherwise', async () => {
    const { api } = readApi({ shows: { 'oc-1': new Error('no answer') } });
    await assert.rejects(provedGone(api, oauthClient, 'oc-1', { organization: 'acme' }), /no answer/);
  });

  it('is looked for in the list alone where it has no Show', async () => {
    const key = { organization: 'acme', oauthClientId: 'oc-1', projectId: 'prj-1' };
    const { api, calls } = readApi({ clients: { acme: [one] } });
    assert.equal(await provedGone(api, projectAttachment, 'oc-1/prj-1', key), true);
    assert.deepEqual(calls, ['list acme']);
  });
});

describe('a possible match', () => {
  const values = { organization: 'acme', ...githubFields };
  it('has the same name, provider and URLs; the organization does not count', () => {
    const matches = (there: typeof values) =>
      possibleMatches(oauthClient, values, [{ id: 'oc-1', values: there, outputs: {} }]).length;
    assert.equal(matches({ ...values, organization: 'other' }), 1);
    for (const field of ['name', 'serviceProvider', 'httpUrl', 'apiUrl'])
      assert.equal(matches({ ...values, [field]: 'other' }), 0, field);
  });

  it('is described so that a person can recognise it', () => {
    const of = (more: object) => describeMatch(toFoundClient(clientDocument('oc-1', more), 'acme'));
    assert.equal(
      of({}),
      'oc-1, created 2025-01-01T00:00:00.000Z, not connected, offered to the whole organization',
    );
    assert.equal(
      of({ oauthTokenIds: ['ot-1'], organizationScoped: false, projectIds: ['prj-1', 'prj-2'] }),
      'oc-1, created 2025-01-01T00:00:00.000Z, connected, offered to 2 projects',
    );
  });
});

describe('a key', () => {
  it('without a part that is asked for is a mistake of ours, and says which', () => {
    assert.equal(readPart({ workspaceId: 'ws-1' }, 'workspaceId'), 'ws-1');
    assert.throws(() => readPart({ workspaceId: 'ws-1' }, 'sourceableId'), /a key without sourceableId/);
  });
});
