/** A kind that nobody knew: its definition is all that the provider and the resource classes need. */
import assert from 'node:assert/strict';
import { links } from '../../provider/links';
import { DeclaredResource } from '../../provider/pulumi/declare';
import { resourceTypeOf, typeOfKind } from '../../provider/resource-types';
import { unknownValue } from '../../provider/state';
import { pulumiClasses } from '../../tools/generated/pulumi-classes';
import { chain } from '../conformance/chain';
import { ProviderHandlers } from '../support/provider-handlers';
import { declaredBy } from '../support/pulumi-program';

const type = typeOfKind(chain);
const inputs = { __provider: 'text', downstreamId: 'ws-app', upstreamId: 'ws-dns' };

describe('a fourth kind under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
  });
  afterEach(() => world.close());

  it('has the name of its handler from its section', () => {
    assert.equal(type.handler, 'chain');
  });

  it('is checked, created, left alone, read and deleted', async () => {
    const run = () => links(world.newRun(), type);
    const wrong = await run().check({}, { ...inputs, upstreamId: 'prj-1', colour: 'blue' });
    assert.deepEqual(
      wrong.failures?.map(({ reason }) => reason.split(':')[0]),
      ['colour', 'upstreamId'],
    );
    const { id, outs = {} } = await run().create(inputs);
    assert.deepEqual(await run().diff(id, outs, inputs), { changes: false });
    assert.deepEqual(await run().diff(id, outs, { ...inputs, upstreamId: unknownValue }), {
      replaces: ['upstreamId'],
    });
    const read = await run().read(id, outs);
    assert.deepEqual({ ...read.inputs, __provider: 'text' }, inputs);
    assert.deepEqual(await run().diff(id, read.props, inputs), { changes: false });
    await run().delete(id, outs);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
    assert.deepEqual(await run().read(id, outs), {});
  });

  it('gets its class from `make docs`', () => {
    const text = pulumiClasses([type]);
    for (const line of [
      'export interface ChainArgs {\n  /** Where runs start. A change of it replaces the resource. */\n  downstreamId: Input<string>;',
      "export type ChainState = Partial<Pick<ChainArgs, 'downstreamId' | 'upstreamId'>>;",
      'export class Chain extends DeclaredResource implements Inputs<ChainArgs> {',
      '  declare public readonly createdAt: Output<string>;',
      "    super('Chain', name, args, opts);",
    ]) {
      assert.ok(text.includes(line), line);
    }
  });

  it('throws where the registry does not have it', async () => {
    assert.throws(() => resourceTypeOf('Chain'), /there is no resource type Chain/);
    class Chain extends DeclaredResource {}
    await assert.rejects(
      declaredBy(() => {
        new Chain('Chain', 'one', {}, {});
      }),
      /there is no resource type Chain/,
    );
  });
});
