/** What is printed where and at which level: levels, colour, width, hidden texts and the client's events. */
import assert from 'node:assert/strict';
import { Call, type Io } from '../../cli/call';
import { clientEvents } from '../../cli/connection';
import type { Flags } from '../../cli/flags';

interface Captured {
  readonly output: Call;
  out(): string;
  err(): string;
}

/** An output, and everything it printed. */
function captured(
  flags: Flags = {},
  env: Record<string, string> = {},
  terminal?: { columns?: number },
  now = Date.now,
): Captured {
  const printed = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): Io['stdout'] => ({
    write: (text) => {
      printed[name] += text;
    },
    ...(terminal === undefined ? {} : { isTTY: true, ...terminal }),
  });
  const io: Io = {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env,
    cwd: '/',
    signal: new AbortController().signal,
    now,
    ask: null,
  };
  return { output: new Call('plan', flags, [], io), out: () => printed.stdout, err: () => printed.stderr };
}

describe('the output of a command', () => {
  const levels: readonly (readonly [string, Flags, string])[] = [
    ['nothing said about it', {}, 'warn'],
    ['-q', { q: true }, 'error'],
    ['-v', { v: 1 }, 'info'],
    ['-vv', { v: 2 }, 'debug'],
    ['-vvv', { v: 3 }, 'debug'],
    ['-q, over -v', { q: true, v: 2 }, 'error'],
  ];
  for (const [what, flags, level] of levels) {
    it(`speaks up to ${level} with ${what}`, () => {
      const { output, err } = captured(flags);
      for (const one of ['error', 'warn', 'info', 'debug'] as const) output.log(one, `a ${one}`);
      assert.equal(err().trimEnd().split('\n').at(-1), `a ${level}`);
    });
  }

  const looks: readonly (readonly [
    string,
    Flags,
    Record<string, string>,
    { columns?: number } | undefined,
    boolean,
    number | null,
  ])[] = [
    ['a terminal', {}, {}, { columns: 120 }, true, 120],
    ['a terminal that does not say how wide it is', {}, {}, {}, true, 80],
    ['a pipeline', {}, {}, undefined, false, null],
    ['a pipeline that wants colour', {}, { FORCE_COLOR: '1' }, undefined, true, null],
    ['a pipeline that wants none', {}, { FORCE_COLOR: '0' }, undefined, false, null],
    ['a terminal without colours', {}, { TERM: 'dumb' }, {}, false, 80],
    ['a person who wants none', {}, { NO_COLOR: '1', FORCE_COLOR: '1' }, {}, false, 80],
    ['--no-color', { color: false }, { FORCE_COLOR: '1' }, {}, false, 80],
  ];
  for (const [what, flags, env, terminal, color, width] of looks) {
    it(`renders for ${what}`, () => {
      assert.deepEqual(captured(flags, env, terminal).output.render, { color, width });
    });
  }

  it('never lets a hidden text out, in whatever form, and no shorter one for another', () => {
    const { output, out, err } = captured();
    output.hide('short');
    output.hide('first-line\nsecond-line "quoted"');
    output.hide('first-line-and-more');
    output.print('first-line-and-more, first-line, short; ');
    output.print(`${JSON.stringify('second-line "quoted"')}\n`);
    output.log('error', 'second-line "quoted"');
    assert.equal(out(), '(secret), (secret), short; "(secret)"\n');
    assert.equal(err(), '(secret)\n');
  });

  it('says no text on stdout with --json', () => {
    const { output, out } = captured({ json: true });
    output.print('for people');
    assert.equal(output.end(0, { done: [] }), 0);
    assert.deepEqual(JSON.parse(out()), { version: 1, command: 'plan', exitCode: 0, done: [] });
  });
});

describe('what the client tells', () => {
  const wait = {
    type: 'wait',
    method: 'GET',
    route: '/run-triggers/rt-1',
    attempt: 1,
    delayMs: 1500,
    reason: '429',
  } as const;

  it('is said once for many calls that share a cause, then with how many there were', () => {
    let now = 0;
    const { output, err } = captured({}, {}, undefined, () => now);
    const tell = clientEvents(output);
    for (let count = 0; count < 4; count += 1) tell(wait);
    tell({ ...wait, type: 'retry', reason: 'reset' });
    now = 5000;
    tell(wait);
    assert.equal(
      err(),
      `GET /run-triggers/rt-1: 429; waiting 1.5 s
GET /run-triggers/rt-1: reset; trying again in 1.5 s
GET /run-triggers/rt-1: 429; waiting 1.5 s (and 3 more times)
`,
    );
  });

  it('is said each time with -v, requests too, with or without an answer', () => {
    const { output, err } = captured({ v: 1 }, {}, undefined, () => 0);
    const tell = clientEvents(output);
    tell(wait);
    tell(wait);
    tell({ type: 'request', method: 'GET', route: '/a', status: 200, ms: 3.7 });
    tell({ type: 'request', method: 'GET', route: '/a', status: null, ms: 10 });
    assert.equal(
      err(),
      `GET /run-triggers/rt-1: 429; waiting 1.5 s
GET /run-triggers/rt-1: 429; waiting 1.5 s
GET /a 200 4 ms
GET /a no answer 10 ms
`,
    );
  });
});
