/** The text in every state loads this package: a contract with all states there are. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { dynamic } from '@pulumi/pulumi';
import * as providers from '../../provider';
import { githubFields } from '../support/acme';
import { linkedProject } from '../support/linked-project';
import { runProcess } from '../support/run-process';

/** By what is recorded; none of these lines may ever change. */
const golden: readonly (readonly [string, object])[] = [
  [
    "exports.handler = () => require('tether-iac/provider').oauthClient;",
    { organization: 'acme', ...githubFields },
  ],
  [
    "exports.handler = () => require('tether-iac/provider').projectAttachment;",
    { oauthClientId: 'oc-1', projectId: 'prj-1' },
  ],
  [
    "exports.handler = () => require('tether-iac/provider').runTrigger;",
    { workspaceId: 'ws-1', sourceableId: 'ws-2' },
  ],
  [
    "exports.handler = () => require('tether-iac/provider').inboundRunTriggers;",
    { workspaceId: 'ws-1', sourceableIds: ['ws-2'] },
  ],
  [
    "exports.handler = () => require('tether-iac/provider').outboundRunTriggers;",
    { sourceableId: 'ws-1', workspaceIds: ['ws-2'] },
  ],
];

describe('a state', () => {
  it('has a line here for each provider', () => {
    const names = golden.map(([text]) => /\)\.(\w+);$/u.exec(text)?.[1]);
    assert.deepEqual(names.sort(), Object.keys(providers).sort());
  });

  let project: string;
  before(() => {
    project = linkedProject();
  });
  after(() => rmSync(project, { recursive: true }));

  for (const [text, inputs] of golden) {
    const [, name = ''] = /\)\.(\w+);$/u.exec(text) ?? [];
    it(`loads ${name} from the recorded text, out of a linked package`, async () => {
      const exports: { handler?: () => dynamic.ResourceProvider } = {};
      // As the SDK's provider program does.
      runInNewContext(text, { exports, require: createRequire(join(project, 'index.js')) });
      const provider = exports.handler?.();
      const settings: Record<string, string> = {
        'tether:address': 'http://127.0.0.1:9/api/v2',
        'tether:token': 'x',
      };
      const get = (name: string) => settings[name];
      await provider?.configure?.({ config: { get, require: (name) => get(name) ?? '' } });
      assert.deepEqual(await provider?.check?.({}, { __provider: text, ...inputs }), {
        inputs,
        failures: [],
      });
    });
  }
});

describe('programs', () => {
  const names = ['InboundRunTriggers', 'OAuthClient', 'OutboundRunTriggers', 'ProjectAttachment', 'Provider'];
  for (const [form, args, code] of [
    ['CommonJS', [], `const t = require('tether-iac/pulumi');`],
    ['ESM', ['--input-type=module'], `import * as t from 'tether-iac/pulumi';`],
  ] as const) {
    it(`in ${form} import the resource classes out of a linked package`, async () => {
      const cwd = linkedProject();
      const list = `${JSON.stringify(names)}.filter((name) => typeof t[name] === 'function').join()`;
      const script = `${code} console.log(${list})`;
      const { stdout, stderr } = await runProcess(process.execPath, [...args, '-e', script], {
        cwd,
        env: process.env,
      });
      rmSync(cwd, { recursive: true });
      assert.deepEqual([stdout.trim(), stderr], [names.join(), '']);
    });
  }
});
