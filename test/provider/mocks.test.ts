/** Programs in their own unit tests: the SDK's mocks stand in for the engine, and nothing is asked of a service. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkedProject } from '../support/provider-process';
import { runProcess } from '../support/run-process';

const program = `
const pulumi = require('@pulumi/pulumi');
const made = [];
pulumi.runtime.setMocks({
  newResource: ({ type, name, inputs }) => {
    made.push(type.split(':').at(-1) + ' ' + name);
    return { id: name + '-id', state: inputs };
  },
  call: ({ inputs }) => inputs,
}, 'project', 'stack', true);
const tether = require('tether-iac/pulumi');
const declare = () => {
  const client = new tether.OAuthClient('github', { organization: 'acme', serviceProvider: 'provider_a', httpUrl: 'https://h', apiUrl: 'https://h', oauthTokenString: 'canary' });
  new tether.ProjectAttachment('web', { oauthClientId: client.id, projectId: 'prj-web' });
  new tether.RunTrigger('one', { workspaceId: 'ws-a', sourceableId: 'ws-b' });
  new tether.InboundRunTriggers('in', { workspaceId: 'ws-c', sourceableIds: ['ws-b'] });
  new tether.OutboundRunTriggers('out', { sourceableId: 'ws-d', workspaceIds: ['ws-e'] });
  return client;
};
(async () => {
  // As two tests of one file do.
  declare();
  const url = await new Promise((resolve) => declare().httpUrl.apply(resolve));
  await pulumi.runtime.disconnect();
  console.log(JSON.stringify({ url, made: [...new Set(made)].sort(), count: made.length }));
})();
`;

describe("a program under the SDK's mocks", () => {
  it('declares every kind, again in the next test, without a service or a token', async () => {
    const folder = linkedProject();
    writeFileSync(join(folder, 'program.js'), program);
    const { TETHER_TOKEN: _, TETHER_ADDRESS: __, ...env } = process.env;
    const ended = await runProcess(process.execPath, ['program.js'], { cwd: folder, env });
    rmSync(folder, { recursive: true });
    assert.equal(ended.stderr, '');
    assert.deepEqual(JSON.parse(ended.stdout), {
      url: 'https://h',
      made: [
        'InboundRunTriggers in',
        'OAuthClient github',
        'OutboundRunTriggers out',
        'ProjectAttachment web',
        'RunTrigger one',
      ],
      count: 10,
    });
  });
});
