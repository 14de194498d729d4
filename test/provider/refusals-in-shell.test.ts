/** What the classes refuse, through the SDK's own program runner: it ends, with one line. A runner that spins is ended by its limit of CPU time. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService, type Service } from '../../service';
import { needEngine } from '../support/pulumi-engine';
import { PulumiShell } from '../support/pulumi-shell';
import { acme } from '../support/world';

/** What a program declares, and what a person reads of it. Ids in `later(…)` are only known when an output is. */
const refusals: readonly (readonly [string, string, RegExp])[] = [
  [
    'two resources for one trigger',
    `new tether.RunTrigger('one', { workspaceId: 'ws-app', sourceableId: 'ws-dns' });
     new tether.RunTrigger('other', { workspaceId: 'ws-app', sourceableId: 'ws-dns' });`,
    /RunTrigger "one" and RunTrigger "other" would undo each other's work: both are the trigger of ws-dns to ws-app\. Keep one of them/,
  ],
  [
    'two resources for one trigger, by ids of outputs',
    `new tether.RunTrigger('one', { workspaceId: later('ws-app'), sourceableId: 'ws-dns' });
     new tether.RunTrigger('other', { workspaceId: 'ws-app', sourceableId: later('ws-dns') });`,
    /RunTrigger "o\w+" and RunTrigger "o\w+" would undo each other's work/,
  ],
  [
    'a set beside a trigger',
    `new tether.InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] });
     new tether.RunTrigger('one', { workspaceId: later('ws-app'), sourceableId: 'ws-jobs' });`,
    /InboundRunTriggers "app" and RunTrigger "one" would undo each other's work/,
  ],
  [
    'sets that meet',
    `new tether.InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds: [later('ws-dns')] });
     new tether.OutboundRunTriggers('dns', { sourceableId: 'ws-dns', workspaceIds: [] });`,
    /InboundRunTriggers "app" and OutboundRunTriggers "dns"|OutboundRunTriggers "dns" and InboundRunTriggers "app"/,
  ],
  [
    'a client that is not there, by an output',
    `tether.getOAuthClientOutput({ organization: later('acme'), id: 'oc-none' });`,
    /there is no OAuth client oc-none in acme/,
  ],
  [
    'a client that is not there',
    `tether.getOAuthClient({ organization: 'acme', name: 'None' });`,
    /there is no OAuth client named "None" in acme/,
  ],
];

const settings = `name: refused
runtime: nodejs
plugins: { providers: [{ name: tether, path: node_modules/tether-iac/plugin }] }
`;

describe('what a program is refused, through the runner of the command line', () => {
  let service: Service;
  let shell: PulumiShell;
  before(async function () {
    needEngine(this);
    service = await createService({ seed: acme });
    const folder = mkdtempSync(join(tmpdir(), 'tether-refusals-'));
    writeFileSync(join(folder, 'Pulumi.yaml'), settings);
    writeFileSync(join(folder, 'package.json'), '{"name":"refused"}');
    shell = PulumiShell.of(folder, { TETHER_ADDRESS: service.url, TETHER_TOKEN: 'owner-token' });
    rmSync(folder, { recursive: true });
    const { code, stderr } = await shell.run('pulumi login --local && pulumi stack init test');
    assert.equal(code, 0, stderr);
  });
  after(async () => {
    shell?.close();
    await service?.close();
  });

  for (const [what, declare, message] of refusals) {
    it(`is ${what}: the preview ends with that line`, async () => {
      const program = `const pulumi = require('@pulumi/pulumi');
const tether = require('tether-iac/pulumi');
const later = (value) => pulumi.output(Promise.resolve(value));
${declare}
`;
      writeFileSync(join(shell.folder, 'index.js'), program);
      const { code, stdout, stderr } = await shell.run('ulimit -t 15; pulumi preview --non-interactive');
      const output = stdout + stderr;
      assert.notEqual(code, 0, output);
      assert.match(output, message);
      assert.doesNotMatch(output, /the program ended with/u, 'the runner was ended by its limit');
      // No stack of the program or of its packages.
      assert.doesNotMatch(output, /node_modules|\bat .*:\d+:\d+/u);
    });
  }
});
