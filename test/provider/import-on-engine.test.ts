/** `pulumi import` on the real engine: every kind by its natural id, then nothing to do; secrets that come later; ids that are none. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { CustomResourceOptions } from '@pulumi/pulumi';
import {
  InboundRunTriggers,
  OAuthClient,
  type OAuthClientArgs,
  OutboundRunTriggers,
  ProjectAttachment,
  RunTrigger,
} from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { layLanguageHost } from '../support/pulumi-shell';
import { PulumiWorld } from '../support/pulumi-world';
import { step } from '../support/step';

const body = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://a.example.com',
  apiUrl: 'https://a.example.com/api',
};
const seed = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': {} },
      projects: { 'prj-web': {}, 'prj-payments': {} },
      workspaces: Object.fromEntries(['app', 'dns', 'jobs', 'web', 'docs'].map((name) => [`ws-${name}`, {}])),
      oauthClients: {
        'oc-one': { ...body, name: 'One', agentPool: 'apool-dmz', projects: ['prj-web'] },
        'oc-two': { ...body, name: 'Two', projects: ['prj-payments', 'prj-web'] },
      },
      runTriggers: {
        'rt-one': { workspace: 'ws-app', sourceable: 'ws-dns' },
        'rt-two': { workspace: 'ws-jobs', sourceable: 'ws-dns' },
        'rt-three': { workspace: 'ws-web', sourceable: 'ws-app' },
        'rt-four': { workspace: 'ws-docs', sourceable: 'ws-web' },
      },
    },
    other: { workspaces: { 'ws-theirs': {} }, oauthClients: { 'oc-theirs': { ...body, name: 'Theirs' } } },
  },
  tokens: { 'owner-token': { acme: 'owner' as const, other: { manageVcsSettings: true } } },
};

const two: OAuthClientArgs = {
  ...body,
  organization: 'acme',
  name: 'Two',
  organizationScoped: true,
  projectIds: ['prj-payments', 'prj-web'],
};

describe('an import on the real engine', () => {
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start({ seed });
    layLanguageHost(world.folder);
    world.env.PATH = [world.folder, process.env.PATH].join(delimiter);
  });
  after(() => world?.close());

  const bring = (kind: string, name: string, id: string) =>
    world.pulumi(
      'import',
      `tether:index:${kind}`,
      name,
      id,
      '--yes',
      '--protect=false',
      '--generate-code=false',
    );

  it('takes every kind by its natural id, and the program then changes nothing', async () => {
    const resources = [
      ['OAuthClient', 'one', 'oc-one'],
      ['OAuthClient', 'two', 'oc-two'],
      ['ProjectAttachment', 'web', 'oc-one/prj-web'],
      ['RunTrigger', 'by-id', 'rt-one'],
      ['RunTrigger', 'by-pair', 'ws-jobs/ws-dns'],
      ['InboundRunTriggers', 'web', 'ws-web/inbound'],
      ['OutboundRunTriggers', 'web', 'ws-web/outbound'],
    ].map(([kind, name, id]) => ({ type: `tether:index:${kind}`, name, id }));
    const file = join(world.folder, 'import.json');
    writeFileSync(file, JSON.stringify({ resources }));
    const imported = await world.pulumi(
      'import',
      '--file',
      file,
      '--yes',
      '--protect=false',
      '--generate-code=false',
    );
    assert.equal(imported.failure, undefined);
    assert.deepEqual(world.writes(), []);
    world.program = async () => {
      // Its projects are managed by the attachment.
      new OAuthClient('one', {
        ...body,
        organization: 'acme',
        name: 'One',
        organizationScoped: true,
        agentPoolId: 'apool-dmz',
      });
      new OAuthClient('two', two);
      new ProjectAttachment('web', { oauthClientId: 'oc-one', projectId: 'prj-web' });
      new RunTrigger('by-id', { workspaceId: 'ws-app', sourceableId: 'ws-dns' });
      new RunTrigger('by-pair', { workspaceId: 'ws-jobs', sourceableId: 'ws-dns' });
      new InboundRunTriggers('web', { workspaceId: 'ws-web', sourceableIds: ['ws-app'] });
      new OutboundRunTriggers('web', { sourceableId: 'ws-web', workspaceIds: ['ws-docs'] });
    };
    assert.deepEqual((await world.up()).steps, { same: 7 });
    await world.expectNothing();
    assert.deepEqual(world.writes(), []);
    const { deployment } = await world.stack.exportStack();
    const ids = (deployment.resources as readonly { id?: string; urn: string }[]).flatMap(
      ({ id = '', urn }) => (urn.endsWith('by-pair') ? id : []),
    );
    assert.deepEqual(ids, ['rt-two']);
  });

  it('takes a first secret: it is written where the API can, else taken as it is, and then compared', async () => {
    const declare = (secrets: Partial<OAuthClientArgs>) => async () => {
      new OAuthClient('two', { ...two, ...secrets });
    };
    const others = world.program;
    world.program = declare({});
    await step('one that cannot be written is noted without a call', async () => {
      world.program = declare({ oauthTokenString: 'canary-1' });
      const noted = await world.up({ target: [world.urn('OAuthClient', 'two')] });
      assert.deepEqual([noted.failure, noted.changes, world.writes()], [undefined, [], []]);
    });
    await step('one that can is written', async () => {
      world.program = declare({ oauthTokenString: 'canary-1', secret: 'canary-2' });
      const written = await world.up({ target: [world.urn('OAuthClient', 'two')] });
      assert.deepEqual(written.changes, ['update OAuthClient two [secret]']);
      assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    });
    await step('a changed one is a change like any other', async () => {
      world.program = declare({ oauthTokenString: 'canary-3', secret: 'canary-2' });
      const { failure = '' } = await world.preview({ target: [world.urn('OAuthClient', 'two')] });
      assert.match(failure, /oc-two would be replaced \(oauthTokenString cannot be changed in place\)/);
    });
    assert.doesNotMatch(world.stateText(), /canary/);
    world.program = others;
  });

  it('may be an option of a resource, and what differs is then changed', async () => {
    const declared = world.program;
    const made = await world.somebody.oauthClients.create('acme', { ...body, name: 'Three' });
    world.program = async () => {
      await declared();
      new OAuthClient('three', { ...body, organization: 'acme', name: 'Third' }, { import: made.id });
    };
    world.writes();
    const up = await world.up({ target: [world.urn('OAuthClient', 'three')] });
    assert.equal(up.failure, undefined);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    world.program = declared;
  });

  it('of another object than the program declares is refused, and that object never goes', async () => {
    const declared = world.program;
    const theirs = await world.somebody.runTriggers.create('ws-web', 'ws-dns');
    const right = await world.somebody.runTriggers.create('ws-docs', 'ws-dns');
    const attempt = async (kind: string, make: () => void = () => undefined) => {
      world.program = async () => {
        await declared();
        make();
      };
      return (await world.up({ target: [world.urn(kind, 'mine')] })).failure ?? '';
    };
    const client = (opts: CustomResourceOptions) => () => {
      new OAuthClient('mine', { ...body, organization: 'acme', deletionProtection: false }, opts);
    };
    const trigger = (opts: CustomResourceOptions) => () => {
      new RunTrigger('mine', { workspaceId: 'ws-docs', sourceableId: 'ws-dns' }, opts);
    };
    const set = (opts: CustomResourceOptions) => () => {
      new OutboundRunTriggers('mine', { sourceableId: 'ws-docs', workspaceIds: [] }, opts);
    };
    world.writes();
    for (const [kind, make, id, why] of [
      [
        'OAuthClient',
        client,
        'oc-theirs',
        /^oc-theirs was imported.*its organization is "other", not "acme"/mu,
      ],
      [
        'RunTrigger',
        trigger,
        theirs.id,
        /^rt-\w+ was imported.*its workspaceId is "ws-web", not "ws-docs"/mu,
      ],
      [
        'OutboundRunTriggers',
        set,
        'ws-web/outbound',
        /^ws-web.*its sourceableId is "ws-web", not "ws-docs"/mu,
      ],
    ] as const) {
      // The engine has recorded it before it asks us, and says itself to remove the option.
      for (const opts of [{ import: id }, {}]) assert.match(await attempt(kind, make(opts)), why);
      assert.match(await attempt(kind), new RegExp(`^${id} was imported.*it was not destroyed`, 'mu'));
      if (kind === 'RunTrigger') assert.equal(await attempt(kind, make({ import: right.id })), '');
      else await world.pulumi('state', 'delete', world.urn(kind, 'mine'), '--yes');
    }
    assert.deepEqual(world.writes(), []);
    // What an \`up\` has had is replaced and destroyed as ever; after the option that is the next one.
    assert.equal(await attempt('RunTrigger', trigger({})), '');
    const other = () => {
      new RunTrigger('mine', { workspaceId: 'ws-docs', sourceableId: 'ws-jobs' });
    };
    assert.equal(await attempt('RunTrigger', other), '');
    assert.equal(await attempt('RunTrigger'), '');
    const left = world.service.snapshot().runTriggers.map((one) => one.id);
    assert.deepEqual([left.includes(theirs.id), left.includes(right.id)], [true, false]);
    world.writes();
    world.program = declared;
  });

  /** What nobody can import, and the one sentence that says so. */
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['OAuthClient', 'One', /"One" is not an id; the id of an OAuthClient \(`oc-…`\) belongs here/],
    ['OAuthClient', 'prj-web', /"prj-web" is the id of a project; the id of an OAuthClient/],
    ['OAuthClient', 'oc-none', /GET \/oauth-clients\/oc-none: not found, or the token may not see it/],
    ['ProjectAttachment', 'oc-one', /oc-one is no id of a ProjectAttachment: write oc-…\/prj-…/],
    ['ProjectAttachment', 'oc-one/ws-app', /"ws-app" is the id of a workspace; the id of a project/],
    ['ProjectAttachment', 'oc-one/prj-payments', /there is no ProjectAttachment oc-one\/prj-payments/],
    [
      'RunTrigger',
      'ws-app',
      /"ws-app" is the id of a workspace; the id of a RunTrigger \(`rt-…`\) belongs here, or ws-…\/ws-…/,
    ],
    ['RunTrigger', 'rt-none', /GET \/run-triggers\/rt-none: not found, or the token may not see it/],
    ['RunTrigger', 'ws-app/ws-web', /there is no RunTrigger ws-app\/ws-web/],
    ['RunTrigger', 'ws-theirs/ws-app', /ws-theirs\/ws-app/],
    ['InboundRunTriggers', 'ws-app/outbound', /is not the id of an InboundRunTriggers: write ws-…\/inbound/],
    ['InboundRunTriggers', 'app/inbound', /"app" is not an id; the id of a workspace \(`ws-…`\)/],
    [
      'InboundRunTriggers',
      'ws-app/inbound/more',
      /is not the id of an InboundRunTriggers: write ws-…\/inbound/,
    ],
    [
      'OutboundRunTriggers',
      'ws-theirs/outbound',
      /nobody can tell whether ws-theirs\/outbound exists: .*or correct the id$/mu,
    ],
  ];
  it('is refused for what is no id of the kind, of another organization, or not to be seen', async () => {
    const before = world.stateText();
    for (const [kind, id, message] of refused) {
      const { failure = '' } = await bring(kind, 'wrong', id);
      assert.match(failure, message);
      assert.doesNotMatch(failure, /\bat .*:\d+:\d+|bug|the state stays/u, id);
    }
    const resources = (text: string) =>
      (JSON.parse(text) as { checkpoint: { latest: { resources: unknown } } }).checkpoint.latest.resources;
    assert.deepEqual(resources(world.stateText()), resources(before));
    assert.deepEqual(world.writes(), []);
  });
});
