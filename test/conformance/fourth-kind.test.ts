/** A made-up fourth kind passes the whole suite, has exact sets, a schema and a page, with nothing but its own file. */
import assert from 'node:assert/strict';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { manifestSchema } from '../../manifest/schema';
import { readProfile } from '../../resources/profile';
import { registry } from '../../resources/registry';
import { manifestReference } from '../../tools/generated/manifest-reference';
import { conformance, KindWorld } from './conformance';
import { Grants } from './grants';
import { projectGrant, projectGrants } from './project-grant';

const seed = {
  organizations: {
    acme: { workspaces: { 'ws-one': {}, 'ws-two': {} }, projects: { 'prj-one': {}, 'prj-two': {} } },
  },
  tokens: { owner: { acme: 'owner' as const } },
};

const kinds = [...registry, projectGrant];
const head = 'apiVersion: tether/v1\norganization: acme\n';

conformance(projectGrant, {
  seed,
  registry: kinds,
  profile: 'default',
  grants: new Grants(),
  base: { workspace: 'ws-one', project: 'prj-one' },
  fields: {
    workspaceId: { from: 'ws-one', to: 'ws-two' },
    projectId: { from: 'prj-one', to: 'prj-two' },
  },
  remove: (api, id) => projectGrants(api.perform).delete(id),
});

describe('a fourth kind', () => {
  it('has exact sets from its definition alone', async () => {
    const world = await KindWorld.open({ seed, profile: 'default', registry: kinds, grants: new Grants() });
    try {
      world.reset();
      world.write(`${head}projectGrants: [{ workspace: ws-one, projects: [prj-one] }]\n`);
      await world.settle();
      await projectGrants(world.api.perform).create('ws-one', 'prj-two');
      const { steps } = await world.settle();
      assert.deepEqual(
        steps.map(({ action, unmanaged }) => [action, unmanaged]),
        [['delete', true]],
      );
    } finally {
      await world.close();
    }
  });

  it('has its section in the schema and in the reference', () => {
    const validate = new Ajv({
      strict: true,
      strictRequired: false,
      allowUnionTypes: true,
      validateFormats: false,
    }).compile(manifestSchema(kinds));
    const accepts = (text: string): boolean => validate(parse(`${head}${text}`));
    assert.equal(accepts('projectGrants: [{ workspace: ws-one, projects: [prj-one] }]\n'), true);
    assert.equal(accepts('projectGrants: [{ workspace: ws-one, grants: [prj-one] }]\n'), false);
    const page = manifestReference(kinds, [readProfile('default', '/')]);
    assert.match(page, /`projectGrants`/);
    assert.match(page, /Workspaces of the project may read the state of the workspace\./);
  });
});
