/** The plugin as a process of its own, spoken to as the engine does: settings, secrets, differences, failures, its end. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineService } from '@pulumi/pulumi/proto/engine_grpc_pb';
import type { LogRequest } from '@pulumi/pulumi/proto/engine_pb';
import type { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DiffRequest,
  type DiffResponse,
  ErrorResourceInitFailed,
  GetSchemaRequest,
  type GetSchemaResponse,
  InvokeRequest,
  type InvokeResponse,
  PropertyDiff,
  ReadRequest,
  type ReadResponse,
} from '@pulumi/pulumi/proto/provider_pb';
import { Status } from '@pulumi/pulumi/proto/status_pb';
import { Empty, grpc } from '../../provider/plugin/wire';
import { createService, type Service } from '../../service';
import { clientInputs, urnOf } from '../support/provider-handlers';
import { ProviderProcess, structOf } from '../support/provider-process';
import { root } from '../support/pulumi-engine';
import { acme } from '../support/world';

const { version } = require('../../../package.json') as { readonly version: string };
const secretOf = (value: string) => ({
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  value,
});
const defaultUrn = `urn:pulumi:test::infra::pulumi:providers:tether::default_${version.replaceAll('.', '_')}`;
const explicitUrn = 'urn:pulumi:test::infra::pulumi:providers:tether::partner';

function configuration(settings: Readonly<Record<string, string>>, urn = defaultUrn): ConfigureRequest {
  const { version: asked, ...others } = settings;
  const request = new ConfigureRequest().setUrn(urn).setArgs(structOf(asked ? { version: asked } : {}));
  const variables = request.getVariablesMap();
  for (const [name, value] of Object.entries(others)) variables.set(`tether:config:${name}`, value);
  return request;
}

/** A stand-in for the engine: it takes log lines. */
async function startEngine(say: (line: string) => void = () => undefined) {
  const server = new grpc.Server();
  server.addService(
    { log: EngineService.log },
    {
      log: (call: { readonly request: LogRequest }, done: (error: null, answer: object) => void) => {
        say(call.request.getMessage());
        done(null, new Empty());
      },
    },
  );
  const port = await new Promise<number>((resolve) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, bound) => resolve(bound));
  });
  return { server, address: `127.0.0.1:${port}` };
}

/** `ADD key`: the order in which the protocol keeps them. */
function byPath(one: string, two: string): number {
  return (one.split(' ')[1] ?? '') < (two.split(' ')[1] ?? '') ? -1 : 1;
}

