/** The classes of programs: what they register, and that their members are those of the definitions. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import * as tether from '../../provider/pulumi';
import { inboundType, outboundType } from '../../provider/trigger-sets';
import { oauthClient } from '../../resources/oauth-client';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger } from '../../resources/run-trigger';
import { githubFields } from '../support/acme';
import { root } from '../support/pulumi-engine';
import { declaredBy } from '../support/pulumi-program';

const github = { organization: 'acme', ...githubFields };
const secrets = ['oauthTokenString', 'privateKey', 'secret'];
const source = readFileSync(join(root, 'provider/pulumi.ts'), 'utf8');

/** The members between the braces that follow this text. */
function membersAfter(text: string, pattern: RegExp): readonly string[] {
  const from = source.indexOf(text);
  assert.ok(from >= 0, text);
  const body = source.slice(from, source.indexOf('}', from));
  return [...body.matchAll(pattern)].map(([, name = '']) => name).sort();
}

describe('the members of the classes', () => {
  for (const [definition, own] of [
    [oauthClient, ['adoptId', 'allowDuplicate']],
    [projectAttachment, []],
    [runTrigger, []],
  ] as const) {
    const { kind, fields, outputs } = definition;
    it(`of ${kind} are its fields: all as arguments, as outputs all but the secrets`, () => {
      const args = membersAfter(`interface ${kind}Args`, /^ {2}(\w+)\??: /gmu);
      assert.deepEqual(args, [...Object.keys(fields), ...own].sort());
      const required = membersAfter(`interface ${kind}Args`, /^ {2}(\w+): /gmu);
      const needed = Object.keys(fields).filter((name) => fields[name]?.required);
      assert.deepEqual(required, needed.sort());
      const shown = membersAfter(`class ${kind} extends`, /^ {2}declare readonly (\w+): /gmu);
      const readable = Object.keys(fields).filter((name) => !fields[name]?.writeOnly);
      assert.deepEqual(shown, [...readable, ...Object.keys(outputs)].sort());
    });
  }

  for (const [kind, { fields }] of Object.entries({
    InboundRunTriggers: inboundType,
    OutboundRunTriggers: outboundType,
  })) {
    it(`of ${kind} are its fields`, () => {
      const shared = membersAfter('type SetArgs =', /(\w+)\??: /gmu);
      const own = membersAfter(`type ${kind}Args = SetArgs &`, /(\w+): /gmu);
      assert.deepEqual([...shared, ...own].sort(), Object.keys(fields).sort());
    });
  }
});

describe('a program', () => {
  it('registers clients protected, with their secrets wrapped and one line that loads the provider', async () => {
    const declared = await declaredBy(() => {
      new tether.OAuthClient('github', {
        ...github,
        oauthTokenString: 'canary',
        secret: pulumi.output('canary'),
      });
      // As with a setting that nobody set.
      new tether.OAuthClient('unprinted', { ...github, name: 'Unprinted' }, { protect: undefined } as object);
      new tether.OAuthClient(
        'free',
        { ...github, projectIds: ['prj-1'] },
        { protect: false, retainOnDelete: true },
      );
    });
    const client = declared.get('github');
    assert.deepEqual(client?.inputs, {
      ...github,
      oauthTokenString: { secret: 'canary' },
      secret: { secret: 'canary' },
      __provider: "exports.handler = () => require('tether-iac/provider').oauthClient;",
    });
    assert.deepEqual(
      [client?.options.protect, client?.options.additionalSecretOutputs?.toSorted()],
      [true, secrets],
    );
    assert.equal(declared.get('unprinted')?.options.protect, true);
    const { protect, retainOnDelete } = declared.get('free')?.options ?? {};
    assert.deepEqual([protect, retainOnDelete], [false, true]);
  });

  it('registers triggers, sets and reads of a client', async () => {
    const declared = await declaredBy(() => {
      new tether.RunTrigger('trigger', { workspaceId: 'ws-1', sourceableId: 'ws-2' });
      new tether.InboundRunTriggers('in', {
        workspaceId: 'ws-1',
        sourceableIds: ['ws-2'],
        removeUnmanaged: true,
      });
      new tether.OutboundRunTriggers('out', { sourceableId: 'ws-1', workspaceIds: [] });
      assert.ok(tether.OAuthClient.get('shared', 'oc-1') instanceof tether.OAuthClient);
      const adopts = () =>
        new tether.OAuthClient('mine', { ...github, id: 'oc-1' } as tether.OAuthClientArgs);
      assert.throws(adopts, { message: /mine cannot be imported: .* a client by adoptId/ });
    });
    const names = ['trigger', 'in', 'out', 'shared'];
    const [trigger, inbound, outbound, shared] = names.map((name) => declared.get(name));
    assert.match(String(trigger?.inputs.__provider), /\.runTrigger;$/u);
    assert.match(String(inbound?.inputs.__provider), /\.inboundRunTriggers;$/u);
    assert.match(String(outbound?.inputs.__provider), /\.outboundRunTriggers;$/u);
    assert.deepEqual([inbound?.inputs.removeUnmanaged, shared?.options.protect], [true, false]);
  });

  it('gives an explicit provider its own settings, the token as a secret', async () => {
    const declared = await declaredBy(() => {
      const provider = new tether.Provider('partner', {
        address: 'https://b.example.com/api/v2',
        token: 'canary',
        rate: 5,
      });
      new tether.RunTrigger('theirs', { workspaceId: 'ws-1', sourceableId: 'ws-2' }, { provider });
    });
    assert.throws(() => new tether.Provider('typo', { adress: 'x' } as object), /no setting adress/u);
    assert.deepEqual(declared.get('partner')?.inputs, {
      'tether:address': 'https://b.example.com/api/v2',
      'tether:token': { secret: 'canary' },
      'tether:rate': '5',
      'tether:explicit': 'true',
    });
  });
});
