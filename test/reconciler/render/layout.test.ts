/** How a plan is laid out: what stands together, what is left out, what never is, and how lines end. */
import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import type { Step } from '../../../reconciler/plan/plan';
import { nextOfPlan, renderPlan } from '../../../reconciler/render/plan';
import { planOf, stepOf } from '../../support/plans';

const noColour = { color: false, width: null };
const textOf = (steps: readonly Step[], options: Partial<Parameters<typeof renderPlan>[1]> = {}) =>
  renderPlan(planOf({ steps }), { ...noColour, ...options });

const trigger = (target: string, source: string, more: Partial<Step> = {}) =>
  stepOf({ action: 'create', address: `RunTrigger/${target}/${source}`, ...more });
const removed = { reason: 'removed-from-manifest', because: 'no longer in the manifests' } as const;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('many plain creates', () => {
  const clients = ['cloud', 'enterprise', 'agency', 'archive'].map((name) =>
    stepOf({ action: 'create', address: `OAuthClient/${name}`, changes: [{ field: 'name', to: name }] }),
  );
  const triggers = numbers(60).map((one) => trigger(`target-${one >> 1}`, `source-${one}`));
  const steps = [...clients, ...triggers];

  it('are a few lines, which say how many are left out and how to see them', () => {
    for (const width of [null, 80, 120]) {
      const text = textOf(steps, { width });
      assert.ok(text.split('\n').length < 20, text);
      assert.match(
        text,
        /^ +\+ cloud {2}\+ enterprise {2}\+ agency {2}\+ archive {2}\(-v shows their fields\)$/m,
      );
      assert.match(text, /… and 44 more to create, for 22 others \(-v lists them\)/);
      assert.match(text, /^Plan: 64 to create\./m);
    }
  });

  it('stand all there with -v, clients with their fields', () => {
    const text = textOf(steps, { all: true });
    for (const one of numbers(60)) assert.match(text, new RegExp(`\\+ source-${one}\\b`));
    assert.match(text, /\+ cloud +name {2}"cloud"/);
    assert.doesNotMatch(text, / more to create|-v shows/);
  });

  it('of one target are cut too', () => {
    const text = textOf(numbers(20).map((one) => trigger('app', `s${one}`)));
    assert.match(text, /\+ s11 {2}… and 8 more to create \(-v lists them\)\n/);
  });

  it('are counted apart from adoptions, which they stand among', () => {
    const found = { action: 'adopt', objectId: 'rt-1' } as const;
    const some = numbers(20).map((one) => trigger('app', `s${one}`, one % 4 === 3 ? found : {}));
    assert.match(textOf(some), /… and 6 more to create, 2 to adopt \(-v lists them\)\n/);
    const others = numbers(20).map((one) => trigger(`app-${one}`, 's', one % 4 === 3 ? found : {}));
    assert.match(textOf(others), /… and 9 more to create, 3 to adopt, for 12 others \(-v lists them\)\n/);
  });

  it('hide no delete, no replacement and nothing that was deleted elsewhere, however many there are', () => {
    const deletes = numbers(300).map((one) =>
      trigger(`target-${one}`, `old-${one}`, { action: 'delete', objectId: `rt-${one}`, ...removed }),
    );
    const replaces = numbers(20).map((one) =>
      stepOf({ action: 'replace', address: `OAuthClient/c${one}`, objectId: `oc-${one}` }),
    );
    const gone = { reason: 'gone', because: 'deleted outside Tether' } as const;
    const again = numbers(30).map((one) => trigger(`again-${one}`, `lost-${one}`, gone));
    const text = textOf([...replaces, ...triggers, ...again, ...deletes], { width: 80 });
    for (const one of numbers(30)) assert.match(text, new RegExp(`\\+ lost-${one}\\b`));
    for (const one of numbers(300)) assert.ok(text.includes(`- old-${one} rt-${one}`), text);
    for (const one of numbers(20)) assert.match(text, new RegExp(`-/\\+ c${one} +oc-${one}\\b`));
  });

  it('take time that grows with their number alone', () => {
    const many = numbers(30_000).map((one) =>
      trigger(
        'app',
        `s${one}`,
        one % 2 === 0 ? {} : { action: 'delete', ...removed, because: `reason ${one}` },
      ),
    );
    assert.ok(textOf(many, { width: 80 }).length > 100_000);
  });
});

describe('a reason', () => {
  const gone = { reason: 'gone', because: 'deleted outside Tether' } as const;

  it('is said once for a section where more than one target has it', () => {
    const text = textOf([trigger('app', 'dns', gone), trigger('web', 'app', gone), trigger('web', 'dns')]);
    assert.equal(
      text.split('\n\n')[0],
      'Run triggers   target ← source   (+ deleted outside Tether)\n      app  + dns\n      web  + dns (new)  + app',
    );
  });

  it('is said once for a target, behind all that have it', () => {
    const text = textOf([trigger('app', 'dns', gone), trigger('app', 'new'), trigger('app', 'jobs', gone)]);
    assert.match(text, /app {2}\+ new {2}\+ dns {2}\+ jobs \(each of these 2: deleted outside Tether\)\n/);
  });
});

