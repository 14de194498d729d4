/** The first manifest of README.md does what the README says, on what `tether serve` starts with. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTether, until } from '../support/background';
import { tether } from '../support/cli';
import { temporaryFolder } from '../support/temporary-folder';

const readme = readFileSync(join(__dirname, '../../../README.md'), 'utf8');

function firstManifest(): string {
  return /```yaml\n(.*?)```/su.exec(readme)?.[1] ?? '';
}

/** The program's lines of the block of commands that follows the manifest. */
function commands(): string[] {
  const block = /```sh\n(export TETHER_ADDRESS.*?)```/su.exec(readme)?.[1] ?? '';
  return block.split('\n').flatMap((line) => /^tether (\w+)/u.exec(line)?.[1] ?? []);
}

function withoutIds(text: string): string {
  return text.replace(/\b(oc|rt)-\w{16}/gu, '$1-…').replace(/^Digest: \w+$/mu, 'Digest: …');
}

describe('the README', () => {
  const folder = temporaryFolder();

  it('has a first manifest that can be tried as it is printed', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'connections.tether.yaml'), firstManifest());
    const service = startTether(['serve'], { cwd });
    try {
      await until(
        'it is ready',
        () => /shown only this once/.test(service.stderr()) && service.stdout() !== '',
      );
      const env = {
        TETHER_ADDRESS: /listening on (\S+)/.exec(service.stdout())?.[1] ?? '',
        TETHER_TOKEN: /token (\S+) /.exec(service.stderr())?.[1] ?? '',
        GIT_TOKEN: 'any-text',
      };
      assert.deepEqual(commands(), ['validate', 'plan', 'apply', 'drift']);
      const codes: (number | null)[] = [];
      for (const command of [...commands(), 'plan']) {
        const args = command === 'apply' ? [command, '--yes'] : [command];
        codes.push((await tether(args, { cwd, env })).code);
      }
      assert.deepEqual(codes, [0, 0, 0, 0, 0]);
      const changed = firstManifest()
        .replace('https://git.example.com\n', 'https://gitlab.example.com\n')
        .replace('[network]', '[]');
      writeFileSync(join(cwd, 'connections.tether.yaml'), changed);
      const { stdout } = await tether(['plan'], { cwd, env });
      const [, shown = ''] = /```text\n(OAuth clients\n.*?)```/su.exec(readme) ?? [];
      assert.equal(withoutIds(stdout), withoutIds(shown));
    } finally {
      service.signal('SIGTERM');
      await service.ended;
    }
  });
});
