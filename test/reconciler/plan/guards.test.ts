/** What a plan may take away, or make again, without being asked: the limits, the lines that raise them, and when a line is obsolete. */
import assert from 'node:assert/strict';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  type PureWorld,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

const sources = (count: number) => Array.from({ length: count }, (_, index) => `ws-s${index}`);

/** So many triggers of ours into ws-a, and so many of them still there; the ledger is at serial 7. */
function linked(count: number, there = count): PureWorld {
  const all = sources(count).map((one) => [one, `rt-${one}`] as const);
  return pureWorld({
    triggers: all.slice(0, there).map(([source, id]) => triggerDocument(id, source, 'ws-a')),
    ledger: ledgerWith(
      Object.fromEntries(
        all.map(([source, id]) => [`RunTrigger/ws-a/${source}`, triggerInLedger(id, source, 'ws-a')]),
      ),
      { serial: 7 },
    ),
  });
}

const lines = (some: readonly string[], approved = '') =>
  `runTriggers: [${some.map((source) => `{ target: ws-a, source: ${source} }`).join(', ')}]\n${approved}`;

function planned(world: PureWorld, text: string, options: Parameters<typeof planIn>[2] = {}) {
  const { blockers, warnings } = planIn(world, manifest(text), options).plan;
  return {
    blockers: blockers.map(({ code }) => code),
    messages: blockers.map(({ message }) => message).join('\n'),
    warnings: warnings.map(({ message }) => message),
  };
}

describe('a plan with many deletes', () => {
  const eight = (approved = '') => lines(sources(12).slice(8), approved);

  it('prints the line that approves them, bound to the serial of the ledger', () => {
    const { blockers, messages } = planned(linked(12), eight());
    assert.deepEqual(blockers, ['too-many-deletes']);
    assert.match(messages, /8 deletes \(limit 5\)/);
    assert.match(messages, /\n {4}- \{ deletes: 8, serial: 7, lineage: line \}$/);
    assert.match(messages, /--max-deletes 8/);
  });

  it('goes with that line, and with one that allows more', () => {
    for (const line of [
      '{ deletes: 8, serial: 7, lineage: line }',
      '{ deletes: 20, serial: 7, lineage: line }',
      '{ deletes: 8, serial: 7 }',
    ]) {
      const { blockers, warnings } = planned(linked(12), eight(`approved: [${line}]\n`));
      assert.deepEqual([blockers, warnings], [[], []]);
    }
  });

  it('does not go with a line for that serial of another ledger', () => {
    const { blockers, warnings, messages } = planned(
      linked(12),
      eight('approved: [{ deletes: 8, serial: 7, lineage: other }]\n'),
    );
    assert.equal(blockers.length, 1);
    assert.match(messages, /- \{ deletes: 8, serial: 7, lineage: line \}$/);
    assert.match(warnings.join(), /is obsolete: the ledger is at serial 7 of lineage line\. /);
  });

  it('does not go with a line for fewer, or for another serial, and says so', () => {
    const few = planned(linked(12), eight('approved: [{ deletes: 7, serial: 7, lineage: line }]\n'));
    assert.match(few.messages, /8 deletes \(limit 7\)/);
    const old = planned(linked(12), eight('approved: [{ deletes: 8, serial: 6, lineage: line }]\n'));
    assert.deepEqual(old.blockers, ['too-many-deletes']);
    assert.match(
      old.warnings.join(),
      /`\{ deletes: 8, serial: 6, lineage: line \}` is obsolete: the ledger is at serial 7 of lineage line\. /,
    );
  });

  it('has a line that nothing needs told as one to remove', () => {
    const { blockers, warnings } = planned(
      linked(12),
      lines(sources(12), 'approved: [{ deletes: 8, serial: 7, lineage: line }]\n'),
    );
    assert.deepEqual(blockers, []);
    assert.match(
      warnings.join(),
      /nothing here needs `\{ deletes: 8, serial: 7, lineage: line \}`: remove the line, unless it is for a destroy/,
    );
  });

  it('is held to a limit that was given by hand, also a lower one, unless a line allows more', () => {
    const two = lines(sources(12).slice(2));
    assert.deepEqual(planned(linked(12), two, { maxDeletes: 1 }).blockers, ['too-many-deletes']);
    const approved = lines(sources(12).slice(2), 'approved: [{ deletes: 2, serial: 7, lineage: line }]\n');
    assert.deepEqual(planned(linked(12), approved, { maxDeletes: 1 }).blockers, []);
  });
});

