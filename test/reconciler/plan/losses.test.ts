/** The one limit on losses: how many of how many may go without `--max-deletes`. */
import assert from 'node:assert/strict';
import type { RunTriggerDocument } from '../../../client/api';
import type { LedgerObject } from '../../../reconciler/ledger/ledger';
import type { Facts } from '../../../reconciler/plan/facts';
import { planChanges } from '../../../reconciler/plan/make';
import { githubFields } from '../../support/acme';
import {
  clientFacts,
  createdClient,
  declare,
  github,
  newUrl,
  pendingCreate,
  recordClient,
} from '../../support/client-rows';
import {
  clientDocument,
  longAgo,
  smallFacts,
  smallLedger,
  smallManifest,
  triggerDocument,
} from '../../support/small-world';

interface Losses {
  /** Triggers in the ledger that stay. */
  readonly kept?: number;
  readonly deleted?: number;
  readonly missing?: number;
  /** Missing ones that a `forget` line names. */
  readonly forgotten?: number;
  /** Missing clients that a problem keeps from being made again. */
  readonly refused?: number;
  /** Triggers whose ends cannot be seen. */
  readonly unknown?: number;
  /** Triggers in the ledger of another target. */
  readonly elsewhere?: number;
  /** Unmanaged ones that an exact set deletes. */
  readonly unmanaged?: number;
  readonly maxDeletes?: number;
}

const rows: readonly (readonly [Losses, remedy: string | undefined])[] = [
  [{ kept: 1, deleted: 5 }, undefined],
  [{ kept: 1, deleted: 6 }, '--max-deletes 6'],
  [{ kept: 14, deleted: 6 }, undefined],
  [{ kept: 13, deleted: 6 }, '--max-deletes 6'],
  [{ kept: 1, missing: 6 }, '--max-deletes 6'],
  [{ kept: 1, deleted: 3, missing: 3 }, '--max-deletes 6'],
  [{ kept: 1, unmanaged: 6 }, '--max-deletes 6'],
  [{ kept: 14, unmanaged: 6 }, undefined],
  [{ deleted: 1 }, undefined],
  [{ deleted: 2 }, '--max-deletes 2'],
  [{ missing: 2 }, '--max-deletes 2'],
  [{ missing: 1, forgotten: 1 }, '--max-deletes 2'],
  [{ missing: 1, refused: 1 }, '--max-deletes 2'],
  [{ missing: 2, unknown: 1 }, '--max-deletes 2'],
  [{ missing: 1, unknown: 1 }, undefined],
  [{ deleted: 1, unmanaged: 1 }, '--max-deletes 2'],
  // The ledger has no link of that set.
  [{ unmanaged: 1 }, '--max-deletes 1'],
  [{ unmanaged: 1, elsewhere: 9 }, '--max-deletes 1'],
  [{ unmanaged: 1, elsewhere: 9, maxDeletes: 1 }, undefined],
  [{ unmanaged: 2, elsewhere: 9, maxDeletes: 1 }, '--max-deletes 2'],
  [{ kept: 1, unmanaged: 4 }, undefined],
  // The share is taken of what is seen.
  [{ kept: 1, deleted: 6, unknown: 20 }, '--max-deletes 6'],
  [{ kept: 14, missing: 6 }, '--max-deletes 6'],
  [{ deleted: 2, maxDeletes: 2 }, undefined],
  [{ kept: 9, deleted: 2, maxDeletes: 1 }, '--max-deletes 2'],
  [{ kept: 9, deleted: 1, maxDeletes: 0 }, '--max-deletes 1'],
];

async function factsOf(losses: Losses): Promise<Facts> {
  const { kept = 0, deleted = 0, missing = 0, unmanaged = 0, maxDeletes } = losses;
  const { forgotten = 0, refused = 0, unknown = 0, elsewhere = 0 } = losses;
  const triggers: RunTriggerDocument[] = [];
  const objects: Record<string, LedgerObject> = {};
  const lines: string[] = [];
  const others: string[] = [];
  const add = (count: number, name: string, states: { recorded?: true; there?: true; declared?: true }) => {
    for (let index = 0; index < count; index += 1) {
      const source = `${name}${index}`;
      const id = `rt-${source}`;
      if (states.recorded) objects[`RunTrigger/ws-app/ws-${source}`] = { id, createdAt: longAgo };
      if (states.there) triggers.push(triggerDocument(id, `app<${source}`));
      if (states.declared) lines.push(`ws-${source}`);
    }
  };
  add(kept, 'kept', { recorded: true, there: true, declared: true });
  add(deleted, 'deleted', { recorded: true, there: true });
  add(missing, 'missing', { recorded: true, declared: true });
  add(unmanaged, 'unmanaged', { there: true });
  add(forgotten, 'forgotten', { recorded: true });
  const clients: Record<string, object> = {};
  for (let index = 0; index < refused; index += 1) {
    objects[`OAuthClient/c${index}`] = { id: `oc-${index}`, createdAt: longAgo };
    const url = `https://c${index}.example.com`;
    // It lacks the key without which the service makes none.
    clients[`c${index}`] = { serviceProvider: 'provider_c_server', httpUrl: url, apiUrl: url };
  }
  for (let index = 0; index < elsewhere; index += 1) {
    objects[`RunTrigger/ws-docs/ws-e${index}`] = { id: `rt-e${index}`, createdAt: longAgo };
    triggers.push(triggerDocument(`rt-e${index}`, `docs<e${index}`));
    others.push(`{ target: ws-docs, source: ws-e${index} }`);
  }
  const hidden = Array.from({ length: unknown }, (_, index) => `ws-hidden${index}`);
  for (const id of hidden) objects[`RunTrigger/${id}/ws-hidden`] = { id: `rt-${id}`, createdAt: longAgo };
  const names = Array.from({ length: forgotten }, (_, index) => `RunTrigger/ws-app/ws-forgotten${index}`);
  const manifests = smallManifest(
    [
      `runTriggers: [${[`{ target: ws-app, sources: [${lines.join(', ')}] }`, ...others].join(', ')}]\n`,
      `forget: [${names.join(', ')}]\noauthClients: ${JSON.stringify(clients)}\n`,
    ].join(''),
  );
  const existing = { triggers, hidden: [...hidden, 'ws-hidden'] };
  return smallFacts(existing, manifests, smallLedger(objects), { maxDeletes });
}

