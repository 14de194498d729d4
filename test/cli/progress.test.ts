/** What is seen of a run while it is under way: one line on a terminal, few lines elsewhere, and nothing that remains. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Call, type Io } from '../../cli/call';
import { stepEvents } from '../../cli/commands/apply';
import { clientEvents } from '../../cli/connection';
import type { Flags } from '../../cli/flags';
import type { StepResult } from '../../reconciler/apply/apply';
import { stepOf } from '../support/plans';
import { screenOf } from '../support/screen';
import { acme, bareHead, github, head, World } from '../support/world';

/** A call whose terminal and time are the test's; `columns: null` is no terminal. */
class Watched {
  readonly call: Call;
  now = 1_000_000;
  stderr = '';
  columns: number;
  readonly stop = new AbortController();

  constructor(columns: number | null, flags: Flags = {}, env: Io['env'] = {}) {
    this.columns = columns ?? 80;
    const watched = this;
    const stream = {
      write: (text: string) => {
        watched.stderr += text;
      },
      isTTY: columns !== null,
      get columns() {
        return watched.columns;
      },
    };
    const io = { stdout: stream, stderr: stream, env, cwd: '/', signal: this.stop.signal, ask: null };
    this.call = new Call('apply', { color: false, ...flags }, [], { ...io, now: () => this.now });
  }

  get screen(): readonly string[] {
    return screenOf(this.stderr, this.columns);
  }

  get line(): string {
    return this.screen.at(-1) ?? '';
  }

  requests(count: number): void {
    const event = { type: 'request', method: 'GET', route: '/a', status: 200, ms: 1 } as const;
    for (let sent = 0; sent < count; sent += 1) this.call.progress.hear(event);
  }
}

const finished = (more: Partial<StepResult>) => {
  const result: StepResult = { step: 'create X/y', address: 'X/y', status: 'done', ...more };
  return { type: 'finished', result } as const;
};

