/** Reading manifests is quick to start: what it does not need is not loaded. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const requireOf = (file: string) =>
  `require(${JSON.stringify(join(__dirname, '..', '..', 'manifest', file))})`;

const script = `
  const { parseManifest } = ${requireOf('read')};
  const loaded = (name) => Object.keys(require.cache).some((file) => file.includes('/node_modules/' + name + '/'));
  const right = parseManifest('apiVersion: tether/v1\\norganization: acme\\n', 'a.yaml');
  const names = ['fastify', 'axios', '@pulumi/pulumi', 'yaml'];
  console.log(JSON.stringify([right.issues.length, names.filter(loaded)]));
`;

describe('reading manifests', () => {
  it('loads no service, no client and no Pulumi', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.deepEqual(JSON.parse(stdout), [0, ['yaml']]);
  });
});
