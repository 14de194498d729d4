/** Compares one run over many folders with a run for each of them. */
import { World } from '../test/support/world';
import { measureTether } from './measure';
import { isFull, report, seconds } from './row';

const folders = Array.from({ length: 30 }, (_, index) => `org-${index}`);

const seed = {
  organizations: Object.fromEntries(
    folders.map((name, index) => {
      const workspaces = { [`ws-${index}-app`]: {}, [`ws-${index}-network`]: {} };
      return [name, { workspaces, runTriggers: {} }];
    }),
  ),
  tokens: { 'owner-token': Object.fromEntries(folders.map((name) => [name, 'owner' as const])) },
};

async function main(): Promise<void> {
  if (!isFull) return;
  const world = await World.start(seed);
  try {
    for (const [index, name] of folders.entries()) {
      const trigger = `  - { target: ws-${index}-app, source: ws-${index}-network }\n`;
      const head = `apiVersion: tether/v1\norganization: ${name}\n`;
      world.write(`${head}runTriggers:\n${trigger}`, `${name}/main.tether.yaml`);
    }
    const place = { cwd: world.folder, env: world.env };
    const together = await measureTether(['plan', ...folders], place);
    let apart = 0;
    for (const name of folders) apart += (await measureTether(['plan', name], place)).ms;
    report({
      what: `time of \`plan\` over ${folders.length} folders ÷ time of ${folders.length} plans`,
      goal: '≤ 0.33',
      measured: `${(together.ms / apart).toFixed(2)} (${seconds(together.ms)}, ${seconds(apart)})`,
      holds: together.ms <= apart / 3,
      isCount: false,
    });
  } finally {
    await world.close();
  }
}

void main();