describe('progress on a terminal', () => {
  it('says what is done of how much, how fast and for how long still, once that is measured', async () => {
    const watched = new Watched(120);
    const { progress } = watched.call;
    await progress.during('Reading', async () => {
      assert.equal(watched.line, 'Reading');
      watched.requests(2);
      assert.equal(watched.line, 'Reading · 2 calls');
      progress.count(40, 2);
      assert.equal(watched.line, 'Reading 2 of 40');
      watched.now += 2000;
      watched.requests(8);
      progress.count(0, 8);
      assert.equal(watched.line, 'Reading 10 of 40 · about 6 s left · 5 calls/s');
      progress.update({ part: 'create RunTrigger/app/network' });
      assert.equal(
        watched.line,
        'Reading 10 of 40 · about 6 s left · 5 calls/s · create RunTrigger/app/network',
      );
    });
    assert.deepEqual(watched.screen, ['']);
  });

  it('says how fast it reads', async () => {
    const watched = new Watched(80);
    await watched.call.progress.during('Reading', async () => {
      watched.now += 4000;
      watched.requests(2);
    });
    assert.match(watched.stderr, /Reading · 4 s · 2 calls · 0\.5 calls\/s/);
  });

  it('says what is waited for, and not when it will be done, in the line and nowhere else', async () => {
    const watched = new Watched(80);
    const { progress } = watched.call;
    const tell = clientEvents(watched.call);
    await progress.during('Reading', async () => {
      progress.count(4, 2);
      watched.now += 2000;
      const reason = 'rate limited (429): lower --rate or try again later';
      tell({ type: 'wait', method: 'GET', route: '/a', attempt: 1, delayMs: 3500, reason });
      assert.deepEqual(watched.screen, ['Reading 2 of 4 · waiting 4 s · rate limited (429)']);
      watched.now += 3500;
      progress.count(0, 1);
      assert.deepEqual(watched.screen, ['Reading 3 of 4 · about 2 s left']);
    });
  });

  for (const columns of [20, 40, 80, 120]) {
    it(`is never wider than ${columns} columns, whatever names are like`, async () => {
      const watched = new Watched(columns);
      const { progress } = watched.call;
      const work = async () => {
        for (const name of [
          '漢字の名前',
          '👩‍👩‍👧'.repeat(9),
          'e\u0301'.repeat(70),
          'a'.repeat(300),
          '\u001b[2J\n\r',
        ]) {
          progress.update({ part: name });
          progress.wait(name, 5000);
          watched.now += 1500;
          watched.requests(5);
          progress.count(0, 1);
          assert.equal(watched.screen.length, 1, watched.line);
          assert.ok([...new Intl.Segmenter().segment(watched.line)].length < columns, watched.line);
        }
      };
      await progress.during('Applying', work, 760);
      assert.deepEqual(watched.screen, ['']);
      // Of a narrow one the count is left, whole.
      assert.match(watched.stderr, /Applying 5 of 760/);
    });
  }

  it('cuts a name that is too wide by what it takes, not by its characters', async () => {
    const watched = new Watched(16);
    await watched.call.progress.during('漢字漢字漢字漢字漢字', async () => {
      assert.deepEqual(watched.screen, ['漢字漢字漢字漢…']);
    });
  });

  it('follows the terminal when that changes its width', async () => {
    const watched = new Watched(80);
    await watched.call.progress.during('Reading', async () => {
      watched.call.progress.update({ part: 'create RunTrigger/app/network' });
      watched.columns = 20;
      watched.stderr = '';
      watched.call.progress.count(3, 1);
      assert.deepEqual(watched.screen, ['Reading 1 of 3']);
    });
  });

  it('gives way to each line that is printed, and comes back below', async () => {
    const watched = new Watched(80);
    const tell = stepEvents(watched.call, { steps: [] });
    const work = async () => {
      tell({ type: 'started', step: 'create X/y', address: 'X/y' });
      tell(finished({ status: 'failed', message: 'POST /x: refused (422): name is taken\nmore' }));
      assert.deepEqual(watched.screen, [
        'failed create X/y: POST /x: refused (422): name is taken',
        'Applying 1 of 3 · create X/y',
      ]);
      watched.call.print('a result\n');
    };
    await watched.call.progress.during('Applying', work, 3);
    assert.deepEqual(watched.screen, [
      'failed create X/y: POST /x: refused (422): name is taken',
      'a result',
      '',
    ]);
  });

  it('says after Ctrl-C that it only finishes what it began', async () => {
    const watched = new Watched(80);
    await watched.call.progress.during(
      'Applying',
      async () => {
        watched.stop.abort();
        watched.call.progress.count(0, 1);
        assert.equal(watched.line, 'Applying 1 of 3 · stopping');
      },
      3,
    );
  });

  it('is silent with -q, lines with -v, and lines where a terminal cannot erase', async () => {
    for (const [flags, env, expected] of [
      [{ q: true }, {}, ''],
      [{ v: 1 }, {}, 'done create X/y\n'],
      [{}, { TERM: 'dumb' }, ''],
    ] as const) {
      const watched = new Watched(80, flags, env);
      const tell = stepEvents(watched.call, { steps: [] });
      await watched.call.progress.during('Applying', async () => tell(finished({})), 2);
      assert.equal(watched.stderr, expected);
    }
  });

  it('ends with work that fails, and ignores what comes later', async () => {
    const watched = new Watched(80);
    const { progress } = watched.call;
    await assert.rejects(
      progress.during('Reading', async () => {
        throw new Error('no answer');
      }),
      /no answer/,
    );
    progress.count(3, 1);
    watched.requests(1);
    assert.deepEqual(watched.screen, ['']);
  });
});

describe('progress of a replacement', () => {
  it('counts it once, when the old object is gone', async () => {
    const watched = new Watched(80);
    const replace = stepOf({ action: 'replace', address: 'OAuthClient/a' });
    const end = stepOf({ action: 'delete', address: 'OAuthClient/a', reason: 'replaced' });
    const tell = stepEvents(watched.call, { steps: [replace, end] });
    const work = async () => {
      tell(finished({ step: replace.id }));
      assert.equal(watched.line, 'Applying 0 of 1');
      tell(finished({ step: end.id }));
      assert.equal(watched.line, 'Applying 1 of 1');
    };
    await watched.call.progress.during('Applying', work, 1);
  });
});

