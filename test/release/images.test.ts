/** The Dockerfile, as far as it can be tried without a container: what it names, and the program that it puts together. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createService, type Service } from '../../service';
import { runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

const root = resolve(__dirname, '../../..');

interface Stage {
  readonly base: string;
  readonly lines: readonly (readonly [instruction: string, rest: string])[];
}

/** By name, in the order of the file. */
function readStages(): ReadonlyMap<string, Stage> {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const lines = text.split('\n').flatMap((line) => {
    const [, instruction, rest] = /^([A-Z]+) +(.*)$/u.exec(line) ?? [];
    return instruction === undefined || rest === undefined ? [] : [[instruction, rest] as const];
  });
  const stages = new Map<string, Stage & { lines: (readonly [string, string])[] }>();
  let current: (readonly [string, string])[] = [];
  for (const [instruction, rest] of lines) {
    if (instruction === 'FROM') {
      const [base = '', , name = ''] = rest.split(' ');
      current = [];
      stages.set(name, { base, lines: current });
    } else current.push([instruction, rest]);
  }
  return stages;
}

const stages = readStages();
const rests = (stage: string, instruction: string): readonly string[] =>
  (stages.get(stage)?.lines ?? []).flatMap(([name, rest]) => (name === instruction ? [rest] : []));

describe('the Dockerfile', () => {
  it('starts from one base, by digest, and ends with the service', () => {
    const bases = new Set([...stages.values()].map(({ base }) => base).filter((base) => !stages.has(base)));
    assert.equal(bases.size, 1);
    assert.match([...bases][0] ?? '', /^node:22\.\d+\.\d+-alpine3\.\d+@sha256:[0-9a-f]{64}$/u);
    assert.deepEqual([...stages.keys()], ['build', 'program', 'cli', 'service']);
  });

  it('runs both images as an ordinary user, by number', () => {
    for (const name of ['cli', 'service']) {
      const instructions = stages.get(name)?.lines.map(([instruction]) => instruction) ?? [];
      assert.deepEqual(rests(name, 'USER'), ['1000:1000']);
      assert.ok(
        instructions.lastIndexOf('RUN') < instructions.indexOf('USER'),
        'nothing is done as root afterwards',
      );
    }
    assert.deepEqual(rests('cli', 'ENTRYPOINT'), ['["tether"]']);
    assert.deepEqual(rests('cli', 'WORKDIR'), ['/work']);
  });

  describe('its program', () => {
    const folder = temporaryFolder();
    let service: Service;
    beforeEach(async () => {
      const app = join(folder(), 'app');
      for (const rest of rests('program', 'COPY')) {
        const [, source = '', target = ''] =
          /^--from=build \/build\/(\S+) \.\/(\S*)$/u.exec(rest) ?? assert.fail(rest);
        const to = join(
          app,
          target.endsWith('/') || target === '' ? `${target}${source.split('/').at(-1)}` : target,
        );
        if (source === 'node_modules') symlinkSync(join(root, source), to);
        else {
          const filter = (one: string): boolean => !/\/dist\/(?:test|tools|bench|\.)/u.test(one);
          cpSync(join(root, source), to, { recursive: true, filter });
        }
      }
      mkdirSync(join(app, 'dist/test'));
      mkdirSync(join(folder(), 'bin'));
      for (const command of rests('program', 'RUN')) {
        const here = command.replaceAll('/app/', `${app}/`).replaceAll('/usr/local/bin/', `${folder()}/bin/`);
        execFileSync('sh', ['-c', here], { cwd: app });
      }
      service = await createService({ seed: join(root, 'examples/gitops/seed.yaml') });
    });
    afterEach(() => service.close());

    it('plans the folder it is started in, and has what serve and the pipelines need', async () => {
      const app = join(folder(), 'app');
      assert.ok(!existsSync(join(app, 'dist/test')), 'no tests in the image');
      assert.ok(existsSync(join(app, 'forge/tether.sh')));
      const work = join(folder(), 'work');
      cpSync(join(root, 'examples/gitops'), work, { recursive: true });
      const env = {
        PATH: `${folder()}/bin:${process.env.PATH ?? ''}`,
        TETHER_ADDRESS: service.url,
        TETHER_TOKEN: 'acme-example-token',
      };
      const planned = await runProcess('tether', ['plan'], { cwd: work, env });
      assert.equal(planned.code, 0, planned.stderr);
      assert.match(planned.stdout, /76 to create/u);
      const [, ...serve] = JSON.parse(rests('service', 'ENTRYPOINT')[0] ?? '[]') as string[];
      const help = await runProcess('tether', [...serve, '--help'], { cwd: work, env });
      assert.equal(help.code, 0, help.stderr);
    });
  });
});