describe('the limit on losses', () => {
  for (const [losses, remedy] of rows) {
    it(`of ${JSON.stringify(losses)} asks for ${remedy ?? 'nothing'}`, async () => {
      const { blockers } = planChanges(await factsOf(losses));
      assert.deepEqual(
        blockers.map((blocker) => blocker.remedy),
        remedy === undefined ? [] : [remedy],
      );
    });
  }

  it('takes its share of the links of a client too whose delete is held', async () => {
    const projects = Array.from({ length: 20 }, (_, index) => `prj-${index}`);
    const sources = Array.from({ length: 6 }, (_, index) => `s${index}`);
    const objects = {
      'OAuthClient/github': { id: 'oc-1', createdAt: longAgo },
      ...Object.fromEntries(projects.map((id) => [`ProjectAttachment/oc-1/${id}`, {}])),
      ...Object.fromEntries(
        sources.map((source) => [`RunTrigger/ws-app/ws-${source}`, { id: `rt-${source}` }]),
      ),
    };
    // The forget line names nothing, so it holds the delete.
    const manifests = smallManifest(
      'forget: [OAuthClient/oc-11]\napproved: [{ destroy: OAuthClient/github, id: oc-1 }]\n',
    );
    const existing = {
      clients: [clientDocument('oc-1', { projectIds: projects })],
      triggers: sources.map((source) => triggerDocument(`rt-${source}`, `app<${source}`)),
    };
    const { steps, blockers } = planChanges(await smallFacts(existing, manifests, smallLedger(objects)));
    assert.equal(steps.length, 6);
    assert.deepEqual(blockers, []);
  });

  it('says of clients that are replaced, with an attachment each, that none of the ledger stays', async () => {
    const entry = (id: string) => ({
      ...{ name: `GitHub ${id}`, serviceProvider: 'provider_a', projects: ['prj-1'] },
      ...{ httpUrl: 'https://new.example.com', apiUrl: 'https://new.example.com' },
    });
    const ids = ['oc-1', 'oc-2'];
    const manifests = smallManifest(
      `oauthClients: ${JSON.stringify(Object.fromEntries(ids.map((id) => [`c${id}`, entry(id)])))}
approved: [${ids.map((id) => `{ replace: OAuthClient/c${id}, id: ${id} }`).join(', ')}]\n`,
    );
    const objects = Object.fromEntries(
      ids.flatMap((id) => [
        [`OAuthClient/c${id}`, { id, createdAt: longAgo }],
        [`ProjectAttachment/${id}/prj-1`, {}],
      ]),
    );
    const clients = ids.map((id) => clientDocument(id, { name: `GitHub ${id}`, projectIds: ['prj-1'] }));
    const { blockers } = planChanges(await smallFacts({ clients }, manifests, smallLedger(objects)));
    assert.match(
      blockers[0]?.message ?? '',
      /^This plan has 2 deletions, and no object of the ledger that can be seen would stay\. Make sure/,
    );
  });

  it('counts a client that is taken over among those that stay', async () => {
    const { steps, blockers, losses } = planChanges(
      await clientFacts({
        manifest: `${declare(newUrl)}approved: [{ replace: ${github}, id: oc-1 }]\n`,
        record: recordClient(),
        ledger: { 'ProjectAttachment/oc-1/prj-1': {} },
        pending: pendingCreate(30, { values: { ...githubFields, ...newUrl, projectIds: ['prj-1'] } }),
        existing: [
          clientDocument('oc-1', { projectIds: ['prj-1'] }),
          createdClient('oc-2', 29, { ...newUrl, projectIds: ['prj-1'] }),
        ],
      }),
    );
    assert.deepEqual(
      steps.filter(({ action }) => action === 'delete').map(({ id }) => id),
      ['delete ProjectAttachment/github/prj-1', 'delete OAuthClient/github (oc-1)'],
    );
    assert.deepEqual([losses.count, blockers], [2, []]);
  });

  const flags: readonly (readonly [Losses, isIdle: boolean])[] = [
    [{ kept: 9, deleted: 1, maxDeletes: 40 }, true],
    [{ kept: 9, maxDeletes: 6 }, true],
    [{ kept: 9, deleted: 1, maxDeletes: 5 }, false],
    [{ kept: 9, maxDeletes: 0 }, false],
    [{ kept: 9, deleted: 6, maxDeletes: 40 }, false],
    [{ kept: 9, deleted: 6 }, false],
    [{ unmanaged: 1, elsewhere: 9, maxDeletes: 40 }, false],
  ];
  for (const [losses, isIdle] of flags) {
    it(`${isIdle ? 'notes' : 'does not note'} the flag of ${JSON.stringify(losses)}`, async () => {
      const { notes } = planChanges(await factsOf(losses));
      const texts = notes.map(({ message }) => message);
      assert.equal(
        texts.filter((text) => /^--max-deletes \d+ is above the limit of 5/.test(text)).length,
        isIdle ? 1 : 0,
      );
    });
  }
});
