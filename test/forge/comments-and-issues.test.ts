/** What the forge is told of a plan, a drift run and an apply: one comment, one issue, whatever the forge answers. */
import assert from 'node:assert/strict';
import { ForgeRun, forges } from '../support/forge-run';
import type { ForgeAnswer, ForgeRequest } from '../support/forge-server';

const digest = '0123456789abcdef';
const planned = { 'exit-code': '0', digest, 'output.txt': 'Plan: 1 to create' };
const marker = '<!-- tether-plan folder=. -->';

for (const kind of forges) {
  describe(`what ${kind.name} is told`, () => {
    let run: ForgeRun;
    beforeEach(async () => {
      run = new ForgeRun(kind, await kind.open());
    });
    afterEach(() => run.close());

    const bodies = (): readonly string[] => run.forge.comments.map(({ body }) => body);
    const sent = (method: string): number => run.forge.requests.filter((one) => one.method === method).length;

    it('is one comment, brought up to date; what others wrote with its marker stays', async () => {
      const foreign = [`${marker}\nDigest ffffffffffffffff`, 'Looks good to me'].map((body) =>
        run.forge.note('mallory', body),
      );
      const own = run.forge.note(kind.us, `Quoted: ${marker}`);
      run.forge.comments.push(...foreign, own);
      await run.tell('plan', planned);
      await run.tell('plan', { ...planned, 'output.txt': 'Nothing to do' });
      const [first, second, third, ours, ...more] = bodies();
      assert.deepEqual([first, second, third, more], [...foreign.map(({ body }) => body), own.body, []]);
      assert.match(
        ours ?? '',
        /^<!-- tether-plan folder=\. -->\n### Tether plan\n\n```\nNothing to do\n```\n\n\[Run\]/u,
      );
    });

    it('is found behind a page of others', async () => {
      for (let count = 0; count < 101; count += 1)
        run.forge.comments.push(run.forge.note('ada', 'A comment'));
      await run.tell('plan', planned);
      await run.tell('plan', planned);
      assert.equal(bodies().length, 102);
    });

    it('is a comment for each folder, whatever it is called', async () => {
      for (const folder of ['acme', './acme/', 'a--> <b>', 'beta']) {
        await run.tell('plan', planned, { TETHER_FOLDER: folder });
      }
      assert.deepEqual(
        bodies().map((body) => body.split('\n', 1)[0]),
        [
          '<!-- tether-plan folder=acme -->',
          '<!-- tether-plan folder=a--%3E%20%3Cb%3E -->',
          '<!-- tether-plan folder=beta -->',
        ],
      );
      assert.match(bodies()[0] ?? '', /\n\[Run\]\(\S+\) of the folder `acme`$/u);
    });

    it('is the report where there is one, and cut where it is too long', async () => {
      const line = '+ RunTrigger/app/network\n';
      const report = `${marker}\n### 1 to create\n\n<details>\n\n\`\`\`diff\n${line.repeat(100_000)}\`\`\`\n\n</details>`;
      await run.tell('plan', { ...planned, 'report.md': report });
      const [body = ''] = bodies();
      const longest = kind.name === 'GitHub' ? 65_536 : 1_000_000;
      assert.ok(body.length <= longest && body.length > longest - 1000);
      assert.match(
        body,
        /network\n```\n<\/details>\n\nIt is cut here: the whole is on \[the page of the run\]\(\S+\)\.$/u,
      );
      assert.ok(body.startsWith(`${marker}\n### 1 to create\n`));
      assert.doesNotMatch(body, /Plan: 1 to create/u);
    });

    it('is nothing Markdown, where a name holds it', async () => {
      await run.tell('plan', { ...planned, 'output.txt': 'a ````` b @everyone' });
      assert.match(bodies()[0] ?? '', /\n``````\na ````` b @everyone\n``````\n/u);
    });

    it('is nothing at all where no plan was made', async () => {
      await run.tell('plan', {});
      assert.deepEqual(run.forge.requests, []);
    });

    const refusals: readonly (readonly [string, ForgeAnswer | 'silent', RegExp])[] = [
      [
        '401',
        { status: 401, body: { message: 'Bad credentials' } },
        /answered 401 \(the token is not accepted/u,
      ],
      [
        '403',
        { status: 403, body: { message: 'Not you' } },
        /answered 403 \(the token may not; .*: Not you\)/u,
      ],
      ['404', { status: 404, body: { message: 'Not Found' } }, /answered 404 \(it is not there, or/u],
      [
        '422',
        { status: 422, body: { message: 'No\n::error::x', errors: ['a'] } },
        /answered 422 \(.*: No ::error::x; \["a"\]\)/u,
      ],
      ['429', { status: 429, headers: { 'retry-after': '3600' } }, /answered 429 \(too many requests\)/u],
      ['500', { status: 500, body: '<html>oops' }, /answered 500/u],
      ['a page of HTML', { status: 200, body: '<html>Log in' }, /answered something other than JSON/u],
      ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, /cannot be reached/u],
      ['nothing', 'silent', /no answer in 0\.2 s/u],
    ];
    for (const [name, answer, expected] of refusals) {
      it(`says so and fails nothing when the forge answers ${name}`, async () => {
        run.forge.fault = () => answer;
        const { code, stdout, stderr } = await run.run('plan', planned, { TETHER_FORGE_TIMEOUT: '0.2' });
        assert.equal(code, 0, stderr);
        const lines = (stdout + stderr).trim().split('\n');
        assert.match(lines[0] ?? '', expected);
        for (const line of lines) assert.match(line, /^(?:::warning title=Tether::|Warning: )/u);
        if (kind.name === 'GitHub') assert.match(run.summary(), expected);
        assert.deepEqual(bodies(), []);
        assert.ok(
          !run.forge.requests.some(({ path }) => path.endsWith('elsewhere')),
          'the token goes nowhere else',
        );
      });
    }

    it('waits as long as a limit of rate asks, and asks again', async () => {
      let limited = 0;
      run.forge.fault = () => {
        limited += 1;
        return limited % 2 === 1 ? { status: 429, headers: { 'retry-after': '0' } } : undefined;
      };
      await run.tell('plan', planned);
      assert.equal(bodies().length, 1);
    });

    it('asks again after a fault, but never sends twice what might make a second comment', async () => {
      const seen = new Set<string>();
      run.forge.fault = (request: ForgeRequest) => {
        if (request.method === 'POST') return { status: 502 };
        const isNew = !seen.has(request.path);
        seen.add(request.path);
        return isNew ? { status: 502 } : undefined;
      };
      const { code } = await run.run('plan', planned);
      assert.equal(code, 0);
      assert.equal(sent('POST'), kind.name === 'GitHub' ? 2 : 1, 'a comment, and on GitHub a status');
    });

    it('is one issue about drift, until a run finds none or an apply has repaired it', async () => {
      const drifted = { 'exit-code': '2', 'output.txt': 'Drift: 1 changed' };
      const foreign = run.forge.note('mallory', '<!-- tether-drift folder=. -->\nMine', 'Mine');
      run.forge.issues.push(foreign);
      const ours = () => run.forge.issues.filter(({ author }) => author === kind.us);
      await run.tell('drift', { 'exit-code': '0' });
      assert.deepEqual(ours(), []);
      await run.tell('drift', drifted);
      await run.tell('drift', { ...drifted, 'output.txt': 'Drift: 2 changed' });
      await run.tell('drift', { 'exit-code': '1', 'output.txt': 'unreachable' });
      await run.tell('apply', { 'exit-code': '1', 'output.txt': 'refused' });
      assert.deepEqual(
        ours().map(({ open, title }) => [open, title]),
        [[true, 'Objects were changed outside Tether']],
      );
      assert.match(ours()[0]?.body ?? '', /2 changed/u);
      await run.tell('apply', { 'exit-code': '0', 'output.txt': 'Apply: 2 done.' });
      await run.tell('drift', drifted, { TETHER_FOLDER: 'acme' });
      await run.tell('drift', { 'exit-code': '0' }, { TETHER_FOLDER: 'acme' });
      assert.deepEqual(
        ours().map(({ open, body }) => [open, /\*\*Closed:\*\* (.*) \(\[run\]/u.exec(body)?.[1]]),
        [
          [false, 'an apply left nothing to do'],
          [false, 'nothing differs any more'],
        ],
      );
      assert.deepEqual([foreign.open, foreign.body], [true, '<!-- tether-drift folder=. -->\nMine']);
    });

    it('fails no apply where the issue cannot be closed', async () => {
      run.forge.fault = () => ({ status: 403, body: { message: 'Resource not accessible by integration' } });
      const { code, stdout, stderr } = await run.run('apply', { 'exit-code': '0' });
      assert.equal(code, 0);
      assert.match(
        stdout + stderr,
        /Closing the issue about drift failed, the run itself is not affected: .* 403/u,
      );
    });
  });
}
