/** Every field of every kind on the real engine: created, left alone, changed, changed elsewhere, adopted, destroyed. */
import assert from 'node:assert/strict';
import { OAuthClient } from '../../provider/pulumi';
import { onChangeOf } from '../../resources/diff';
import { readProfile } from '../../resources/profile';
import {
  clientArgs,
  declareEveryField,
  everyFieldSeed,
  fieldsByKind,
  valuesByKind,
} from '../support/every-field';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld, type Ran } from '../support/pulumi-world';

const profile = readProfile('hcp-terraform', root);

/** `update OAuthClient name [name]` for every field: what a change of all of them must show. */
const expected = Object.entries(fieldsByKind)
  .flatMap(([kind, fields]) =>
    Object.entries(fields).map(
      ([field, definition]) => `${onChangeOf(definition, profile)} ${kind} ${field} [${field}]`,
    ),
  )
  .sort();

/** Updates and replacements with the fields that show them, members of a list by the name of the list. */
function shown({ changes }: Ran): readonly string[] {
  return changes
    .flatMap((one) => {
      const [, step = '', fields = ''] = /^((?:update|replace) \S+ \S+) \[(.*)\]$/u.exec(one) ?? [];
      const names = new Set(fields.split(', ').map((field) => field.replace(/\[\d+\]$/u, '')));
      return step === '' ? [] : [`${step} [${[...names].join(', ')}]`];
    })
    .sort();
}

/** Source and target of the triggers that the first values make. */
const firstPairs = ['ws-10 ws-9', 'ws-12 ws-13', 'ws-15 ws-16', 'ws-2 ws-1', 'ws-4 ws-1', 'ws-7 ws-6'];

describe('every field of every kind', () => {
  it('has two values in this test', () => {
    assert.deepEqual(
      Object.entries(valuesByKind).map(([kind, fields]) => [kind, Object.keys(fields)]),
      Object.entries(fieldsByKind).map(([kind, fields]) => [kind, Object.keys(fields)]),
    );
  });
});

