/** The schema of the package: what the engine says of it, and that it tells all that the definitions do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFunctions } from '../../provider/functions';
import { inputNames, resourceTypes } from '../../provider/resource-types';
import { engineEnv, engineFolder, needEngine, root } from '../support/pulumi-engine';
import { runProcess } from '../support/run-process';

type Properties = Readonly<Record<string, { readonly secret?: true; readonly description?: string }>>;
interface Resource {
  readonly inputProperties: Properties;
  readonly requiredInputs: readonly string[];
  readonly properties: Properties;
  readonly description: string;
  readonly aliases: readonly { readonly type: string }[];
}

const path = join(root, 'schemas/pulumi.schema.json');
const schema = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly functions: Readonly<Record<string, { readonly inputs: { readonly properties: Properties } }>>;
};

describe('the schema of the Pulumi package', () => {
  it('is accepted by the engine, for every language', async function () {
    needEngine(this);
    const ended = await runProcess(join(engineFolder(), 'bin', 'pulumi'), ['schema', 'check', path], {
      cwd: tmpdir(),
      env: { ...process.env, ...engineEnv },
    });
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '', '']);
  });

  it('is what the plugin answers with', async function () {
    needEngine(this);
    const plugin = join(root, 'plugin/pulumi-resource-tether');
    const args = ['package', 'get-schema', plugin];
    const ended = await runProcess(join(engineFolder(), 'bin', 'pulumi'), args, {
      cwd: tmpdir(),
      env: { ...process.env, ...engineEnv },
    });
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(JSON.parse(ended.stdout), schema);
  });

  it('has every resource with its inputs, outputs, secrets, example, import and earlier type', () => {
    assert.deepEqual(
      Object.keys(schema.resources),
      resourceTypes.map(({ kind }) => `tether:index:${kind}`),
    );
    for (const type of resourceTypes) {
      const { kind, fields, outputs } = type;
      const resource = schema.resources[`tether:index:${kind}`];
      assert.ok(resource);
      const { inputProperties, properties, description } = resource;
      assert.deepEqual(Object.keys(inputProperties), inputNames(type));
      assert.deepEqual(Object.keys(properties), [...inputNames(type), ...Object.keys(outputs)]);
      const secrets = Object.keys(fields).filter((name) => fields[name]?.writeOnly);
      for (const shown of [inputProperties, properties]) {
        assert.deepEqual(
          Object.keys(shown).filter((name) => shown[name]?.secret),
          secrets,
        );
        // Nor of what only programs for Node can send.
        assert.ok(Object.values(shown).every((one) => !/^$|`null`/u.test(one.description ?? '')));
      }
      assert.deepEqual(
        resource.requiredInputs,
        Object.keys(fields).filter((name) => fields[name]?.required),
      );
      assert.match(description, /## Example Usage[\s\S]*```typescript[\s\S]*```python[\s\S]*## Import/u);
      assert.deepEqual(resource.aliases, [{ type: `pulumi-nodejs:dynamic/tether:${kind}` }]);
    }
  });

  it('is told by the reference in words of programs', () => {
    const reference = readFileSync(join(root, 'docs/reference/pulumi.md'), 'utf8');
    assert.deepEqual(reference.match(/^\| `projectIds.*?\| list of `prj-…` ids/gmu)?.length, 2);
    assert.match(reference, /^\| `oauthTokenIds` \| list of strings/mu);
    assert.doesNotMatch(reference, /list of sets/u);
  });

  it('has every function with its inputs', () => {
    assert.deepEqual(
      Object.entries(schema.functions).map(([token, { inputs }]) => [token, Object.keys(inputs.properties)]),
      readFunctions.map(({ name, inputs }) => [`tether:index:${name}`, Object.keys(inputs)]),
    );
  });
});
