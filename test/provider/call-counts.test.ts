/** How many calls a run of the engine costs: hardly more than `tether apply` of the same. */
import assert from 'node:assert/strict';
import { resourceTypeOf } from '../../provider/resource-types';
import { links, oauthClients, ProviderHandlers } from '../support/provider-handlers';
import { World } from '../support/world';

const body = { serviceProvider: 'provider_a', httpUrl: 'https://a', apiUrl: 'https://a/api' };
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
const workspaces = names('ws', 25);
const projects = names('prj', 4);
const seed = {
  organizations: {
    acme: {
      workspaces: Object.fromEntries(workspaces.map((one) => [one, {}])),
      projects: Object.fromEntries(projects.map((one) => [one, {}])),
    },
  },
  tokens: { 'owner-token': { acme: 'owner' as const } },
};
const clients = names('client', 5);
const [targets, sources] = [workspaces.slice(0, 5), workspaces.slice(5)];

describe('5 clients, 20 attachments and 100 triggers into 5 targets', () => {
  it('cost at most a tenth more calls than `tether apply`', async () => {
    const world = await ProviderHandlers.start(seed);
    const { session } = world;
    const attachment = resourceTypeOf('ProjectAttachment');
    const trigger = resourceTypeOf('RunTrigger');
    await Promise.all([
      ...clients.map(async (name) => {
        const inputs = { ...body, organization: 'acme', name, organizationScoped: false };
        const { id } = await oauthClients(session, name).create(inputs);
        await Promise.all(
          projects.map((projectId) => links(session, attachment).create({ oauthClientId: id, projectId })),
        );
      }),
      ...targets.flatMap((workspaceId) =>
        sources.map((sourceableId) => links(session, trigger).create({ workspaceId, sourceableId })),
      ),
    ]);
    const calls = world.service.requests();
    const { oauthClients: made, runTriggers } = world.service.snapshot();
    await world.close();
    assert.deepEqual([made.length, runTriggers.length], [5, 100]);
    assert.equal(calls.filter(({ route }) => route?.endsWith('/oauth-clients')).length, 1 + 5);
    assert.equal(
      calls.filter(({ method, route }) => method === 'GET' && route === '/oauth-clients/:id').length,
      0,
    );

    const applied = await World.start(seed);
    const entries = clients.map(
      (name) => `  ${name}: ${JSON.stringify({ ...body, name, organizationScoped: false, projects })}`,
    );
    const triggers = targets.map((target) => `  - ${JSON.stringify({ target, sources })}`);
    const text = `apiVersion: tether/v1\norganization: acme\noauthClients:\n${entries.join('\n')}\nrunTriggers:\n${triggers.join('\n')}\n`;
    applied.write('acme.tether.yaml', text);
    const ended = await applied.tether(['apply', '--yes']);
    const ofApply = applied.service.requests().length;
    await applied.close();
    assert.equal(ended.code, 0, ended.stderr);
    assert.ok(calls.length <= ofApply * 1.1, `${calls.length} calls, and ${ofApply} of apply`);
  });
});
