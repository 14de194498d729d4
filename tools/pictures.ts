/** `make pictures`: what people see of a plan, an apply and drift, as pages at several widths, with colour and without. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { run } from '../cli/run';
import { createService } from '../service';
import { meddle, type Workspaces } from './demo/meddle';

const root = resolve(__dirname, '../..');
const example = join(root, 'examples/gitops');
const output = resolve(process.argv[2] ?? 'pictures');
const token = 'acme-example-token';
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A terminal of that width, in which the real command line runs; `text` is what it shows. */
class Terminal {
  text = '';
  readonly #env: Readonly<Record<string, string>>;

  constructor(
    readonly folder: string,
    readonly columns: number,
    url: string,
    color: boolean,
  ) {
    const clients = readFileSync(join(folder, 'clients.tether.yaml'), 'utf8');
    const names = [...clients.matchAll(/fromEnv: (\w+)/gu)].flatMap(([, name]) => name ?? []);
    const secrets = names.map((name) => [name, `example-value-of-${name.toLowerCase()}`]);
    const shared = { TETHER_ADDRESS: url, TETHER_TOKEN: token, TERM: 'xterm-256color' };
    this.#env = { ...Object.fromEntries(secrets), ...shared, ...(color ? {} : { NO_COLOR: '1' }) };
  }

  async type(...args: readonly string[]): Promise<void> {
    this.text += `$ tether ${args.join(' ')}\n`;
    const stream = { write: (text: string) => (this.text += text), isTTY: true, columns: this.columns };
    const exit = await run(args, {
      stdout: stream,
      stderr: stream,
      env: this.#env,
      cwd: this.folder,
      signal: new AbortController().signal,
      now: Date.now,
      ask: null,
    });
    this.text += `(exit code ${exit})\n\n`;
  }

  /** Replaces a text of a file, which must be there. */
  edit(file: string, from: string, to: string): void {
    const path = join(this.folder, file);
    const before = readFileSync(path, 'utf8');
    if (!before.includes(from)) throw new Error(`${file} has no ${from} any more`);
    writeFileSync(path, before.replace(from, to));
  }
}

async function story(terminal: Terminal, url: string): Promise<void> {
  await terminal.type('plan');
  await terminal.type('apply', '--yes', '--rate', '1000');
  await terminal.type('plan');
  const { aliases } = parse(readFileSync(join(terminal.folder, 'aliases.tether.yaml'), 'utf8')) as {
    aliases: { workspaces: Workspaces };
  };
  await meddle(url, token, aliases.workspaces);
  await terminal.type('drift');
  terminal.edit('clients.tether.yaml', 'name: Cloud\n', 'name: The cloud that everybody may use\n');
  terminal.edit('clients.tether.yaml', 'https://git.agency.example\n', 'https://gitlab.agency.example\n');
  terminal.edit('clients.tether.yaml', '  archive:', '  reports:');
  terminal.edit('clients.tether.yaml', 'https://vcs.archive.example\n', 'https://vcs.reports.example\n');
  for (const project of ['data', 'payments', 'platform'])
    terminal.edit(
      'attachments.tether.yaml',
      `oauthClient: archive, project: ${project}`,
      `oauthClient: reports, project: ${project}`,
    );
  await terminal.type('plan');
  await terminal.type('apply', '--yes');
  terminal.edit(
    'clients.tether.yaml',
    'serviceProvider: provider_b_hosted',
    'serviceProvder: provider_b_hosted',
  );
  await terminal.type('validate');
}

const colours: Readonly<Record<string, string>> = {
  1: 'font-weight:bold',
  2: 'color:#888',
  31: 'color:#e06c75',
  32: 'color:#98c379',
  33: 'color:#e5c07b',
  35: 'color:#c678dd',
  36: 'color:#56b6c2',
};

/** What a terminal shows, as a page; styles nest as they were opened. */
function pageOf(text: string, columns: number): string {
  // A line that is written over shows what came last.
  const last = text.replace(/^.*\r(?!\n)/gmu, '');
  const safe = last.replace(/[&<>]/gu, (one) => `&#${one.charCodeAt(0)};`);
  const [start = '', ...parts] = safe.split('\u001b[');
  const spans = parts.map((part) =>
    part.replace(/^(\d*)([mK])/u, (_, code: string, verb: string) => {
      return verb === 'K' ? '' : code in colours ? `<span style="${colours[code]}">` : '</span>';
    }),
  );
  const shown = start + spans.join('');
  const style = `background:#1e1e1e;color:#ddd;font:13px/1.35 monospace;padding:8px;width:${columns}ch;border-right:1px dashed #555`;
  return `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#1e1e1e"><pre style="${style}">${shown}</pre>`;
}

async function draw(columns: number, color: boolean, browser: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tether-pictures-'));
  cpSync(example, folder, { recursive: true });
  rmSync(join(folder, 'seed.yaml'));
  const service = await createService({ seed: join(example, 'seed.yaml') });
  const name = join(output, `${columns}-${color ? 'colour' : 'plain'}`);
  try {
    const terminal = new Terminal(folder, columns, service.url, color);
    await story(terminal, service.url);
    writeFileSync(`${name}.html`, pageOf(terminal.text, columns));
    const height = terminal.text.split('\n').length * 18 + 40;
    const size = `--window-size=${columns * 8 + 40},${height}`;
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', size];
    if (browser !== undefined) {
      execFileSync(browser, [...options, `--screenshot=${name}.png`, `${name}.html`], { stdio: 'ignore' });
    }
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function drawAll(): Promise<void> {
  const browser = browsers.find((path) => existsSync(path));
  mkdirSync(output, { recursive: true });
  for (const columns of [40, 80, 120]) {
    for (const color of [true, false]) await draw(columns, color, browser);
  }
  process.stdout.write(
    `written to ${output}${browser === undefined ? ', without screenshots: no chromium' : ''}\n`,
  );
}

drawAll().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
