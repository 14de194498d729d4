/** Worlds with outcomes written by hand, because no course fails when the oracle accepts too much. Each test stands for a rule of RULES.md. */
import assert from 'node:assert/strict';
import { createOutcomes } from './creates';
import { desiredOf } from './desired';
import { expectClients } from './expect-clients';
import { keepClients } from './expect-kept';
import { type Approval, type ClientEntry, emptyFolder } from './manifests';
import { movesOf } from './moves';
import { organization } from './organization';
import { planOutcomes } from './plan-outcomes';
import { openView, type RealClient, type Reality } from './reality';
import type { Situation } from './situation';
import { type LedgerObject, type PendingCreate, readLedger } from './tool';

const url = 'https://one.example';
const fixed = { serviceProvider: 'provider_a', httpUrl: url, apiUrl: `${url}/api` };
const createdAt = '2026-01-01T00:00:00.000Z';
const now = Date.parse('2026-01-02T00:00:00.000Z');
const clientDefaults = { key: null, organizationScoped: true, agentPool: null, projects: [] };

const client = (id: string, name: string): RealClient => ({
  id,
  createdAt,
  ...fixed,
  ...clientDefaults,
  name,
});
const entry = (name: string, more: Partial<ClientEntry> = {}): ClientEntry => ({
  ...fixed,
  name,
  secrets: {},
  ...more,
});
const record = (id: string, name: string): LedgerObject => ({ id, createdAt, values: { ...fixed, name } });

interface World {
  readonly entries: Readonly<Record<string, ClientEntry>>;
  readonly clients?: readonly RealClient[];
  readonly recorded?: Readonly<Record<string, LedgerObject>>;
  readonly pending?: Readonly<Record<string, PendingCreate>>;
  readonly approved?: readonly Approval[];
  readonly forget?: readonly string[];
}

function situationOf({ entries, clients = [], recorded = {}, ...world }: World): Situation {
  const { pending = {}, approved = [], forget = [] } = world;
  const folder = {
    ...emptyFolder(organization),
    clients: { ...entries },
    approved: [...approved],
    forget: [...forget],
  };
  const reality: Reality = {
    clients: new Map(clients.map((one) => [one.id, one])),
    secrets: new Map(),
    triggers: [],
  };
  return {
    folder,
    desired: desiredOf(folder, 'default'),
    ledger: { ...readLedger(undefined), objects: recorded, pending },
    isElsewhere: false,
    view: openView(reality, new Set()),
    reality,
    now,
    profile: 'default',
    rights: 'owner',
    lacks: new Set(),
    secretOf: () => undefined,
    destroy: false,
  };
}

describe('the expectations of the model', () => {
  const pendingSince = (milliseconds: number): PendingCreate => ({
    attemptedAt: new Date(now - milliseconds).toISOString(),
    values: { ...fixed, name: 'One' },
    digests: {},
    existing: [],
  });
  const unmanaged = [client('oc-1', 'One')];
  const recorded = { 'OAuthClient/old': record('oc-1', 'One') };
  const creates: Readonly<Record<string, readonly [World, readonly string[]]>> = {
    'makes a client without an equal': [{ entries: { new: entry('One') } }, ['create']],
    'makes none beside an unmanaged equal': [
      { entries: { new: entry('One') }, clients: unmanaged },
      ['problem'],
    ],
    'makes one beside an equal that allowDuplicate names': [
      { entries: { new: entry('One', { allowDuplicate: ['oc-1'] }) }, clients: unmanaged },
      ['create'],
    ],
    'makes one beside a client with another name': [
      { entries: { new: entry('Two') }, clients: unmanaged },
      ['create'],
    ],
    'makes none without the key that its provider needs': [
      { entries: { new: entry('One', { serviceProvider: 'provider_c_server' }) } },
      ['problem'],
    ],
    'makes none while an equal create may still appear': [
      { entries: { new: entry('One') }, pending: { 'OAuthClient/other': pendingSince(60_000) } },
      ['problem', 'unknown'],
    ],
    'leaves open what happens beside an equal create that never appeared': [
      { entries: { new: entry('One') }, pending: { 'OAuthClient/other': pendingSince(180_000) } },
      ['create', 'problem', 'unknown'],
    ],
    'makes none beside a recorded equal that differs in a field and so does not move': [
      {
        entries: { new: entry('One', { key: 'k' }) },
        clients: unmanaged,
        recorded: {
          'OAuthClient/old': { ...record('oc-1', 'One'), values: { ...fixed, name: 'One', key: 'x' } },
        },
      },
      ['problem'],
    ],
    'leaves open what happens beside an equal that an approved destroy ends': [
      {
        entries: { new: entry('One') },
        clients: unmanaged,
        recorded,
        approved: [{ destroy: 'OAuthClient/old', id: 'oc-1' }],
      },
      ['create', 'problem', 'unknown'],
    ],
  };
  for (const [rule, [world, outcomes]] of Object.entries(creates)) {
    it(rule, () => {
      const situation = situationOf(world);
      const wanted = situation.desired.clients.get('new');
      assert.ok(wanted);
      assert.deepEqual(createOutcomes(situation, wanted), outcomes);
    });
  }

  const move = (isSure: boolean) => ({ to: 'new', isSure });
  const moves: Readonly<Record<string, readonly [Partial<World>, readonly object[]]>> = {
    'moves the only client with equal fields': [{}, [move(true)]],
    'moves no client that somebody changed, for sure': [{ clients: [client('oc-1', 'Two')] }, [move(false)]],
    'moves no client for sure if two addresses fit': [
      { entries: { new: entry('One'), second: entry('One') } },
      [move(false), { to: 'second', isSure: false }],
    ],
    'moves no client that a line forgets': [{ forget: ['OAuthClient/old'] }, []],
    'moves no client that an approval destroys': [
      { approved: [{ destroy: 'OAuthClient/old', id: 'oc-1' }] },
      [],
    ],
    'moves a client beside an approval for another id': [
      { approved: [{ destroy: 'OAuthClient/old', id: 'oc-9' }] },
      [move(true)],
    ],
  };
  for (const [rule, [more, expected]] of Object.entries(moves)) {
    it(rule, () => {
      // An absent field of the entry equals an absent one of the record.
      const world = { entries: { new: entry('One') }, clients: unmanaged, recorded, ...more };
      assert.deepEqual(movesOf(situationOf(world)).get('old') ?? [], expected);
    });
  }

  for (const [rule, isProblem, outcomes] of [
    ['deletes what nothing declares', false, ['delete oc-1']],
    ['deletes no client while a declared one cannot be made', true, ['nothing', 'unknown', 'problem']],
  ] as const) {
    it(rule, () => {
      const world = {
        entries: { new: entry('Two', { httpUrl: 'https://two.example' }) },
        clients: unmanaged,
      };
      const situation = situationOf({ ...world, recorded });
      const planned = { state: 'planned', steps: [], unknown: [], blockers: [], text: '' } as const;
      const problems = isProblem ? [{ address: 'OAuthClient/new', message: 'refused' }] : [];
      const plan = planOutcomes(situation, { ...planned, problems });
      const kept = keepClients(situation, expectClients(situation), plan);
      assert.deepEqual([...(kept.get('OAuthClient/old') ?? [])], outcomes);
    });
  }
});
