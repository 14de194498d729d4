/** Short courses of the independent model through the resource classes, on the real engine. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { InboundRunTriggers, OAuthClient, ProjectAttachment, RunTrigger } from '../../provider/pulumi';
import { Chance } from '../model/chance';
import { agentPools, organization, projects, seedOf, tokenOf, workspaces } from '../model/organization';
import { type RealClient, type Reality, realityOf } from '../model/reality';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld, type Ran } from '../support/pulumi-world';

const courses = 20;

interface Client {
  name: string;
  key: string;
  organizationScoped: boolean;
  agentPoolId: string;
  projects: string[];
}

/** What a program declares: the model's own picture of it. */
interface Declared {
  readonly clients: Record<string, Client>;
  /** Single triggers, as `target source`. */
  readonly triggers: string[];
  /** The sources of ws-a, exactly. */
  readonly sources: string[];
}

const host = 'https://one.example';

function declare({ clients, triggers, sources }: Declared): void {
  for (const [label, { projects: attached, ...fields }] of Object.entries(clients)) {
    const urls = { httpUrl: host, apiUrl: `${host}/api` };
    const plain = { organization, serviceProvider: 'provider_a', ...urls, deletionProtection: false };
    const client = new OAuthClient(label, { ...plain, ...fields });
    for (const projectId of attached)
      new ProjectAttachment(`${label}-${projectId}`, { oauthClientId: client.id, projectId });
  }
  for (const pair of triggers) {
    const [workspaceId = '', sourceableId = ''] = pair.split(' ');
    new RunTrigger(pair.replace(' ', '-'), { workspaceId, sourceableId });
  }
  if (sources.length > 0) new InboundRunTriggers('into-a', { workspaceId: 'ws-a', sourceableIds: sources });
}

const pairsOf = ({ triggers, sources }: Declared): string[] => [
  ...triggers,
  ...sources.map((source) => `ws-a ${source}`),
];

/** What there must be: what the program declares, and what nobody declared, as it was. */
function checkContent(declared: Declared, strangers: Reality, now: Reality): void {
  const left = (client: RealClient): boolean => strangers.clients.has(client.id);
  const ours = [...now.clients.values()].filter((one) => !left(one));
  assert.deepEqual(
    ours
      .map(({ name, key, organizationScoped, agentPool, projects: attached }) =>
        [name, key, organizationScoped, agentPool, attached.join()].join(' '),
      )
      .sort(),
    Object.values(declared.clients)
      .map((one) =>
        [one.name, one.key, one.organizationScoped, one.agentPoolId, [...one.projects].sort().join()].join(
          ' ',
        ),
      )
      .sort(),
  );
  assert.deepEqual([...now.clients.values()].filter(left), [...strangers.clients.values()]);
  const old = new Set(strangers.triggers.map(({ id }) => id));
  assert.deepEqual(
    now.triggers.filter(({ id }) => old.has(id)),
    strangers.triggers,
  );
  assert.deepEqual(
    now.triggers.flatMap(({ id, target, source }) => (old.has(id) ? [] : [`${target} ${source}`])).sort(),
    pairsOf(declared).sort(),
  );
}

/** Resources that a refresh found changed or missing. */
function shown({ events }: Ran): string[] {
  return events.flatMap(({ resOutputsEvent }) => {
    const step = resOutputsEvent?.metadata;
    if (step === undefined || !/^tether:/u.test(step.type) || !['update', 'delete'].includes(step.op))
      return [];
    return [`${step.op} ${step.urn.slice(step.urn.lastIndexOf('::') + 2)}`];
  });
}

function freshClient(chance: Chance, label: string): Client {
  return {
    name: `${label} ${chance.below(100)}`,
    key: `key-${chance.below(5)}`,
    organizationScoped: chance.often(0.5),
    agentPoolId: chance.pick(agentPools),
    projects: chance.some(projects, 0.4),
  };
}