describe('a plan that replaces a client', () => {
  const projects = sources(8).map((one) => one.replace('ws', 'prj'));
  const world = () =>
    pureWorld({
      clients: [clientDocument('oc-1', { projectIds: projects })],
      ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values) }, { serial: 7 }),
    });
  const replaced = github.replace('https://git.example.com\n', 'https://new.example.com\n');
  const attached = (some: readonly string[]) => `    projects: [${some.join(', ')}]\n`;

  it('counts the attachments that the new one does not get, as without the replacement', () => {
    const few = attached(projects.slice(6));
    assert.match(planned(world(), github + few).messages, /6 deletes \(limit 5\)/);
    const { messages } = planned(world(), replaced + few);
    assert.match(messages, /7 deletes \(limit 5\)/);
    assert.match(messages, /\n {4}- \{ deletes: 7, serial: 7, lineage: line \}$/m);
    const { notes } = planIn(world(), manifest(replaced + few), { maxDeletes: 7 }).plan;
    assert.match(
      notes.map(({ text }) => text).join('\n'),
      /7 deletes \(1 by replacing, 6 not taken over\); the limit is 7/,
    );
  });

  it('does not count those that it gets', () => {
    for (const text of [replaced + attached(projects), replaced])
      assert.doesNotMatch(planned(world(), text).blockers.join(), /too-many-deletes/);
  });
});