describe('every field of every kind on the real engine', () => {
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start({
      seed: everyFieldSeed,
      profile: 'hcp-terraform',
      config: { 'tether:profile': { value: 'hcp-terraform' } },
    });
    world.program = async () => declareEveryField(0);
  });
  afterEach(() => world?.close());

  const clientNamed = (name: string) =>
    world.service.snapshot().oauthClients.find((one) => one.name === name) ?? assert.fail(name);
  const pairs = (): string[] =>
    world.service
      .snapshot()
      .runTriggers.map((one) => `${one.sourceableId} ${one.workspaceId}`)
      .sort();

  it('is created, then left alone, then updated or replaced as its definition says, and nothing besides', async () => {
    const made = await world.settle();
    assert.deepEqual(made.steps, { create: expected.length + 2 });
    world.program = async () => declareEveryField(1);
    assert.deepEqual(shown(await world.preview()), expected);
    assert.deepEqual(shown(await world.settle()), expected);
    assert.deepEqual(pairs(), [
      'ws-10 ws-9',
      'ws-11 ws-9',
      'ws-14 ws-13',
      'ws-15 ws-16',
      'ws-15 ws-17',
      'ws-2 ws-3',
      'ws-5 ws-1',
      'ws-7 ws-8',
    ]);
    const { key, agentPoolId, projectIds } = { ...clientNamed('c-key'), ...pick() };
    assert.deepEqual([key, agentPoolId, projectIds], ['key-2', 'apool-lab', ['prj-1', 'prj-2']]);
    assert.equal(
      world.service.snapshot().oauthClients.length,
      Object.keys(valuesByKind.OAuthClient).length + 2,
    );
    assert.doesNotMatch(world.stateText(), /canary/);

    function pick() {
      return {
        agentPoolId: clientNamed('c-agentPoolId').agentPoolId,
        projectIds: [...clientNamed('c-projectIds').projectIds].sort(),
      };
    }
  });

  it('is seen by a refresh when somebody changed it or took it away, and repaired', async () => {
    assert.equal((await world.up()).failure, undefined);
    const before = world.service.snapshot();
    const { somebody } = world;
    const elsewhere = {
      name: { name: 'theirs' },
      key: { key: 'theirs' },
      rsaPublicKey: { rsaPublicKey: 'theirs' },
      organizationScoped: { organizationScoped: false },
      projectIds: { projectIds: ['prj-3'] },
      agentPoolId: { agentPoolId: null },
    };
    for (const [field, change] of Object.entries(elsewhere)) {
      const name = field === 'name' ? 'before' : `c-${field}`;
      await somebody.oauthClients.update(clientNamed(name).id, change);
    }
    await somebody.oauthClients.delete(clientNamed('c-httpUrl').id);
    await somebody.oauthClients.detach(clientNamed('one').id, ['prj-2']);
    const idOf = (pair: string) =>
      before.runTriggers.find((one) => `${one.sourceableId} ${one.workspaceId}` === pair)?.id ?? pair;
    for (const pair of ['ws-2 ws-1', 'ws-10 ws-9', 'ws-15 ws-16']) {
      await somebody.runTriggers.delete(idOf(pair));
    }
    await somebody.runTriggers.create('ws-6', 'ws-17');
    await somebody.runTriggers.create('ws-17', 'ws-12');
    assert.equal((await world.refresh()).failure, undefined);
    const repaired = await world.settle();
    assert.deepEqual(shown(repaired), [
      'update InboundRunTriggers sourceableIds [sourceableIds]',
      'update InboundRunTriggers workspaceId [sourceableIds]',
      ...Object.keys(elsewhere)
        .map((field) => `update OAuthClient ${field} [${field}]`)
        .sort(),
      'update OutboundRunTriggers sourceableId [workspaceIds]',
      'update OutboundRunTriggers workspaceIds [workspaceIds]',
    ]);
    assert.deepEqual(
      repaired.changes
        .filter((one) => one.startsWith('create '))
        .map((one) => one.split(' [')[0])
        .sort(),
      ['create OAuthClient httpUrl', 'create ProjectAttachment projectId', 'create RunTrigger workspaceId'],
    );
    assert.deepEqual(pairs(), firstPairs);
  });

  it('goes when it is destroyed, gone already or not', async () => {
    assert.equal((await world.up()).failure, undefined);
    const { somebody } = world;
    const { oauthClients, runTriggers } = world.service.snapshot();
    for (const [index, { id }] of runTriggers.entries()) {
      if (index % 2 === 0) await somebody.runTriggers.delete(id);
    }
    await somebody.oauthClients.detach(clientNamed('one').id, ['prj-1']);
    for (const [index, { id, name }] of oauthClients.entries()) {
      if (index % 2 === 0 && name !== 'one') await somebody.oauthClients.delete(id);
    }
    assert.equal((await world.destroy()).failure, undefined);
    const left = world.service.snapshot();
    assert.deepEqual([left.oauthClients, left.runTriggers], [[], []]);
  });

  it('is adopted where it exists, and only what differs is written', async () => {
    const { somebody } = world;
    const ids = new Map<string, string>();
    for (const name of [...Object.keys(valuesByKind.OAuthClient), 'one', 'two']) {
      const { serviceProvider, httpUrl, apiUrl } = clientArgs(name, undefined);
      const [own] =
        name === 'serviceProvider' || name === 'httpUrl' || name === 'apiUrl'
          ? valuesByKind.OAuthClient[name]
          : [];
      const made = await somebody.oauthClients.create('acme', {
        serviceProvider: String(serviceProvider ?? own),
        httpUrl: String(httpUrl ?? own),
        apiUrl: String(apiUrl ?? own),
        name: `old-${name}`,
        ...(name === 'privateKey' ? { privateKey: 'theirs' } : {}),
      });
      ids.set(name, made.id);
    }
    await somebody.oauthClients.attach(ids.get('one') ?? '', ['prj-1', 'prj-2']);
    for (const pair of firstPairs) {
      const [source = '', target = ''] = pair.split(' ');
      await somebody.runTriggers.create(target, source);
    }
    world.writes();
    world.program = async () =>
      declareEveryField(0, { more: (name) => ({ adoptId: ids.get(name) ?? assert.fail(name) }) });
    await world.settle();
    const written = new Set(world.writes());
    assert.deepEqual([...written].sort(), [
      'PATCH /oauth-clients/:id',
      'POST /oauth-clients/:id/relationships/projects',
    ]);
    const { oauthClients } = world.service.snapshot();
    assert.deepEqual(oauthClients.map((one) => one.id).sort(), [...ids.values()].sort());
    assert.deepEqual(pairs(), firstPairs);
  });

  it('may be unknown in a preview, of a create as of a change', async () => {
    const program = (name: string) => async (): Promise<void> => {
      const first = new OAuthClient('first', { ...clientArgs('name', name) });
      // Known once the first one is there; unknown again in the preview of its update.
      const give = <Value>(value: Value) => first.createdAt.apply<Value>(() => value);
      declareEveryField(0, { give });
    };
    world.program = program('first');
    const create = await world.preview();
    assert.deepEqual([create.failure, create.steps], [undefined, { create: expected.length + 3 }]);
    await world.settle();
    world.program = program('renamed');
    const change = await world.preview();
    assert.equal(change.failure, undefined);
    // What is not known yet may differ. Of links and sets both ends are unknown here, and one of them replaces.
    const ofClients = (steps: readonly string[]) => steps.filter((one) => one.includes(' OAuthClient '));
    assert.deepEqual(
      ofClients(shown(change)),
      ofClients([...expected, 'update OAuthClient first [name]']).sort(),
    );
    const ofLinks = shown(change).filter((one) => !one.includes(' OAuthClient '));
    assert.deepEqual([ofLinks.length, ofLinks.filter((one) => !one.startsWith('replace '))], [8, []]);
    assert.deepEqual((await world.settle()).changes, ['update OAuthClient first [name]']);
  });
});
