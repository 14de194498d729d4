/** Every command and manifest of the docs runs: in the page's own order here, or in the test that it names. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createService } from '../../service';
import { readBehaviours } from '../../service/behaviours';
import { readServiceProfile } from '../../service/profile';
import { deadLinks } from '../support/dead-links';
import { readPage, runPage } from '../support/page';
import { temporaryFolder } from '../support/temporary-folder';

const root = resolve(__dirname, '../../..');

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, ...readPage(readFileSync(join(root, path), 'utf8')) }));

describe('the pages of the docs', () => {
  const folder = temporaryFolder();

  it('name tests that exist and read the page', () => {
    const wrong = pages.flatMap(({ path, blocks }) =>
      blocks.flatMap(({ line, testedBy }) => {
        if (testedBy === undefined) return [];
        const test = readFileSync(join(root, testedBy), 'utf8');
        return test.includes(path.replace(/^docs\//, '')) ? [] : [`${path}:${line}: ${testedBy}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  it('link to files that exist', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const texts = tracked
      .filter((path) => path.endsWith('.md') && existsSync(join(root, path)))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
    assert.ok(texts.length > 30);
    assert.deepEqual(deadLinks(texts, new Set(tracked)), []);
  });

  it('starts a service with the seed of docs/service.md', async () => {
    const page = pages.find(({ path }) => path === 'docs/service.md');
    const seed = join(folder(), 'seed.yaml');
    writeFileSync(seed, page?.blocks.find(({ language }) => language === 'yaml')?.text ?? '');
    const service = await createService({ seed });
    const { oauthClients } = service.snapshot();
    await service.close();
    assert.notEqual(oauthClients.length, 0);
  });

  it('list each behaviour of the service, and each key of a profile', () => {
    const readRows = (page: string, heading: string) => {
      const [, section = ''] = readFileSync(join(root, 'docs', page), 'utf8').split(heading);
      const rows = section.split('\n## ')[0]?.match(/^\| `[^`]+`/gmu) ?? [];
      return rows.map((row) => row.slice(3, -1)).sort();
    };
    const behaviours = readBehaviours({}, readServiceProfile('default'));
    assert.deepEqual(readRows('service.md', '## Behaviours'), Object.keys(behaviours).sort());
    const { limits, capabilities } = readServiceProfile('default');
    const keys = [
      ...Object.keys(limits).map((key) => `limits.${key}`),
      ...Object.keys(capabilities).map((key) => `capabilities.${key}`),
    ];
    assert.deepEqual(readRows('profiles.md', '# Profiles'), [...keys, 'serviceProviders.NAME'].sort());
  });

  it('quotes messages that the product prints', () => {
    const folders = ['client', 'resources', 'observation', 'manifest', 'reconciler', 'cli'];
    const code = folders
      .flatMap((name) =>
        readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts'))
          .map((file) => readFileSync(join(root, name, file), 'utf8')),
      )
      .join('\n');
    const rows = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8').split('\n');
    const quoted = rows
      .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/^\| |`([^`]+)`/gu)])
      .flatMap(([, message = '']) => message.split('…').map((part) => part.trim()))
      .filter((part) => part.length > 7);
    assert.ok(quoted.length > 15);
    assert.deepEqual(
      quoted.filter((part) => !code.includes(part)),
      [],
    );
  });

  for (const page of pages) {
    const isRun = page.blocks.some(
      ({ language, testedBy, notRun }) => ['sh', 'yaml'].includes(language) && !testedBy && !notRun,
    );
    if (isRun) it(`does what ${page.path} says`, () => runPage(page, folder()));
  }
});
