/** `make pictures`: what people see of a plan, an apply and drift, as pages at several widths, with colour and without; as comments; and graphs. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Marked } from 'marked';
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
  /** What a pull request would show of it. */
  readonly comments: string[] = [];
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
    const isReviewed = ['plan', 'apply', 'drift'].includes(args[0] ?? '');
    const exit = await run([...args, ...(isReviewed ? ['--report', 'markdown=report.md'] : [])], {
      stdout: stream,
      stderr: stream,
      env: this.#env,
      cwd: this.folder,
      signal: new AbortController().signal,
      now: Date.now,
      ask: null,
    });
    this.text += `(exit code ${exit})\n\n`;
    if (isReviewed) this.comments.push(readFileSync(join(this.folder, 'report.md'), 'utf8'));
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

const signs: Readonly<Record<string, string>> = {
  '+': 'background:#dafbe1;color:#116329',
  '-': 'background:#ffebe9;color:#82071e',
  '!': 'background:#ffd8b5;color:#953800',
  '#': 'color:#59636e',
};

/** What a pull request shows of Markdown, or of `graph`, as far as a page without the forge's own style can. */
function pageOfMarkdown(text: string, width: number): string {
  const unescaped = (code: string) => code.replace(/[&<>]/gu, (one) => `&#${one.charCodeAt(0)};`);
  const coloured = (line: string) => `<span style="${signs[line[0] ?? ''] ?? ''}">${unescaped(line)}</span>`;
  const marked = new Marked({
    renderer: {
      code({ text: code, lang }) {
        if (lang === 'mermaid')
          return `<pre class="mermaid" style="background:#fff">${unescaped(code)}</pre>`;
        const lines = code.split('\n').map(lang === 'diff' ? coloured : unescaped);
        return `<pre>${lines.join('\n')}</pre>`;
      },
    },
  });
  const style = `body{font:14px/1.5 sans-serif;width:${width - 50}px;padding:16px} pre{background:#f6f8fa;padding:16px;font:12px/1.45 monospace;overflow:auto}`;
  const draw = `<script src="mermaid.tiny.js"></script><script>mermaid.initialize({ startOnLoad: true, securityLevel: 'strict' })</script>`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${marked.parse(text, { async: false })}${draw}`;
}

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
    photograph(name, columns * 8 + 40, height, browser);
    if (columns === 120 && color) await drawMarkdown(terminal, browser);
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page of that name as a picture, where there is a browser. */
function photograph(name: string, width: number, height: number, browser: string | undefined): void {
  if (browser === undefined) return;
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--virtual-time-budget=20000',
  ];
  const files = [`--screenshot=${name}.png`, `${name}.html`];
  execFileSync(browser, [...flags, `--window-size=${width},${height}`, ...files], { stdio: 'ignore' });
}

/** So many workspaces in files of 20, each file a tree with some more triggers, set off by the one before it. */
function manifestsOf(count: number): ReadonlyMap<string, string> {
  const head = 'apiVersion: tether/v1\norganization: acme\nrunTriggers:\n';
  const files = Array.from({ length: Math.ceil(count / 20) }, (_, index) => index * 20);
  const linesOf = (start: number) =>
    Array.from({ length: Math.min(20, count - start) }, (_, index) => {
      const [above, beside] =
        index === 0 ? [start - 15, start - 15] : [start + ((index - 1) >> 1), start + index - 2];
      const sources = new Set(index % 4 === 3 ? [above, beside] : [above]);
      const names = [...sources].map((one) => `ws-n${one}`).join(', ');
      return above < 0 ? '' : `  - { target: ws-n${start + index}, sources: [${names}] }\n`;
    });
  return new Map(files.map((start) => [`part-${start / 20}.tether.yaml`, head + linesOf(start).join('')]));
}

/** Comments of the story, and graphs of 10, 32 and 100 workspaces. */
async function drawMarkdown(terminal: Terminal, browser: string | undefined): Promise<void> {
  const pages = terminal.comments.map((text, index) => [`comment-${index + 1}`, text, 1600] as const);
  const graph = async (folder: string) => {
    const drawn = new Terminal(terminal.folder, 120, '', false);
    await drawn.type('graph', folder);
    return `\`\`\`mermaid\n${drawn.text.replace(/^\$.*\n|^\(exit.*\n/gmu, '')}\n\`\`\`\n`;
  };
  const graphs: [string, string, number][] = [['graph-32', await graph('.'), 1200]];
  for (const count of [10, 100]) {
    const folder = mkdtempSync(join(tmpdir(), 'tether-graph-'));
    for (const [file, text] of manifestsOf(count)) writeFileSync(join(folder, file), text);
    graphs.push([`graph-${count}`, await graph(folder), count * 32 + 100]);
    rmSync(folder, { recursive: true, force: true });
  }
  cpSync(require.resolve('@mermaid-js/tiny'), join(output, 'mermaid.tiny.js'));
  for (const [name, text, height] of [...pages, ...graphs]) {
    const width = name.startsWith('graph') ? 1900 : 950;
    writeFileSync(join(output, `${name}.html`), pageOfMarkdown(text, width));
    photograph(join(output, name), width, height, browser);
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
