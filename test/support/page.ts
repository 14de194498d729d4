/** A page of the docs as a program: its blocks of shell run in order in one folder, where its manifests are files. */

/*
 * How a block is read:
 *
 * - `yaml`: the first line names the file, `# clients.tether.yaml`, or the file that it goes to the end of, `# at the end
 *   of clients.tether.yaml`.
 * - `sh`: what a person types; the service of the test is known already. `tether apply` and `tether destroy` are answered with yes. A line that ends in
 *   `# exit code 2` must end so; every other must end with 0.
 * - `text`: lines of what the commands before it printed, in that order; `…` stands for anything.
 *   An error is among it, also where the shell sends the output to a file.
 * - Before a block: `<!-- tested by test/….test.ts -->`, or `<!-- not run: why -->`.
 * - `<!-- setup`, lines of shell, `-->`: what readers do not see; `acme_exists` adds the organization
 *   of test/docs/acme.yaml, where the service has an admin port. `<!-- service: ARGUMENTS OF tether serve -->`.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTether, until } from './background';
import { program } from './cli';
import { compileCache, runProcess } from './run-process';

interface Block {
  /** `sh`, `yaml`, …; `setup` for shell that readers do not see. */
  readonly language: string;
  readonly text: string;
  /** From 1, of the opening fence or comment. */
  readonly line: number;
  /** The test that has it instead. */
  readonly testedBy?: string;
  /** Why nothing runs it. */
  readonly notRun?: string;
}

interface Page {
  readonly blocks: readonly Block[];
  /** Arguments of `tether serve`. */
  readonly service: readonly string[];
}

const pattern =
  /^(?<indent> *)```(?<language>\w*)\n(?<code>.*?)^ *```$|^ *<!-- (?<word>setup|service:|tested by|not run:)\s(?<said>.*?)\s*-->$/gmsu;

export function readPage(markdown: string): Page {
  const blocks: Block[] = [];
  let service: readonly string[] = [];
  let mark: Pick<Block, 'testedBy' | 'notRun'> = {};
  for (const match of markdown.matchAll(pattern)) {
    const { indent = '', language = '', code = '', word, said = '' } = match.groups ?? {};
    const line = markdown.slice(0, match.index).split('\n').length;
    if (word === 'service:') service = said.split(' ');
    else if (word === 'setup') blocks.push({ language: 'setup', text: `${said}\n`, line });
    else if (word === 'tested by') mark = { testedBy: said };
    else if (word === 'not run:') mark = { notRun: said };
    else {
      blocks.push({ language, text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), line, ...mark });
      mark = {};
    }
  }
  return { blocks, service };
}

const root = join(__dirname, '..', '..', '..');

/** Runs a page in a folder that is empty so far; what does not hold is an assertion error with the page's line. */
export async function runPage(page: Page, cwd: string): Promise<void> {
  const service = startTether(['serve', ...page.service], { cwd: root });
  try {
    const ready = page.service.includes('--admin') ? 'admin on' : 'listening on';
    const isReady = () => service.stdout().includes(ready) && service.stderr().includes('token ');
    await until('it is ready', isReady);
    const env = {
      PATH: process.env.PATH,
      HOME: cwd,
      NODE_COMPILE_CACHE: compileCache,
      TETHER_ADDRESS: /listening on (\S+)/.exec(service.stdout())?.[1] ?? '',
      TETHER_ADMIN: /admin on (\S+)/.exec(service.stdout())?.[1] ?? '',
      TETHER_TOKEN: /token (\S+) /.exec(service.stderr())?.[1] ?? '',
      NO_COLOR: '1',
    };
    const ran = page.blocks.filter(({ testedBy, notRun }) => !testedBy && !notRun);
    writeFileSync(join(cwd, '.page.sh'), [prelude, ...ran.map(toShellScript)].join(''));
    const { code, stdout, stderr } = await runProcess('bash', ['.page.sh'], { cwd, env });
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    checkOutput(ran, stdout);
  } finally {
    service.signal('SIGTERM');
    await service.ended;
  }
}

const prelude = `set -e -o pipefail
exec 3>&1
acme_exists() {
  sed "s/TOKEN/$TETHER_TOKEN/" ${join(root, 'test/docs/acme.yaml')} |
    curl -sS --fail-with-body -X PATCH --data-binary @- "$TETHER_ADMIN/seed"
}
tether() {
  local answer=
  case "$1" in apply|destroy) answer=--yes ;; esac
  ${process.execPath} ${program} "$@" $answer 2>&3
}
ends_with() {
  local wanted=$1 code=0; shift
  "$@" || code=$?
  if [ "$code" != "$wanted" ]; then echo "exit code $code instead of $wanted: $*" >&2; exit 1; fi
}
`;

const marker = '=== block of line';

function toShellScript({ language, text, line }: Block): string {
  const start = `echo '${marker} ${line}'\n`;
  if (language === 'sh' || language === 'setup') {
    const lines = text.replaceAll(/^(.*\S) +# exit code (\d).*$/gm, 'ends_with $2 $1');
    return start + lines.replaceAll(/^export TETHER_(?:ADDRESS|TOKEN)=.*$/gm, ': already set');
  }
  if (language !== 'yaml') return start;
  const [, end, file] = /^# (at the end of )?(\S+\.yaml)\n/.exec(text) ?? [];
  assert.ok(file, `line ${line}: a block of YAML names its file in its first line`);
  return `${start}cat >${end ? '>' : ''} ${file} <<'END OF FILE'\n${text}END OF FILE\n`;
}

/** Each block of text against the output of the nearest block of shell before it. */
function checkOutput(blocks: readonly Block[], stdout: string): void {
  const outputs = new Map(
    stdout
      .split(`${marker} `)
      .slice(1)
      .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]),
  );
  let output = '';
  for (const { language, text, line } of blocks) {
    if (language === 'sh') output = outputs.get(line) ?? '';
    if (language !== 'text') continue;
    let from = 0;
    for (const expectedLine of text.split('\n').filter((part) => part.trim() !== '')) {
      const match = toPattern(expectedLine.trim()).exec(output.slice(from));
      assert.ok(match, `line ${line}: not printed: ${expectedLine}\n${output}`);
      from += match.index + match[0].length;
    }
  }
}

/** What a page quotes, where `…` stands for anything on the line. */
export function toPattern(quoted: string): RegExp {
  const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(quoted.split('…').map(escaped).join('.*'));
}
