/** `check`: every mistake in the inputs at once, with the path of the property and never with a secret. */
import assert from 'node:assert/strict';
import { mistakesIn } from '../../provider/inputs';
import { inboundSet, type ResourceType, resourceTypeOf } from '../../provider/resource-types';
import { type Props, unknownValue } from '../../provider/state';
import { readProfile } from '../../resources/profile';

const profile = readProfile('default', '/');
const client = resourceTypeOf('OAuthClient');

const good = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'http://git.example.com:8080/api/v3',
};
const long = `prj_${'x'.repeat(100)}`;

/** What is given beside good inputs, and the one sentence that comes of it; none where there is nothing wrong. */
const clients: readonly (readonly [string, Props, string | undefined])[] = [
  ['good inputs', {}, undefined],
  ['a name that is cleared', { name: null }, undefined],
  ['a number for a text', { name: 7 }, 'name: must be a string, not a number'],
  ['a list for a text', { key: ['a'] }, 'key: must be a string, not a list'],
  ['an object for a secret', { secret: { a: 'canary' } }, 'secret: must be a string, not an object'],
  [
    'a text for a boolean',
    { organizationScoped: 'yes' },
    'organizationScoped: must be a boolean, not a string',
  ],
  ['a boolean', { organizationScoped: false }, undefined],
  ['a text for a list', { projectIds: 'prj-1' }, 'projectIds: must be a list of strings, not a string'],
  ['null in a list', { projectIds: ['prj-1', null] }, 'projectIds[1]: must be a string, not null'],
  ['what is unknown in a list', { projectIds: [unknownValue, 'prj-1'] }, undefined],
  [
    'an id of another kind in a list',
    { projectIds: ['prj-1', unknownValue, 'ws-1'] },
    'projectIds[2]: "ws-1" is the id of a workspace; the id of a project (`prj-…`) belongs here',
  ],
  [
    'a long text for an id',
    { projectIds: [long] },
    `projectIds[0]: "${long.slice(0, 80)}…" is not an id; the id of a project (\`prj-…\`) belongs here`,
  ],
  [
    'another id for an agent pool',
    { agentPoolId: 'oc-1' },
    'agentPoolId: "oc-1" is the id of an OAuthClient; the id of an agent pool (`apool-…`) belongs here',
  ],
  ['what is unknown for any type', { organizationScoped: unknownValue, projectIds: unknownValue }, undefined],
  [
    'an empty secret',
    { oauthTokenString: '' },
    'oauthTokenString: is empty, and an empty secret is never sent: give a value, or leave it out',
  ],
  [
    'a control character in a secret of one line',
    { oauthTokenString: 'canary\u0007' },
    'oauthTokenString: holds the invisible character U+0007: remove it',
  ],
  ['several lines in a secret that is a text', { secret: 'one\ntwo' }, undefined],
  ['several lines in a name', { name: 'one\ntwo' }, 'name: holds the invisible character U+000A: remove it'],
  [
    'a service provider that is nearly right',
    { serviceProvider: 'provider_aa' },
    `serviceProvider: "provider_aa" is not a serviceProvider of profile \`default\`: did you mean \`provider_a\`? The values are ${Object.keys(profile.serviceProviders).join(', ')}`,
  ],
  [
    'a URL of another protocol',
    { httpUrl: 'ftp://x.example.com' },
    'httpUrl: must be a URL that begins with https:// or http://',
  ],
  ['no URL', { apiUrl: 'git.example.com' }, 'apiUrl: must be a URL that begins with https:// or http://'],
  [
    'a space in a URL',
    { apiUrl: 'https://x.example.com/a b' },
    'apiUrl: must be a URL that begins with https:// or http://',
  ],
  [
    'a user in a URL',
    { apiUrl: 'https://canary@x.example.com' },
    'apiUrl: holds a user name or password: a URL must not carry secrets',
  ],
  [
    'a password in a URL',
    { apiUrl: 'https://:canary@x.example.com' },
    'apiUrl: holds a user name or password: a URL must not carry secrets',
  ],
  [
    'an organization with a space',
    { organization: 'ac me' },
    'organization: "ac me" is not the name of an organization: use letters, digits, dashes and underscores',
  ],
  ['a text for an own boolean', { allowDuplicate: 'yes' }, 'allowDuplicate: must be a boolean, not a string'],
  ['a number for an own text', { adoptId: 5 }, 'adoptId: must be a string, not a number'],
  [
    'own inputs that are unknown',
    { allowDuplicate: unknownValue, deletionProtection: unknownValue },
    undefined,
  ],
  [
    'a name that is nearly right',
    { allowDuplicates: true },
    'allowDuplicates: there is no such property: did you mean `allowDuplicate`?',
  ],
];

describe('the inputs of a resource under Pulumi', () => {
  for (const [what, more, mistake] of clients) {
    it(`${mistake === undefined ? 'may hold' : 'are refused with'} ${what}`, () => {
      const mistakes = mistakesIn(client, { ...good, ...more }, profile);
      assert.deepEqual(mistakes, mistake === undefined ? [] : [mistake]);
      assert.doesNotMatch(mistakes.join(), /canary/);
    });
  }

  const others: readonly (readonly [string, ResourceType, Props, readonly string[]])[] = [
    [
      'a trigger without its ends',
      resourceTypeOf('RunTrigger'),
      {},
      ['workspaceId: is required', 'sourceableId: is required'],
    ],
    [
      'an attachment whose ends are swapped',
      resourceTypeOf('ProjectAttachment'),
      { oauthClientId: 'prj-1', projectId: 'oc-1' },
      [
        'oauthClientId: "prj-1" is the id of a project; the id of an OAuthClient (`oc-…`) belongs here',
        'projectId: "oc-1" is the id of an OAuthClient; the id of a project (`prj-…`) belongs here',
      ],
    ],
    [
      'a set with a member that is no id',
      inboundSet,
      { workspaceId: 'ws-1', sourceableIds: ['ws-2', 'network'], removeUnmanaged: 1 },
      [
        'sourceableIds[1]: "network" is not an id; the id of a workspace (`ws-…`) belongs here',
        'removeUnmanaged: must be a boolean, not a number',
      ],
    ],
    [
      'a client without anything',
      client,
      { colour: 'blue' },
      [
        `colour: there is no such property: the properties are ${[...Object.keys(client.fields), 'adoptId', 'allowDuplicate', 'deletionProtection'].join(', ')}`,
        'organization: is required',
        'serviceProvider: is required',
        'httpUrl: is required',
        'apiUrl: is required',
      ],
    ],
  ];
  for (const [what, shape, inputs, wanted] of others) {
    it(`name every mistake of ${what}, all at once`, () => {
      assert.deepEqual(mistakesIn(shape, inputs, profile), wanted);
    });
  }
});
