/** A kind that nobody knew: its definition is all that the provider and the resource classes need. */
import assert from 'node:assert/strict';
import { resourceClass } from '../../provider/pulumi/declare';
import { resourceTypeOf, typeOfKind } from '../../provider/resource-types';
import { unknownValue } from '../../provider/state';
import { pulumiClasses } from '../../tools/generated/pulumi-classes';
import { projectGrant } from '../conformance/project-grant';
import { type Front, withGrants } from '../support/grant-service';
import { links, ProviderHandlers } from '../support/provider-handlers';

const type = typeOfKind(projectGrant);
const inputs = { workspaceId: 'ws-app', projectId: 'prj-payments' };

describe('a fourth kind under Pulumi', () => {
  let world: ProviderHandlers;
  let front: Front;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
    front = await withGrants(world.service);
    world.variables.TETHER_ADDRESS = front.url;
  });
  afterEach(async () => {
    await front.close();
    await world.close();
  });

  it('is checked, created, left alone, read and deleted', async () => {
    const run = () => links(world.newRun(), type);
    const wrong = await run().check({}, { ...inputs, projectId: 'ws-dns', colour: 'blue' });
    assert.deepEqual(
      wrong.failures?.map(({ reason }) => reason.split(':')[0]),
      ['colour', 'projectId'],
    );
    const { id, outs = {} } = await run().create(inputs);
    assert.deepEqual(await run().diff(id, outs, inputs), { update: [], replace: [] });
    assert.deepEqual(await run().diff(id, outs, { ...inputs, projectId: unknownValue }), {
      update: [],
      replace: ['projectId'],
    });
    const { props = {}, ...read } = await run().read(id, outs, inputs);
    assert.deepEqual(read.inputs, inputs);
    assert.deepEqual(await run().diff(id, props, inputs), { update: [], replace: [] });
    await run().delete(id, outs);
    assert.deepEqual(await run().read(id, outs), {});
  });

  it('gets its class from `make docs`', () => {
    const text = pulumiClasses([type]);
    for (const line of [
      'export interface ProjectGrantArgs {\n  /** Whose state. A change replaces the resource. */\n  workspaceId: Input<string>;',
      'export interface ProjectGrantShown {\n',
      '\n  createdAt: string;\n',
      "export class ProjectGrant extends resourceClass<ProjectGrantArgs, ProjectGrantShown>('ProjectGrant') {}",
    ]) {
      assert.ok(text.includes(line), line);
    }
  });

  it('throws where the registry does not have it', () => {
    const message = /there is no resource type ProjectGrant/;
    assert.throws(() => resourceTypeOf('ProjectGrant'), message);
    assert.throws(() => resourceClass('ProjectGrant'), message);
  });
});
