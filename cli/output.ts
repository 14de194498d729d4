/** What a command prints: the result on stdout (text or one JSON document) and in reports, the rest on stderr by level. */
import { resolve } from 'node:path';
import type { ClientEvent } from '../client/options';
import { LONG_PIECE, plain, type Redact, redactor } from '../client/text';
import type { ApplyEvent } from '../reconciler/apply/apply';
import type { Plan } from '../reconciler/plan/plan';
import { coloursFor, counted, type RenderOptions, renderJson } from '../reconciler/render/text';

import { codeOf, ReportUnwritten } from './errors';
import type { OutputFlags } from './flags';
import { type Io, variable } from './io';
import { writeReport } from './report-files';

/** What every JSON document begins with; a command adds its own members. */
interface Document {
  readonly command: string;
  readonly exitCode: number;
}

/** From what is always on stderr to what only a bug needs. */
const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** A shorter text is hardly a secret, and would be masked wherever it happens to occur. */
const shortestHidden = 8;

export class Output {
  readonly level: LogLevel;
  readonly json: boolean;
  /** For text on stdout. */
  readonly render: RenderOptions;
  /** For text on stderr. */
  readonly renderError: RenderOptions;
  readonly #secrets: string[] = [];
  #redact: Redact = redactor([]);

  constructor(
    private readonly flags: OutputFlags,
    private readonly io: Io,
  ) {
    this.level = levelOf(flags);
    this.json = flags.json === true;
    this.render = renderOptions(flags, io, io.stdout);
    this.renderError = renderOptions(flags, io, io.stderr);
  }

  /** Never lets this text out again, whoever puts it into a message: a second line of defence for the token. */
  hide(secret: string): void {
    // A key of several lines may come back line by line.
    const texts = [secret, ...secret.split('\n').map((line) => line.trim())];
    this.#secrets.push(...texts.filter((text) => text.length >= shortestHidden));
    this.#redact = redactor(this.#secrets, LONG_PIECE);
  }

  /** Text on stdout; silent with `--json`. */
  print(text: string): void {
    if (!this.json) this.io.stdout.write(this.clean(text));
  }

  /** One message on stderr, when the level admits it. */
  log(level: LogLevel, text: string): void {
    if (this.admits(level)) this.io.stderr.write(this.clean(text.endsWith('\n') ? text : `${text}\n`));
  }

  admits(level: LogLevel): boolean {
    return logLevels.indexOf(level) <= logLevels.indexOf(this.level);
  }

  /** The JSON document of this run: on stdout with `--json`, and in every report file. */
  document(document: Document & Readonly<Record<string, unknown>>): void {
    this.report(this.printDocument(document));
  }

  /** The same without the report files; returns its text. */
  printDocument(document: Document & Readonly<Record<string, unknown>>): string {
    const text = this.clean(renderJson({ version: 1, ...document }));
    if (this.json) this.io.stdout.write(text);
    return text;
  }

  /** A result that is JSON anyway: on stdout with and without `--json`, and in every report file. */
  printJson(value: unknown): void {
    const text = renderJson(value);
    this.io.stdout.write(text);
    this.report(text);
  }

  private report(text: string): void {
    for (const { file } of this.flags.report ?? []) {
      try {
        writeReport(resolve(this.io.cwd, file), text);
      } catch (cause) {
        throw new ReportUnwritten(`the report ${file} cannot be written (${codeOf(cause)})`);
      }
    }
  }

  clean(text: string): string {
    return this.#redact(text);
  }
}

function levelOf(flags: OutputFlags): LogLevel {
  if (flags.q) return 'error';
  const verbose = flags.v ?? 0;
  return verbose >= 2 ? 'debug' : verbose === 1 ? 'info' : 'warn';
}

function renderOptions(flags: OutputFlags, io: Io, output: Io['stdout']): RenderOptions {
  const terminal = output.isTTY === true;
  const wanted = flags.color !== false && variable(io, 'NO_COLOR') === undefined;
  const forced = variable(io, 'FORCE_COLOR') !== undefined && variable(io, 'FORCE_COLOR') !== '0';
  return {
    color: wanted && (forced || (terminal && variable(io, 'TERM') !== 'dumb')),
    width: terminal ? (output.columns ?? 80) : null,
  };
}

/** Calls in flight share a cause: it is printed once in this many milliseconds, with how many more there were. */
const quietMs = 5_000;

/** What the client reports while it works, as lines on stderr: waits and retries always, one line for many; requests, and each retry, with `-v`. */
export function clientEvents(output: Output, now: () => number): (event: ClientEvent) => void {
  const causes = new Map<string, { until: number; unprinted: number }>();
  return (event) => {
    const call = plain(`${event.method} ${event.route}`);
    if (event.type === 'request') {
      output.log('info', `${call} ${event.status ?? 'no answer'} ${Math.round(event.ms)} ms`);
      return;
    }
    const cause = causes.get(event.reason) ?? { until: 0, unprinted: 0 };
    causes.set(event.reason, cause);
    if (now() < cause.until && !output.admits('info')) {
      cause.unprinted += 1;
      return;
    }
    const seconds = (event.delayMs / 1000).toFixed(1);
    const what = event.type === 'wait' ? 'waiting' : 'trying again in';
    const more = cause.unprinted === 0 ? '' : ` (and ${counted(cause.unprinted, 'more time')})`;
    output.log('warn', `${call}: ${plain(event.reason)}; ${what} ${seconds} s${more}`);
    causes.set(event.reason, { until: now() + quietMs, unprinted: 0 });
  };
}

export interface Progress {
  show(event: ApplyEvent): void;
  /** Removes the updating line, before something else is printed. */
  end(): void;
}

/** Progress of an apply on stderr: one updating line on a terminal, plain lines elsewhere, none with `-q`. */
export function progressOf(plan: Plan, output: Output, io: Io): Progress {
  if (!output.admits('warn')) return { show: () => {}, end: () => {} };
  const total = plan.steps.length;
  const paint = coloursFor(output.renderError);
  const terminal = io.stderr.isTTY === true && output.renderError.width !== null && !output.admits('info');
  const width = (output.renderError.width ?? 80) - 1;
  let finished = 0;
  const line = (text: string): void => {
    output.log('warn', terminal ? `\r\u001b[K${text}` : text);
  };
  return {
    show: (event) => {
      if (event.type === 'note') return line(plain(event.text));
      if (event.type === 'started') {
        const text = `[${finished}/${total}] ${plain(event.step)}`;
        if (terminal) io.stderr.write(output.clean(`\r\u001b[K${text.slice(0, width)}`));
        return;
      }
      const { step, status, message } = event.result;
      finished += 1;
      const what = plain(step);
      if (status === 'done') {
        if (terminal)
          io.stderr.write(output.clean(`\r\u001b[K${`[${finished}/${total}] ${what}`.slice(0, width)}`));
        else line(`[${finished}/${total}] ${what}`);
        return;
      }
      const why = message === undefined ? '' : `: ${plain(message.split('\n')[0] ?? '')}`;
      line(`[${finished}/${total}] ${paint.red(status.replace('-', ' '))} ${what}${why}`);
    },
    end: () => {
      if (terminal) io.stderr.write('\r\u001b[K');
    },
  };
}
