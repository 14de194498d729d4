/** The text in every state loads this package in the SDK's real provider program: a contract with all states there are. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { loaderOf } from '../../provider/pulumi/declare';
import { linkedProject, ProviderProcess } from '../support/provider-process';
import { runProcess } from '../support/run-process';

/** By what is recorded; none of these lines may ever change. */
const golden: readonly (readonly [string, string, object])[] = [
  [
    'oauthClient',
    "exports.handler = () => require('tether-iac/provider').oauthClient;",
    { organization: 'acme', serviceProvider: 'provider_a', httpUrl: 'https://a', apiUrl: 'https://b' },
  ],
  [
    'projectAttachment',
    "exports.handler = () => require('tether-iac/provider').projectAttachment;",
    { oauthClientId: 'oc-1', projectId: 'prj-1' },
  ],
  [
    'runTrigger',
    "exports.handler = () => require('tether-iac/provider').runTrigger;",
    { workspaceId: 'ws-1', sourceableId: 'ws-2' },
  ],
  [
    'inboundRunTriggers',
    "exports.handler = () => require('tether-iac/provider').inboundRunTriggers;",
    { workspaceId: 'ws-1', sourceableIds: ['ws-2'] },
  ],
  [
    'outboundRunTriggers',
    "exports.handler = () => require('tether-iac/provider').outboundRunTriggers;",
    { sourceableId: 'ws-1', workspaceIds: ['ws-2'] },
  ],
];

describe("the SDK's provider program", () => {
  let provider: ProviderProcess;
  before(async () => {
    provider = await ProviderProcess.start();
    await provider.configure({ 'tether:address': 'http://127.0.0.1:9/api/v2' });
  });
  after(() => provider.stop());

  for (const [exported, text, inputs] of golden) {
    it(`loads ${exported} from the recorded text, out of a linked package`, async () => {
      assert.equal(loaderOf(exported), text);
      const news = { __provider: text, ...inputs };
      assert.deepEqual(await provider.check({}, news), { inputs: news, failures: [] });
      assert.deepEqual(await provider.diff('id', news, news), { changes: 1, replaces: [] });
    });

    it(`tells a mistake in the inputs of ${exported} without its value`, async () => {
      const [field] = Object.keys(inputs);
      const news = { __provider: text, ...inputs, [field ?? '']: 7, colour: 'blue' };
      const { failures } = await provider.check({}, news);
      assert.equal(failures.length, 2);
      assert.match(failures[0] ?? '', /^\|colour: there is no such property/);
      assert.match(failures[1] ?? '', /^\|\w+: must be a string, not a number$/);
    });
  }
});

describe('programs', () => {
  const names = ['InboundRunTriggers', 'OAuthClient', 'OutboundRunTriggers', 'ProjectAttachment', 'Provider'];
  const forms = [
    ['CommonJS', [`const t = require('tether-iac/pulumi');`]],
    ['ESM', ['--input-type=module', `import * as t from 'tether-iac/pulumi';`]],
  ] as const;
  for (const [form, args] of forms) {
    it(`in ${form} import the resource classes out of a linked package`, async () => {
      const folder = linkedProject();
      const [code, ...flags] = [...args].reverse();
      const script = `${code} console.log(${JSON.stringify(names)}.filter((name) => typeof t[name] === 'function').join())`;
      const { stdout, stderr } = await runProcess(process.execPath, [...flags, '-e', script], {
        cwd: folder,
        env: process.env,
      });
      rmSync(folder, { recursive: true });
      assert.equal(stderr, '');
      assert.equal(stdout.trim(), names.join());
    });
  }
});