describe('progress without a terminal', () => {
  it('is a line every few seconds, when something happens', async () => {
    const watched = new Watched(null);
    const tell = stepEvents(watched.call, { steps: [] });
    await watched.call.progress.during(
      'Applying',
      async () => {
        for (let step = 0; step < 100; step += 1) {
          watched.now += 200;
          watched.requests(2);
          tell(finished({}));
        }
      },
      100,
    );
    assert.deepEqual(watched.stderr.split('\n'), [
      'Applying 24 of 100 · about 16 s left · 9.8 calls/s',
      'Applying 49 of 100 · about 11 s left · 9.9 calls/s',
      'Applying 74 of 100 · about 6 s left · 9.9 calls/s',
      'Applying 99 of 100 · about 1 s left · 9.9 calls/s',
      '',
    ]);
  });

  it('says nothing of a read that is over soon', async () => {
    const watched = new Watched(null);
    await watched.call.progress.during('Reading', async () => {
      watched.call.progress.count(40, 40);
      watched.requests(40);
    });
    assert.equal(watched.stderr, '');
  });

  it('says a cause that strikes many steps once, and with -v each time', async () => {
    const watched = new Watched(null);
    const tell = stepEvents(watched.call, { steps: [] });
    for (const id of ['1', '2']) {
      const message = `POST /x/${id}: the token was refused (401): check TETHER_TOKEN`;
      tell(finished({ step: `create X/${id}`, status: 'failed', code: 'unauthorized', message }));
    }
    tell(finished({ status: 'failed', message: 'another' }));
    tell(finished({ status: 'not-tried', message: 'the token was refused' }));
    assert.deepEqual(watched.stderr.split('\n'), [
      'failed create X/1: POST /x/1: the token was refused (401): check TETHER_TOKEN',
      'failed create X/y: another',
      '',
    ]);
    const verbose = new Watched(null, { v: 1 });
    const tellAll = stepEvents(verbose.call, { steps: [] });
    for (const step of ['create X/1', 'create X/2'])
      tellAll(finished({ step, status: 'failed', message: 'no' }));
    assert.equal(verbose.stderr, 'failed create X/1: no\nfailed create X/2: no\n');
  });
});

describe('progress of whole runs', () => {
  const lines = ['network', 'dns', 'jobs', 'web', 'docs'];
  const manifests = `${head}runTriggers:\n${lines.map((source) => `  - { target: app, source: ${source} }\n`).join('')}`;
  let world: World;
  beforeEach(async () => {
    world = await World.start(acme);
    world.write('main.tether.yaml', manifests);
  });
  afterEach(() => world.close());

  it('counts what is read and what is applied, and leaves nothing on the screen', async () => {
    const told: string[] = [];
    const ended = await world.here(['apply', '--yes'], {
      terminal: true,
      onStderr: (text) => told.push(text),
    });
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(screenOf(ended.stderr, 80), ['']);
    const seen = told.join('');
    // New triggers are looked for at one end.
    for (const part of [
      'Opening the ledger',
      'Reading 1 of 1',
      'Applying 0 of 5',
      'Applying 5 of 5',
      'Writing the ledger',
    ])
      assert.ok(seen.includes(part), `${part} in ${JSON.stringify(seen)}`);
    const drift = await world.here(['drift'], { terminal: true });
    assert.match(drift.stderr, /Reading 1 of 1\r.*Reading what is unmanaged 12 of 12\r/s);
    assert.deepEqual(screenOf(drift.stderr, 80), ['']);
  });

  it('looks for what an exact page leaves out one by one, and counts that too', async () => {
    await world.here(['apply', '--yes']);
    for (const { id } of Object.values(world.ledger.objects)) await world.somebody.runTriggers.delete(id);
    const { stderr } = await world.here(['plan'], { terminal: true });
    assert.match(stderr, /Reading \d+ of 6/);
  });

  it('names the lock that is waited for, and who holds it above', async () => {
    const stop = new AbortController();
    let waiting = '';
    world.service.fault({ how: 'slow', ms: 60_000, method: 'GET' });
    const first = world.here(['apply', '--yes'], { signal: stop.signal });
    while (!world.has('tether.ledger.json.lock')) await turn();
    const second = world.here(['apply', '--yes', '--lock-timeout', '9'], {
      terminal: true,
      signal: stop.signal,
      onStderr: (text) => {
        if (!stop.signal.aborted) waiting += text;
        if (/waiting \d+ s/.test(waiting)) stop.abort();
      },
    });
    assert.deepEqual([(await first).code, (await second).code], [130, 130]);
    const [note = '', line = ''] = screenOf(waiting, 80)
      .join('\n')
      .split(/\n(?=Opening)/);
    assert.match(note.replaceAll('\n', ''), /^Waiting for the ledger's lock: tether apply, process \d+/);
    assert.match(line, /^Opening the ledger · waiting [89] s · the ledger is locked/);
  });

  it('is silent in a pipeline about what is over soon, and has no line of the terminal in it', async () => {
    world.write('client.tether.yaml', bareHead + github);
    assert.equal((await world.here(['plan'])).stderr, '');
    assert.equal((await world.here(['apply', '--yes'])).stderr, '');
    assert.equal((await world.here(['plan', '-q'], { terminal: true })).stderr, '');
  });
});