describe('a replaced client', () => {
  const approval = { action: 'replace', id: 'oc-1', given: true, line: '' } as const;
  const about = { address: 'OAuthClient/agency', objectId: 'oc-1', approval } as const;
  const attach = (project: string, more: Partial<Step> = {}) =>
    stepOf({ action: 'create', address: `ProjectAttachment/agency/${project}`, ...more });
  const moved = { reason: 'moved', because: 'moves to the new client' } as const;
  const text = textOf([
    stepOf({ action: 'replace', ...about }),
    stepOf({ action: 'delete', ...about, reason: 'replaced' }),
    attach('shop', moved),
    attach('data', moved),
    attach('added'),
  ]);

  it('is one row and counts once', () => {
    assert.equal(text.match(/oc-1/g)?.length, 1);
    assert.match(text, /^ {2}-\/\+ agency {2}oc-1 {2}a new one takes its place/m);
    assert.match(text, /^Plan: 3 to create, 1 to replace\./m);
  });

  it('takes along what it had, which is told from what is new', () => {
    assert.match(
      text,
      /agency {2}\+ shop {2}\+ data \(each of these 2: moves to the new client\) {2}\+ added\n/,
    );
  });
});

describe('a client that nothing uses', () => {
  it('is deleted without a warning, which is said', () => {
    const text = textOf([
      stepOf({ action: 'delete', address: 'OAuthClient/old', risks: ['no workspace uses it at present'] }),
    ]);
    assert.match(text, /^ {11}no workspace uses it at present$/m);
  });
});

describe('a terminal of any width', () => {
  const url = 'https://gitlab.agency.example.com/a/very/long/path/that/no/terminal/has/room/for';
  const steps = [
    stepOf({
      action: 'replace',
      address: 'OAuthClient/agency-with-a-rather-long-name',
      objectId: 'oc-ZB211rnUKvXtPCKk',
      changes: [{ field: 'httpUrl', from: 'https://git.example.com', to: url, risk: 'breaks' }],
      risks: [`every workspace that uses it loses its VCS link: ${'payments-api-production, '.repeat(9)}…`],
    }),
    ...numbers(9).map((one) =>
      trigger('日本語のワークスペース', `source-${one}`, {
        action: 'delete',
        objectId: `rt-aVkR7JCKkA7Ywf${one}`,
        ...removed,
      }),
    ),
  ];

  it('breaks no id and no URL, and wraps everything else, also where characters are wide', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 160 }), fc.boolean(), (width, color) => {
        const text = textOf(steps, { width, color });
        assert.ok(text.includes(`"${url}"`), text);
        assert.ok(text.includes('oc-ZB211rnUKvXtPCKk'));
        for (const one of numbers(9)) assert.ok(text.includes(`rt-aVkR7JCKkA7Ywf${one}`));
        for (const line of stripVTControlCharacters(text).split('\n')) {
          const wide = line.match(/[\u3000-\u9fff]/g)?.length ?? 0;
          assert.ok(line.length + wide <= width || line.includes(url), `${width}: ${line}`);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('says the same words as a pipe, which wraps nothing', () => {
    const words = (width: number | null) => textOf(steps, { width }).split(/\s+/).join(' ');
    for (const width of [40, 80, 120]) assert.equal(words(width), words(null));
    assert.ok(textOf(steps).split('\n').length <= textOf(steps, { width: 120 }).split('\n').length);
  });

  it('shows the beginning of a name of a megabyte', () => {
    const text = textOf([trigger('x'.repeat(1_000_000), 'y'.repeat(1_000_000))], { width: 80 });
    assert.ok(text.length < 1_000, String(text.length));
  });
});

describe('the next step', () => {
  const again = (command: string) => `tether ${command} infra`;
  const problem = { rule: 'a', severity: 'error', message: 'wrong', path: '', address: 'A/b' } as const;
  const nexts = [
    ['changes', planOf({ steps: [trigger('a', 'b')], problems: [problem] }), 'Next: tether apply infra'],
    [
      'blockers',
      planOf({ blockers: [{ code: 'protected', message: 'no' }] }),
      /^Next: resolve .*tether plan infra$/,
    ],
    ['problems alone', planOf({ problems: [problem] }), 'Next: fix the problems, then tether plan infra'],
    [
      'names alone',
      planOf({ names: {} }),
      'Next: tether apply infra (only the ledger changes: what names mean)',
    ],
    [
      'baselines and names',
      planOf({ names: {}, baselineRefresh: [{ key: 'A/b', managed: {}, file: null }] }),
      'Next: tether apply infra (only the ledger changes: the last applied values of 1 object, what names mean)',
    ],
    ['nothing', planOf(), ''],
  ] as const;
  for (const [what, plan, next] of nexts) {
    it(`after a plan with ${what} is told`, () => {
      const text = nextOfPlan(plan, again);
      if (typeof next === 'string') assert.equal(text, next);
      else assert.match(text, next);
    });
  }
});
