/** Services that are none, on the real engine: one line with what happened, where and what to do, and the state stays as it is. */
import assert from 'node:assert/strict';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  InboundRunTriggers,
  OAuthClient,
  OutboundRunTriggers,
  ProjectAttachment,
  Provider,
  RunTrigger,
} from '../../provider/pulumi';
import { createService, type SeedObject } from '../../service';
import { type Gate, openGate } from '../support/gate';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld, type Ran } from '../support/pulumi-world';
import { json, type Reply, text } from '../support/scripted-server';
import { selfSigned } from '../support/self-signed';

const page = '<!doctype html><html><body>Welcome</body></html>';
const html = { 'Content-Type': 'text/html' };

/** What each resource's service answers, and what a person reads of it. */
const answers: Readonly<Record<string, readonly [Reply, RegExp]>> = {
  html: [text(200, page, html), /the answer \(200\) is HTML, not JSON:API: is the address right\?/],
  gateway: [text(502, page, html), /the service failed \(502\): try again later/],
  failing: [
    json(500, { errors: [{ status: '500', title: 'oops' }] }),
    /the service failed \(500\): oops: try again later/,
  ],
  garbage: [
    text(200, 'garbage'),
    /the answer \(200\) is not a JSON:API document(?:: is the address right\?|; it may have been applied)/,
  ],
  elsewhere: [
    text(302, '', { Location: 'https://login.example.com/?next=1' }),
    /redirects \(302\) to https:\/\/login\.example\.com: not followed, the token stays here/,
  ],
};
const kinds = Object.keys(answers);

const seed: SeedObject = {
  organizations: {
    acme: {
      workspaces: Object.fromEntries(
        ['fine', ...kinds].flatMap((kind) => [
          [`ws-${kind}-to`, {}],
          [`ws-${kind}-from`, {}],
        ]),
      ),
    },
  },
  tokens: { 'canary-token': { acme: 'owner' } },
};

/** What the engine printed for each resource that failed, by its name. */
function failures({ events }: Ran): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const { diagnosticEvent: told } of events) {
    if (told?.severity !== 'error' || told.urn === undefined || told.urn.includes('pulumi:Stack')) continue;
    const name = told.urn.slice(told.urn.lastIndexOf('::') + 2);
    lines.set(name, `${lines.get(name) ?? ''}${told.message.replace(/<\{%.*?%\}>/gu, '').trim()}`);
  }
  return lines;
}

function assertOneLine(line = '', pattern: RegExp): void {
  assert.match(line, pattern);
  assert.match(line, /(?:GET|POST|PATCH|DELETE) \/(?:oauth-clients|organizations|workspaces|run-triggers)/u);
  assert.doesNotMatch(line, /\n|canary|node_modules|\bat .*:\d+:\d+/iu);
}

const client = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api',
};

describe('another service with the same ids, on the real engine', () => {
  const same: SeedObject = {
    organizations: {
      acme: {
        projects: { 'prj-web': {} },
        workspaces: Object.fromEntries(['app', 'dns', 'jobs', 'web'].map((name) => [`ws-${name}`, {}])),
        oauthClients: { 'oc-one': { ...client, name: 'One', projects: ['prj-web'] } },
        runTriggers: {
          'rt-one': { workspace: 'ws-app', sourceable: 'ws-dns' },
          'rt-two': { workspace: 'ws-jobs', sourceable: 'ws-dns' },
          'rt-three': { workspace: 'ws-dns', sourceable: 'ws-web' },
        },
      },
    },
    tokens: { 'owner-token': { acme: 'owner' } },
  };

  it('is not taken for the one that the state means: not in a refresh, nor after it', async function () {
    needEngine(this);
    const world = await PulumiWorld.start({ seed: same });
    const other = await createService({ seed: same });
    try {
      world.program = async () => {
        new OAuthClient('one', { ...client, organization: 'acme', name: 'One', adoptId: 'oc-one' });
        new ProjectAttachment('web', { oauthClientId: 'oc-one', projectId: 'prj-web' });
        new RunTrigger('app', { workspaceId: 'ws-app', sourceableId: 'ws-dns' });
        new InboundRunTriggers('jobs', { workspaceId: 'ws-jobs', sourceableIds: ['ws-dns'] });
        new OutboundRunTriggers('from-web', { sourceableId: 'ws-web', workspaceIds: ['ws-dns'] });
      };
      assert.deepEqual((await world.settle()).steps, { create: 5 });
      // A variable that another shell left.
      world.env.TETHER_ADDRESS = other.url;
      const refreshed = await world.refresh({ continueOnError: true });
      const told = failures(refreshed);
      assert.equal(told.size, 5);
      for (const line of told.values()) assert.match(line, /belongs to .*a resource cannot move to another/);
      assert.match((await world.up()).failure ?? '', /belongs to/);
      assert.match((await world.destroy()).failure ?? '', /belongs to/);
      assert.deepEqual(other.requests(), []);
      delete world.env.TETHER_ADDRESS;
      await world.expectNothing();
    } finally {
      await world.close();
      await other.close();
    }
  });
});