describe('a plan that takes all that the ledger holds', () => {
  it('scenario 87: stops, however few there are, and names what lets it through', () => {
    const { blockers, messages } = planned(linked(4), lines([]));
    assert.deepEqual(blockers, ['too-many-deletes']);
    assert.match(messages, /4 deletes, which is all that this ledger holds/);
    assert.match(messages, /- \{ deletes: 4, serial: 7, lineage: line \}/);
    assert.deepEqual(planned(linked(4), lines([]), { maxDeletes: 3 }).blockers, ['too-many-deletes']);
    assert.deepEqual(planned(linked(4), lines([]), { maxDeletes: 4 }).blockers, []);
    assert.deepEqual(
      planned(linked(4), lines([], 'approved: [{ deletes: 4, serial: 7, lineage: line }]\n')).blockers,
      [],
    );
  });

  it('stops for `destroy` as well', () => {
    assert.deepEqual(planned(linked(4), lines(sources(4)), { destroy: true }).blockers, ['too-many-deletes']);
  });

  const rows: [string, PureWorld, string, string[]][] = [
    ['one object alone is no "all"', linked(1), lines([]), []],
    ['one that stays makes it less than all', linked(4), lines(['ws-s0']), []],
    ['what is let go stays', linked(4), lines([], 'forget: [RunTrigger/ws-a/ws-s0]\n'), []],
    ['what is missing already does not count', linked(4, 2), lines([]), ['too-many-deletes']],
    ['of several that are missing but one', linked(4, 1), lines([]), []],
    ['what comes in their place changes nothing', linked(2), lines(['ws-x', 'ws-y']), ['too-many-deletes']],
  ];
  for (const [what, world, text, blockers] of rows) {
    it(`${what}: ${blockers.join() || 'no stop'}`, () =>
      assert.deepEqual(planned(world, text).blockers, blockers));
  }

  it('counts the attachments that go with their client', () => {
    const link = { ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }) };
    const held = {
      'OAuthClient/github': clientInLedger('oc-1', values),
      'ProjectAttachment/oc-1/prj-1': { ...link, kind: 'ProjectAttachment' },
    };
    const clients = [clientDocument('oc-1', { projectIds: ['prj-1'] })];
    const approved = 'approved: [{ destroy: OAuthClient/github, id: oc-1 }]\n';
    const client = pureWorld({ clients, ledger: ledgerWith(held) });
    assert.deepEqual(planned(client, approved).blockers, []);
    const more = pureWorld({
      clients,
      triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a')],
      ledger: ledgerWith({ ...held, 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') }),
    });
    assert.deepEqual(planned(more, approved).blockers, ['too-many-deletes']);
  });

  const unmanaged = (count: number, ours = 0): PureWorld => ({
    ...linked(ours + count),
    ledger: linked(ours).ledger,
  });
  const exactly = (list: string, approved = '') =>
    `runTriggers: [{ target: ws-a, sources: ${list} }]\n${approved}`;

  it('counts what nobody manages and an exact set empties', () => {
    const { blockers, messages } = planned(unmanaged(3), exactly('[]'));
    assert.deepEqual(blockers, ['too-many-deletes']);
    assert.match(messages, /3 deletes, which is all that its exact sets cover/);
    const mixed = planned(unmanaged(2, 1), exactly('[]'));
    assert.deepEqual(mixed.blockers, ['too-many-deletes']);
    assert.match(mixed.messages, /3 deletes, which is all that this ledger holds and its exact sets cover/);
    assert.deepEqual(planned(unmanaged(3), exactly('[]'), { maxDeletes: 3 }).blockers, []);
    const approved = 'approved: [{ deletes: 3, serial: 1, lineage: line }]\n';
    assert.deepEqual(planned({ ...unmanaged(3), ledger: ledgerWith({}) }, exactly('[]', approved)), {
      blockers: [],
      messages: '',
      warnings: [],
    });
  });

  it('is none where an exact set keeps or gets one, as in scenario 6, where it covers one alone, or where ours stay', () => {
    assert.deepEqual(planned(unmanaged(3), exactly('[ws-s0]')).blockers, []);
    assert.deepEqual(planned(unmanaged(3), exactly('[ws-new]')).blockers, []);
    assert.deepEqual(planned(unmanaged(1), exactly('[]')).blockers, []);
    const other = triggerInLedger('rt-other', 'ws-x', 'ws-y');
    const world = { ...unmanaged(2), ledger: ledgerWith({ 'RunTrigger/ws-y/ws-x': other }) };
    world.triggers.push(triggerDocument('rt-other', 'ws-x', 'ws-y'));
    const kept = `${exactly('[]')}  - { target: ws-y, source: ws-x }\n`.replace(
      '[{ target: ws-a, sources: [] }]',
      '\n  - { target: ws-a, sources: [] }',
    );
    assert.deepEqual(planned(world, kept).blockers, []);
  });

  it('does not mean a replacement, which puts another in its place', () => {
    const moved = github.replace('https://git.example.com\n', 'https://git.example.org\n');
    const approved = 'approved: [{ replace: OAuthClient/github, id: oc-1 }]\n';
    const world = pureWorld({
      clients: [clientDocument('oc-1')],
      triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a')],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger('oc-1', values),
        'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
      }),
    });
    assert.deepEqual(planned(world, moved + approved).blockers, []);
  });
});

describe('a plan that makes many missing objects again', () => {
  const all = (approved = '') => lines(sources(20), approved);

  it('prints the line that accepts them, and goes with it while the serial is the same', () => {
    const { blockers, messages } = planned(linked(20, 15), all());
    assert.deepEqual(blockers, ['too-many-missing']);
    assert.match(messages, /5 of 20 .*\(limit 3\)/);
    assert.match(messages, /\n {4}- \{ missing: 5, serial: 7, lineage: line \}$/);
    assert.match(messages, /--accept-missing 5/);
    assert.deepEqual(planned(linked(20, 15), all('approved: [{ missing: 5, serial: 7, lineage: line }]\n')), {
      blockers: [],
      messages: '',
      warnings: [],
    });
    const old = planned(linked(20, 15), all('approved: [{ missing: 5, serial: 8, lineage: line }]\n'));
    assert.deepEqual(old.blockers, ['too-many-missing']);
    assert.match(old.warnings.join(), /is obsolete: the ledger is at serial 7 of lineage line\. /);
  });
});
