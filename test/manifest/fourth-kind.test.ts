/** A kind that nobody knew: its definition is all that manifests need. */
import assert from 'node:assert/strict';
import { parseManifest } from '../../manifest/read';
import type { ResourceDefinition } from '../../resources/kind';
import { registry } from '../../resources/registry';

async function never(): Promise<never> {
  throw new Error('manifests make no calls');
}

const calls = { listType: 'none', listedIn: () => [], find: () => [], create: never, delete: never };

const lamp: ResourceDefinition = {
  kind: 'Lamp',
  title: 'Lamps',
  doc: 'A light.',
  idPrefix: 'lamp',
  section: { name: 'lamps', form: 'map', ends: [] },
  fields: {
    organization: {
      type: 'string',
      doc: 'Owner.',
      onChange: 'replace',
      refersTo: 'organization',
      manifestName: null,
    },
    watts: { type: 'string', doc: 'Power.', onChange: 'update', required: true },
    code: { type: 'string', doc: 'Secret.', onChange: 'update', writeOnly: true },
    roomIds: { type: 'set', doc: 'Rooms.', onChange: 'update', refersTo: 'project', manifestName: 'rooms' },
  },
  outputs: {},
  pair: [],
  ...calls,
};

const wire: ResourceDefinition = {
  kind: 'Wire',
  title: 'Wires',
  doc: 'Joins a workspace and a project.',
  section: {
    name: 'wires',
    form: 'links',
    ends: [
      { field: 'workspaceId', singular: 'plug', plural: 'plugs' },
      { field: 'projectId', singular: 'socket', plural: 'sockets' },
    ],
  },
  fields: {
    workspaceId: {
      type: 'string',
      doc: 'One end.',
      onChange: 'replace',
      refersTo: 'workspace',
      manifestName: 'plug',
    },
    projectId: {
      type: 'string',
      doc: 'The other.',
      onChange: 'replace',
      refersTo: 'project',
      manifestName: 'socket',
    },
    colour: { type: 'string', doc: 'Of the cable.', onChange: 'update', nullable: true, required: true },
  },
  outputs: {},
  pair: ['workspaceId', 'projectId'],
  ...calls,
};

const options = { registry: [...registry, lamp, wire] };
const head = 'apiVersion: tether/v1\norganization: acme\n';

describe('a kind that is new in the registry', () => {
  it('is read with its fields, secrets, sets and links', () => {
    const { manifests, issues } = parseManifest(
      `${head}lamps: { hall: { id: lamp-1, watts: "40", code: { fromEnv: CODE }, rooms: [prj-1] } }\n` +
        'wires: [{ plug: ws-1, socket: prj-1, colour: red }, { plug: ws-2, sockets: [prj-2], colour: null }]\n' +
        'forget: [Lamp/old, Wire/ws-9/prj-9]\napproved: [{ destroy: Lamp/old, id: lamp-9 }]\n',
      'a.yaml',
      options,
    );
    assert.deepEqual(issues, []);
    assert.deepEqual(
      manifests?.entries.map(({ address, inputs, secrets }) => [address, inputs, secrets]),
      [
        [
          'Lamp/hall',
          { organization: 'acme', watts: '40', roomIds: ['prj-1'] },
          { code: { fromEnv: 'CODE' } },
        ],
        ['Wire/ws-1/prj-1', { workspaceId: 'ws-1', projectId: 'prj-1', colour: 'red' }, {}],
        ['Wire/ws-2/prj-2', { workspaceId: 'ws-2', projectId: 'prj-2', colour: null }, {}],
      ],
    );
    assert.deepEqual(
      manifests?.sets.map(({ kind, fixed, label }) => [kind, fixed, label]),
      [['Wire', { workspaceId: 'ws-2' }, 'the sockets of ws-2']],
    );
  });

  it('has its mistakes told', () => {
    const { issues } = parseManifest(
      `${head}lamps: { hall: { id: oc-1, code: canary } }\nwires: [{ plug: prj-1, colour: x, sockets: [] }, { plug: lamp-1, socket: prj-1, color: red }]\n`,
      'a.yaml',
      options,
    );
    assert.deepEqual(
      issues.map((issue) => [issue.rule, issue.path]),
      [
        ['missing-field', 'lamps.hall.watts'],
        ['wrong-id-kind', 'lamps.hall.id'],
        ['literal-secret', 'lamps.hall.code'],
        ['wrong-id-kind', 'wires[0].plug'],
        ['missing-field', 'wires[1].colour'],
        ['wrong-id-kind', 'wires[1].plug'],
        ['unknown-key', 'wires[1].color'],
      ],
    );
    assert.match(issues[5]?.message ?? '', /`lamp-1` is the id of a Lamp/);
  });
});