describe('a service that is none, on the real engine', () => {
  let world: PulumiWorld;
  const closing: (() => unknown)[] = [];
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start({ seed, env: { TETHER_TOKEN: 'canary-token' } });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await world?.close();
  });

  const listen = async (server: http.Server | https.Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return (server.address() as AddressInfo).port;
  };

  it('is told from one by its certificate, its protocol, its place and its answers, before anything is recorded', async () => {
    const secure = await listen(https.createServer(selfSigned(), (_, response) => response.end('{}')));
    const plain = await listen(http.createServer((_, response) => response.end('{}')));
    const closed = http.createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port: nobody } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const wrong: Readonly<Record<string, readonly [string, RegExp]>> = {
      untrusted: [
        `https://127.0.0.1:${secure}/api/v2`,
        /the certificate of 127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): NODE_EXTRA_CA_CERTS names/,
      ],
      plain: [
        `https://127.0.0.1:${plain}/api/v2`,
        /the TLS handshake with 127\.0\.0\.1:\d+ failed \(\w+\): check the address and its port/,
      ],
      secure: [`http://127.0.0.1:${secure}/api/v2`, /127\.0\.0\.1:\d+.*check the address|broke before/],
      nobody: [
        `http://127.0.0.1:${nobody}/api/v2`,
        /connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\): check the address/,
      ],
      path: [world.service.url.replace('/api/v2', '/api/v3'), /\(404\).*does not end in \/api\/v2/],
      token: [
        world.service.url,
        /the token was refused \(401\).*: check WRONG_TOKEN, which tether:tokenEnv names/,
      ],
    };
    world.env.WRONG_TOKEN = 'canary-wrong';
    world.program = async () => {
      for (const [name, [address]] of Object.entries(wrong)) {
        const tokenEnv = name === 'token' ? 'WRONG_TOKEN' : 'TETHER_TOKEN';
        const provider = new Provider(name, { address, tokenEnv });
        new RunTrigger(name, { workspaceId: 'ws-fine-to', sourceableId: 'ws-fine-from' }, { provider });
      }
    };
    const up = await world.up({ continueOnError: true });
    const told = failures(up);
    for (const [name, [, pattern]] of Object.entries(wrong)) assertOneLine(told.get(name), pattern);
    assert.equal(told.size, Object.keys(wrong).length);
    assert.doesNotMatch(up.output, /canary/);
    assert.doesNotMatch(world.stateText(), /RunTrigger::/);
  });

  it('changes no state: not in a refresh, nor in an update, nor in a destruction', async () => {
    const gate: Gate = await openGate(world.service.url);
    closing.push(() => gate.close());
    await world.stack.setConfig('tether:address', { value: gate.address });
    const program = (key: string) => async (): Promise<void> => {
      for (const kind of kinds) {
        new OAuthClient(kind, {
          organization: 'acme',
          name: kind,
          serviceProvider: 'provider_a',
          httpUrl: 'https://git.example.com',
          apiUrl: 'https://git.example.com/api/v3',
          oauthTokenString: 'canary-secret',
          deletionProtection: false,
          key,
        });
        new RunTrigger(`${kind}-trigger`, {
          workspaceId: `ws-${kind}-to`,
          sourceableId: `ws-${kind}-from`,
        });
      }
    };
    world.program = program('before');
    assert.equal((await world.up()).failure, undefined);
    const { oauthClients, runTriggers } = world.service.snapshot();
    const owner = new Map<string, string>([
      ...oauthClients.map((one) => [one.id, one.name ?? ''] as const),
      ...runTriggers.map((one) => [one.id, one.workspaceId.split('-')[1] ?? ''] as const),
      ...kinds.flatMap((kind) => [[`ws-${kind}-to`, kind] as const, [`ws-${kind}-from`, kind] as const]),
    ]);
    gate.answer((path) => {
      const kind = owner.get(path.split('/')[4] ?? '');
      const [reply] = answers[kind ?? ''] ?? [];
      return reply === undefined
        ? undefined
        : (response) => reply(response, { method: '', url: path, headers: {}, body: '' });
    });
    // The engine writes them in the order in which it met them, each time with other ciphertexts.
    const resources = (): readonly string[] => {
      const { checkpoint } = JSON.parse(world.stateText()) as {
        checkpoint: { latest: { resources: { urn: string; id?: string; outputs?: object }[] } };
      };
      return checkpoint.latest.resources
        .map(({ urn, id, outputs }) => JSON.stringify([urn, id, { ...outputs, oauthTokenString: undefined }]))
        .sort();
    };
    const before = resources();
    for (const kind of kinds) {
      const name = `${kind}-trigger`;
      const refresh = await world.refresh({ target: [world.urn('RunTrigger', name)] });
      assertOneLine(failures(refresh).get(name), answers[kind]?.[1] ?? /^$/u);
      assert.doesNotMatch(refresh.output, /canary/);
    }
    world.program = program('after');
    const up = await world.up({ continueOnError: true });
    const destroy = await world.destroy({ continueOnError: true });
    for (const kind of kinds) {
      assertOneLine(failures(up).get(kind), answers[kind]?.[1] ?? /^$/u);
      assertOneLine(failures(destroy).get(`${kind}-trigger`), answers[kind]?.[1] ?? /^$/u);
    }
    assert.doesNotMatch(up.output + destroy.output, /canary/);
    assert.deepEqual(resources(), before);
    gate.open();
    await world.settle();
  });
});