/** Pairs whose target is neither ws-a, which is a set's, nor ws-f, which is a stranger's. */
const free = workspaces.flatMap((target) =>
  ['ws-a', 'ws-f'].includes(target)
    ? []
    : workspaces.flatMap((source) => (source === target ? [] : [`${target} ${source}`])),
);

function edit(chance: Chance, declared: Declared): void {
  const [label] = Object.keys(declared.clients);
  const choices = [
    () => Object.assign(declared.clients[label ?? ''] ?? {}, freshClient(chance, 'edited')),
    () => Object.assign(declared.clients, { [`extra-${chance.below(100)}`]: freshClient(chance, 'extra') }),
    () => Object.assign(declared, { triggers: chance.some(free, 0.1) }),
    () => Object.assign(declared, { sources: chance.some(['ws-b', 'ws-c', 'ws-d'], 0.7) }),
    () => delete declared.clients[label ?? ''],
  ];
  for (const choice of chance.shuffled(choices).slice(0, 2)) choice();
}

/** Somebody changes things behind the program's back; returns what a refresh must show. */
async function meddle(chance: Chance, owner: Api, declared: Declared, now: Reality): Promise<string[]> {
  const found: string[] = [];
  const [label, client] = Object.entries(declared.clients)[0] ?? [];
  const real = [...now.clients.values()].find(({ name }) => name === client?.name);
  if (label !== undefined && client !== undefined && real !== undefined) {
    const field = chance.pick([{ key: 'of hand' }, { name: 'By hand' }]);
    await owner.oauthClients.update(real.id, { ...field, agentPoolId: client.agentPoolId });
    found.push(`update ${label}`);
  }
  const pair = chance.maybe(declared.triggers);
  const trigger = now.triggers.find(({ target, source }) => pair === `${target} ${source}`);
  if (pair !== undefined && trigger !== undefined) {
    await owner.runTriggers.delete(trigger.id);
    found.push(`delete ${pair.replace(' ', '-')}`);
  }
  return found.sort();
}

describe('the independent model on the real engine', () => {
  before(function () {
    needEngine(this);
  });

  // Two at a time: an engine mostly waits for its provider, and has a core to spare meanwhile.
  for (let seed = 1; seed < courses; seed += 2) {
    it(`agrees with the engine in courses ${seed} and ${seed + 1}`, async () => {
      await Promise.all([play(seed), play(seed + 1)]);
    });
  }
});

async function play(seed: number): Promise<void> {
  const chance = new Chance(seed);
  const world = await PulumiWorld.start({ seed: seedOf(), env: { TETHER_TOKEN: tokenOf('owner') } });
  const reality = (): Reality => realityOf(world.service.snapshot());
  try {
    const owner = world.somebodyWith(tokenOf('owner'));
    const alien = { serviceProvider: 'provider_a', name: 'Alien', httpUrl: host, apiUrl: `${host}/api` };
    await owner.oauthClients.create(organization, alien);
    await owner.runTriggers.create('ws-f', 'ws-a');
    const strangers = reality();
    const declared: Declared = {
      clients: { one: freshClient(chance, 'one') },
      triggers: chance.some(free, 0.15),
      sources: chance.some(['ws-b', 'ws-c'], 0.7),
    };
    world.program = async () => declare(declared);
    const up = async (): Promise<void> => {
      assert.equal((await world.up()).failure, undefined, `course ${seed}`);
      checkContent(declared, strangers, reality());
    };
    await up();
    // Courses take turns, so that all together stay short.
    const isMeddled = seed % 2 === 0;
    if (isMeddled) {
      const wanted = await meddle(chance, owner, declared, reality());
      const refreshed = await world.refresh();
      assert.deepEqual([refreshed.failure, shown(refreshed).sort()], [undefined, wanted], `course ${seed}`);
    } else edit(chance, declared);
    await up();
    world.writes();
    if (!isMeddled) await up();
    assert.deepEqual(world.writes(), [], `course ${seed}: a second up writes nothing`);
    assert.equal((await world.destroy()).failure, undefined);
    checkContent({ clients: {}, triggers: [], sources: [] }, strangers, reality());
  } finally {
    await world.close();
  }
}
