/** How far lists of several pages are read, and when the list of another end is asked: by what each costs and what an absence is for. */
import assert from 'node:assert/strict';
import type { RunTriggerDocument } from '../../client/api';
import { type Expectation, observationOf } from '../../observation/evidence';
import { ListCache } from '../../observation/list-cache';
import { observe, readEach } from '../../observation/observe';
import { runTrigger, triggersOf } from '../../resources/run-trigger';
import { triggerDocument } from '../support/pure-world';
import { type Answers, readApi } from '../support/read-api';

/** `app<a`; with an id it was made before, and `new` is one that nobody made. */
function trigger(text: string, id?: string): Expectation {
  const [workspaceId = '', sourceableId = ''] = text.split('<');
  const key = { organization: 'acme', workspaceId, sourceableId };
  return { definition: runTrigger, key, ...(id === 'new' ? { isNew: true } : id ? { id } : {}) };
}

const there = (text: string): RunTriggerDocument => {
  const [target = '', source = ''] = text.split('<');
  return triggerDocument(`rt-${text}`, source, target);
};
const from = (source: string, ...targets: string[]) => targets.map((target) => `${target}<${source}`);

describe('lists of several pages', () => {
  const rows: { what: string; answers: Answers; expected: Expectation[]; states: string; calls: string[] }[] =
    [
      {
        what: 'one reading shows what is there',
        answers: {
          triggers: { 'a outbound': from('a', 'x', 'y', 'z', 'w').map(there) },
          pages: { 'a outbound': 3 },
        },
        expected: from('a', 'x', 'y', 'z', 'w').map((text) => trigger(text, `rt-${text}`)),
        states: 'present present present present',
        calls: ['list a outbound', 'rest of a outbound'],
      },
      {
        what: 'what one reading lacks is missing by the short list of its other end',
        answers: {
          triggers: { 'a outbound': from('a', 'x', 'y', 'z').map(there), 'w inbound': [] },
          pages: { 'a outbound': 3 },
        },
        expected: from('a', 'x', 'y', 'z', 'w').map((text) => trigger(text, `rt-${text}`)),
        states: 'present present present missing',
        calls: ['list a outbound', 'rest of a outbound', 'list w inbound', 'read rt-w<a'],
      },
      {
        what: 'or there, where that list shows it',
        answers: {
          triggers: { 'a outbound': from('a', 'x', 'y', 'z').map(there), 'w inbound': [there('w<a')] },
          pages: { 'a outbound': 3 },
        },
        expected: from('a', 'x', 'y', 'z', 'w').map((text) => trigger(text, 'new')),
        states: 'present present present present',
        calls: ['list a outbound', 'rest of a outbound', 'list w inbound'],
      },
      {
        what: 'and is not looked at by its id then',
        answers: {
          triggers: { 'a outbound': from('a', 'x', 'y', 'z').map(there), 'w inbound': [there('w<a')] },
          pages: { 'a outbound': 3 },
        },
        expected: from('a', 'x', 'y', 'z', 'w').map((text) => trigger(text, `rt-${text}`)),
        states: 'present present present present',
        calls: ['list a outbound', 'rest of a outbound', 'list w inbound'],
      },
      {
        what: 'of more than it has pages, a second reading is cheaper',
        answers: { triggers: { 'a outbound': [] }, pages: { 'a outbound': 2 } },
        expected: from('a', 'x', 'y', 'z').map((text) => trigger(text, 'new')),
        states: 'missing missing missing',
        calls: ['list a outbound', 'rest of a outbound', 'again a outbound'],
      },
      {
        what: 'a list with more pages than the others have lists is left at its first',
        answers: {
          triggers: { 'a outbound': [], 'x inbound': [there('x<a')], 'y inbound': [there('y<a')] },
          pages: { 'a outbound': 9 },
        },
        expected: from('a', 'x', 'y').map((text) => trigger(text)),
        states: 'present present',
        calls: ['list a outbound', 'list x inbound', 'list y inbound'],
      },
      {
        what: 'a new link is missing by one end, and its create tells of the other',
        answers: { triggers: { 'a outbound': [] } },
        expected: from('a', 'x', 'y').map((text) => trigger(text, 'new')),
        states: 'missing missing',
        calls: ['list a outbound'],
      },
      {
        what: 'but not by a list that lacks what its own page shows',
        answers: { triggers: { 'a outbound': [] }, shows: { 'rt-z<a': there('z<a') } },
        expected: [trigger('x<a', 'new'), trigger('z<a', 'rt-z<a')],
        states: 'unknown present',
        calls: ['list a outbound', 'read rt-z<a', 'list x inbound'],
      },
    ];
  for (const { what, answers, expected, states, calls } of rows) {
    it(`are read so far that ${what}`, async () => {
      const asked = readApi(answers);
      const { budget, ...observed } = await observe(asked.api, { expected, forced: [] });
      assert.equal(expected.map((one) => observationOf(observed, one).state).join(' '), states);
      assert.deepEqual(asked.calls, calls);
      assert.equal(budget.objects, calls.filter((call) => call.startsWith('read ')).length);
    });
  }

  it('count as long as the ledger knows them to be, before any is opened', async () => {
    const targets = Array.from({ length: 101 }, (_, number) => `t${number}`);
    const sources = Array.from({ length: 60 }, (_, number) => `s${number}`);
    const texts = sources.flatMap((source) => from(source, ...targets));
    const inbound = targets.map((target) => [
      `${target} inbound`,
      sources.map((source) => there(`${target}<${source}`)),
    ]);
    const asked = readApi({ triggers: Object.fromEntries(inbound) });
    const expected = texts.map((text) => trigger(text, `rt-${text}`));
    // 60 lists of two pages each, or 101 of one.
    await observe(asked.api, { expected, forced: [] });
    assert.deepEqual(
      asked.calls,
      targets.map((target) => `list ${target} inbound`),
    );
  });

  it('count in the budget by what they were for', async () => {
    const answers: Answers = {
      triggers: { 'a outbound': from('a', 'x', 'y', 'z').map(there), 'w inbound': [], 'b inbound': [] },
      pages: { 'a outbound': 3 },
    };
    const expected = from('a', 'x', 'y', 'z', 'w').map((text) => trigger(text, 'new'));
    const forced = [triggersOf('b', 'inbound'), triggersOf('c', 'inbound')];
    const { budget } = await observe(readApi(answers).api, { expected, forced });
    assert.deepEqual(budget, { needed: 3, instead: 0, proof: 1, access: 0, pages: 2, again: 0, objects: 0 });
  });

  it('count in what is told of the progress by each call that reads more of them, and by no other', async () => {
    const asked = readApi({
      triggers: { 'a outbound': from('a', 'x', 'y', 'z').map(there), 'w inbound': [] },
      pages: { 'a outbound': 3 },
    });
    const cache = new ListCache(asked.api);
    const counts = { needed: 0, read: 0 };
    cache.onReading = (needed, read) => {
      counts.needed += needed;
      counts.read += read;
    };
    const expected = from('a', 'x', 'y', 'z', 'w').map((text) => trigger(text, `rt-${text}`));
    await observe(asked.api, { expected, forced: [] }, cache);
    assert.deepEqual(asked.calls, ['list a outbound', 'rest of a outbound', 'list w inbound', 'read rt-w<a']);
    assert.deepEqual(counts, { needed: 4, read: 4 });
    // Of those that are known by now, `readEach` counts none.
    const refs = ['w', 'v', 'u'].map((workspaceId) => triggersOf(workspaceId, 'inbound'));
    assert.deepEqual(
      Object.values(await readEach(cache, refs)).map(({ state }) => state),
      ['read', 'unreadable', 'unreadable'],
    );
    assert.deepEqual(counts, { needed: 6, read: 6 });
  });
});
