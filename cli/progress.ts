/** What a run is doing, on stderr: one line that changes on a terminal, elsewhere a line now and then. */
import type { ClientEvent } from '../client/options';
import { plain } from '../client/text';
import { truncate, widthOf } from '../client/wrap';
import { counted } from '../reconciler/render/text';

/** What it needs of a command's `Io`; the width is that of the terminal now. */
interface World {
  readonly stderr: { readonly columns?: number };
  readonly signal: AbortSignal;
  now(): number;
}

/** What is known of what is under way. */
interface Phase {
  /** Empty where nothing is. */
  readonly name: string;
  readonly since: number;
  /** Of so many parts; 0 while nobody knows how many there are. */
  readonly known: number;
  readonly done: number;
  /** Requests that were answered, or failed. */
  readonly calls: number;
  /** The part that was begun last. */
  readonly part: string;
  /** What is waited for, until when at most. */
  readonly wait: string;
  readonly until: number;
}

const idle: Phase = { name: '', since: 0, known: 0, done: 0, calls: 0, part: '', wait: '', until: 0 };

const eraseLine = '\r\u001b[K';
/** A terminal shows the time; others are told no more often than this. */
const tickMs = 250;
const quietMs = 5_000;
/** Before this a rate says nothing. */
const measuredMs = 1_000;

/** Where nothing is under way, what it is told is ignored. */
export class Progress {
  #phase = idle;
  #shown = '';
  #toldAt = 0;
  #ticks: NodeJS.Timeout | undefined;

  /** `line`: one that changes; `lines`: plain ones; `none`: silent. */
  constructor(
    private readonly form: 'line' | 'lines' | 'none',
    private readonly write: (text: string) => void,
    private readonly world: World,
  ) {}

  /** Whether waits are seen here, so that no line need tell them. */
  get isLive(): boolean {
    return this.form === 'line' && this.#phase.name !== '';
  }

  /** Shows this phase until the work has ended. */
  async during<Result>(name: string, work: () => Promise<Result>, known = 0): Promise<Result> {
    this.end();
    this.#toldAt = this.world.now();
    this.update({ ...idle, name, known, since: this.#toldAt });
    if (this.isLive) this.#ticks = setInterval(() => this.update({}), tickMs).unref();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** More parts are known to be there, or done. */
  count(known: number, done: number): void {
    this.update({ known: this.#phase.known + known, done: this.#phase.done + done });
  }

  /** Something is waited for, so long at most. */
  wait(why: string, milliseconds: number): void {
    this.update({ wait: why, until: this.world.now() + milliseconds });
  }

  hear(event: ClientEvent): void {
    // What follows the colon is advice.
    if (event.type !== 'request') this.wait(event.reason.split(':')[0] ?? '', event.delayMs);
    else this.update({ calls: this.#phase.calls + 1 });
  }

  /** Before anything else is written to the terminal. */
  clear(): void {
    if (this.#shown !== '') this.write(eraseLine);
    this.#shown = '';
  }

  end(): void {
    clearInterval(this.#ticks);
    this.#phase = idle;
    this.clear();
  }

  update(change: Partial<Phase>): void {
    this.#phase = { ...this.#phase, ...change };
    const now = this.world.now();
    if (this.isLive) {
      // The last column stays free: some terminals break the line in it.
      const line = fitting(this.#parts(this.#phase), (this.world.stderr.columns ?? 80) - 1);
      if (line !== this.#shown) this.write(eraseLine + line);
      this.#shown = line;
    } else if (this.form === 'lines' && this.#phase.name !== '' && now - this.#toldAt >= quietMs) {
      this.#toldAt = now;
      this.write(`${this.#parts({ ...this.#phase, part: '' }).join(' · ')}\n`);
    }
  }

  /** The most telling ones first. */
  #parts({ name, since, known, done, calls, part, wait, until }: Phase): string[] {
    const now = this.world.now();
    const ms = now - since;
    const isMeasured = ms >= measuredMs;
    const waiting = until - now;
    const perSecond = (calls * 1000) / ms;
    const left = (known - done) * (ms / done);
    const parts = [
      name + (known > 0 ? ` ${done} of ${known}` : ''),
      this.world.signal.aborted && 'stopping',
      waiting > 0 && `waiting ${seconds(waiting)}`,
      waiting > 0 && plain(wait),
      // Nobody knows what comes after a long wait.
      isMeasured && done > 0 && left > Math.max(0, waiting) && `about ${seconds(left)} left`,
      isMeasured && known === 0 && seconds(ms),
      calls > 0 && known === 0 && counted(calls, 'call'),
      calls > 0 && isMeasured && `${Number(perSecond.toPrecision(2))} calls/s`,
      plain(part),
    ];
    return parts.flatMap((one) => one || []);
  }
}

function seconds(milliseconds: number): string {
  const all = Math.ceil(milliseconds / 1000);
  return all < 120 ? `${all} s` : `${Math.round(all / 60)} min`;
}

/** As many whole parts as fit, and as much of the first as there is room for. */
function fitting([first = '', ...more]: readonly string[], width: number): string {
  let line = first;
  for (const part of more) {
    const longer = `${line} · ${part}`;
    if (widthOf(longer) <= width) line = longer;
  }
  const { index, ellipsed } = truncate(line, { limit: width, ellipsis: '…' });
  return line.slice(0, index) + (ellipsed ? '…' : '');
}