describe('the plugin', () => {
  let service: Service;
  let plugin: ProviderProcess;
  before(async () => {
    service = await createService({ seed: acme });
    plugin = await ProviderProcess.start('plugin', { env: { TETHER_TOKEN: 'owner-token' } });
    await plugin.call('configure', configuration({ address: service.url, rate: '1000', version }));
  });
  after(async () => {
    await plugin.stop();
    await service.close();
  });

  // One that is left running would keep this process from ending.
  const others: ProviderProcess[] = [];
  const start = async (...given: Parameters<typeof ProviderProcess.start>) => {
    const other = await ProviderProcess.start(...given);
    others.push(other);
    return other;
  };
  afterEach(() => Promise.all(others.splice(0).map((other) => other.stop())));

  const check = async (kind: string, news: object, olds: object = {}) => {
    const request = new CheckRequest().setUrn(urnOf(kind)).setOlds(structOf(olds)).setNews(structOf(news));
    const answer = await plugin.call<CheckResponse>('check', request);
    const failures = answer.getFailuresList().map((one) => `${one.getProperty()}|${one.getReason()}`);
    return { inputs: answer.getInputs()?.toJavaScript(), failures };
  };
  const diff = async (kind: string, olds: object, news: object, oldInputs: object = {}) => {
    const request = new DiffRequest()
      .setUrn(urnOf(kind))
      .setId('any')
      .setOlds(structOf(olds))
      .setOldInputs(structOf(oldInputs))
      .setNews(structOf(news));
    const answer = await plugin.call<DiffResponse>('diff', request);
    const names = new Map(Object.entries(PropertyDiff.Kind).map(([name, value]) => [Number(value), name]));
    const detailed = [...answer.getDetaileddiffMap().entries()].map(
      ([path, one]) => `${names.get(one.getKind())} ${path}`,
    );
    return {
      changes: answer.getChanges(),
      replaces: answer.getReplacesList(),
      detailed: detailed.sort(byPath),
    };
  };

  it('is of the version of its package, and shows the schema that the package ships', async () => {
    const info = await plugin.call<PluginInfo>('getPluginInfo', new Empty());
    assert.equal(info.getVersion(), version);
    const shown = await plugin.call<GetSchemaResponse>('getSchema', new GetSchemaRequest());
    assert.equal(shown.getSchema(), readFileSync(join(root, 'schemas/pulumi.schema.json'), 'utf8'));
  });

  it('refuses settings that it does not know, and keeps a token secret', async () => {
    const news = { address: service.url, token: 'canary', version, adress: 'x' };
    const request = new CheckRequest().setUrn(explicitUrn).setNews(structOf(news));
    const answer = await plugin.call<CheckResponse>('checkConfig', request);
    assert.deepEqual(
      answer.getFailuresList().map((one) => one.getReason()),
      [
        "tether:adress: there is no such setting (one of the program's own needs another namespace than tether): did you mean `address`?",
      ],
    );
    assert.deepEqual(answer.getInputs()?.toJavaScript().token, secretOf('canary'));
  });

  const refused: readonly (readonly [string, ConfigureRequest, RegExp])[] = [
    [
      'an engine that does not say which provider it means',
      new ConfigureRequest().setArgs(structOf({})),
      /2 UNKNOWN: tether needs a newer Pulumi: install \d/,
    ],
    [
      'classes of a later version',
      configuration({ version: '999.0.0' }),
      /the program uses tether-iac 999\.0\.0, and this plugin is \d.*plugins\.providers of Pulumi\.yaml/,
    ],
  ];
  for (const [what, request, message] of refused) {
    it(`refuses ${what}, in one sentence`, async () => {
      await assert.rejects(plugin.call('configure', request), message);
    });
  }

  it('serves resources of an earlier version and says so, and those of a pre-release of its own', async () => {
    const said: string[] = [];
    const engine = await startEngine((line) => said.push(line));
    const told = await start('plugin', { engine: engine.address });
    for (const earlier of ['0.0.9', `${version}-rc.1`, version]) {
      await told.call('configure', configuration({ address: service.url, rate: '1000', version: earlier }));
    }
    engine.server.forceShutdown();
    await told.ended();
    assert.deepEqual(said, [`resources of tether-iac 0.0.9 are served by the plugin of ${version}`]);
  });

  it('begins nothing more once the run is cancelled', async () => {
    const cancelled = await start('plugin', { env: { TETHER_TOKEN: 'owner-token' } });
    await cancelled.call('configure', configuration({ address: service.url, rate: '1000', version }));
    await cancelled.call('cancel', new Empty());
    const pair = structOf({ workspaceId: 'ws-docs', sourceableId: 'ws-dns' });
    const create = new CreateRequest().setUrn(urnOf('RunTrigger')).setProperties(pair);
    await assert.rejects(cancelled.call('create', create), /the run was cancelled before this was begun/);
    assert.equal(service.snapshot().runTriggers.length, 0);
  });

  it('makes room first where the service limits the sources of a target', async () => {
    const limited = await start('plugin', { env: { TETHER_TOKEN: 'owner-token' } });
    const from = (sourceableId: string) => structOf({ workspaceId: 'ws-app', sourceableId });
    const request = new DiffRequest()
      .setUrn(urnOf('RunTrigger'))
      .setId('rt-1')
      .setOlds(from('ws-dns'))
      .setNews(from('ws-web'));
    const deletesFirst = async (profile: string) => {
      await limited.call('configure', configuration({ address: service.url, profile, version }));
      return (await limited.call<DiffResponse>('diff', request)).getDeletebeforereplace();
    };
    assert.deepEqual([await deletesFirst('default'), await deletesFirst('hcp-terraform')], [false, true]);
  });

  it('returns secrets as secrets, however a program gave them, and drops marks of dynamic resources', async () => {
    const news = { ...clientInputs, secret: 'canary', __provider: 'text', createKey: '0123456789ab' };
    const { inputs, failures } = await check('OAuthClient', news);
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, { ...clientInputs, secret: secretOf('canary') });
  });

  it('tells mistakes without a property, whose value the engine would print', async () => {
    const { failures } = await check('OAuthClient', { ...clientInputs, secret: '', colour: 'blue' });
    assert.equal(failures.length, 2);
    for (const failure of failures) assert.match(failure, /^\|(?:secret: is empty|colour: there is no such)/);
  });

  it('shows each member of a set that comes or goes', async () => {
    const set = (...sourceableIds: string[]) => ({ workspaceId: 'ws-app', sourceableIds });
    const show = async (before: string[], after: string[]) =>
      (await diff('InboundRunTriggers', set(...before), set(...after))).detailed;
    assert.deepEqual(await show(['a', 'b', 'c'], ['b', 'c']), ['DELETE sourceableIds[0]']);
    assert.deepEqual(await show(['a', 'b'], ['b', 'c', 'd']), [
      'DELETE sourceableIds[0]',
      'ADD sourceableIds[1]',
      'ADD sourceableIds[2]',
    ]);
    assert.deepEqual(await show(['a', 'b'], ['a', 'c']), ['UPDATE sourceableIds[1]']);
    assert.deepEqual(await diff('InboundRunTriggers', set('a', 'b'), set('b', 'a')), {
      changes: 1,
      replaces: [],
      detailed: [],
    });
  });

  it('shows what is added, cleared, changed and replaced, a secret against the one that was last given', async () => {
    const olds = { ...clientInputs, agentPoolId: 'apool-dmz', key: null, deletionProtection: false };
    const news = {
      ...clientInputs,
      deletionProtection: false,
      agentPoolId: null,
      key: 'k',
      secret: 'two',
      httpUrl: 'https://new.example.com',
    };
    assert.deepEqual(await diff('OAuthClient', olds, news, { secret: 'one' }), {
      changes: 2,
      replaces: ['httpUrl'],
      detailed: ['DELETE agentPoolId', 'UPDATE_REPLACE httpUrl', 'ADD key', 'UPDATE secret'],
    });
    const same = { ...clientInputs, secret: 'one' };
    assert.equal((await diff('OAuthClient', clientInputs, same, { secret: 'one' })).changes, 1);
  });

  it('hands over what an unfinished create left', async () => {
    service.fault({ how: 'status', method: 'PATCH', status: 422, nth: 1 });
    const properties = structOf({ ...clientInputs, secret: 'canary' });
    const request = new CreateRequest().setUrn(urnOf('OAuthClient')).setProperties(properties);
    const [ended] = await Promise.allSettled([plugin.call('create', request)]);
    assert.equal(ended.status, 'rejected');
    const { details, metadata } = ended.reason as {
      details: string;
      metadata: InstanceType<typeof grpc.Metadata>;
    };
    const [there] = service.snapshot().oauthClients;
    assert.match(details, new RegExp(`^${there?.id} was created and not finished: [^\n]+$`));
    const [bytes] = metadata.get('grpc-status-details-bin');
    const [any] = Status.deserializeBinary(Buffer.from(bytes ?? '')).getDetailsList();
    const detail = ErrorResourceInitFailed.deserializeBinary(any?.getValue_asU8() ?? new Uint8Array());
    assert.equal(detail.getId(), there?.id);
    assert.deepEqual(detail.getReasonsList(), [details]);
    const left = detail.getProperties()?.toJavaScript() ?? {};
    assert.deepEqual([left.name, left.secret], [there?.name, secretOf('canary')]);
  });

  it('reads the inputs that it was given with what is there now: a secret stays', async () => {
    const given = { ...clientInputs, name: 'Read', httpUrl: 'https://read.example.com', secret: 'canary' };
    const create = new CreateRequest().setUrn(urnOf('OAuthClient', 'read')).setProperties(structOf(given));
    const made = await plugin.call<CreateResponse>('create', create);
    const read = new ReadRequest()
      .setUrn(urnOf('OAuthClient', 'read'))
      .setId(made.getId())
      .setProperties(made.getProperties())
      .setInputs(structOf({ ...given, name: 'Earlier' }));
    const answer = await plugin.call<ReadResponse>('read', read);
    assert.deepEqual(answer.getInputs()?.toJavaScript(), { ...given, secret: secretOf('canary') });
  });

  it('reads by functions, and says what there is not', async () => {
    const args = structOf({ workspaceId: 'ws-app', direction: 'inbound' });
    const request = new InvokeRequest().setTok('tether:index:listRunTriggers').setArgs(args);
    const answer = await plugin.call<InvokeResponse>('invoke', request);
    assert.deepEqual(answer.getReturn()?.toJavaScript(), { triggers: [] });
    const unknown = new InvokeRequest().setTok('tether:index:getNothing');
    await assert.rejects(plugin.call('invoke', unknown), /there is no function getNothing/);
    const kind = new ReadRequest().setUrn(urnOf('Cloud')).setId('1');
    await assert.rejects(plugin.call('read', kind), /there is no resource type Cloud/);
  });

  it('takes variables before the settings of the stack, and what a program gave before variables', async () => {
    const other = await createService({ seed: acme });
    const both = await start('plugin', {
      env: { TETHER_TOKEN: 'owner-token', TETHER_ADDRESS: service.url },
    });
    const pair = structOf({ workspaceId: 'ws-web', sourceableId: 'ws-dns' });
    const create = new CreateRequest().setUrn(urnOf('RunTrigger')).setProperties(pair);
    const made = () => [service, other].map((one) => one.snapshot().runTriggers.length);
    const settings = { address: other.url, token: 'owner-token' };
    await both.call('configure', configuration(settings));
    await both.call('create', create);
    assert.deepEqual(made(), [1, 0]);
    await both.call('configure', configuration(settings, explicitUrn));
    await both.call('create', create);
    assert.deepEqual(made(), [1, 1]);
    // The engine's own has the whole version in its name.
    for (const name of ['default_2', 'defaults', 'default-one']) {
      const { token: _, ...alone } = settings;
      await both.call('configure', configuration(alone, explicitUrn.replace('partner', name)));
      await assert.rejects(both.call('create', create), /was given an address of its own and needs/);
    }
    await other.close();
  });

  for (const which of ['plugin', 'plugin by the language host'] as const) {
    it(`ends when its engine is gone: ${which}`, async () => {
      const engine = await startEngine();
      const orphan = await start(which, { engine: engine.address });
      assert.equal((await orphan.call<PluginInfo>('getPluginInfo', new Empty())).getVersion(), version);
      engine.server.forceShutdown();
      assert.equal(await orphan.ended(), 1);
    });
  }
});

describe('states of 0.1, which name a provider of their own', () => {
  const kinds = [
    'oauthClient',
    'projectAttachment',
    'runTrigger',
    'inboundRunTriggers',
    'outboundRunTriggers',
  ];
  let provider: ProviderProcess;
  before(async () => {
    provider = await ProviderProcess.start('dynamic provider', { engine: '127.0.0.1:1' });
  });
  after(() => provider.stop());

  for (const kind of kinds) {
    it(`are told by ${kind} that one \`pulumi up\` moves them`, async () => {
      const __provider = `exports.handler = () => require('tether-iac/provider').${kind};`;
      const properties = structOf({ __provider });
      const request = new ReadRequest().setUrn(urnOf(kind)).setId('1').setProperties(properties);
      await assert.rejects(provider.call('read', request), /run `pulumi up` once, without --refresh/);
    });
  }
});
