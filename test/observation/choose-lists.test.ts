/** The choice of lists: every object is covered, by few requests, and by the same lists whatever the order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fewestPages } from '../../bench/fewest-pages';
import { random } from '../../bench/worlds';
import { chooseLists } from '../../observation/choose-lists';
import type { ListRef } from '../../resources/kind';
import { toClientList } from '../../resources/oauth-client-calls';
import { toTriggerList } from '../../resources/run-trigger';

const clients = toClientList('acme');
const inbound = (workspaceId: string): ListRef => toTriggerList(workspaceId, 'inbound');
const outbound = (workspaceId: string): ListRef => toTriggerList(workspaceId, 'outbound');
const namesOf = (refs: readonly ListRef[]) => refs.map(({ name }) => name).sort();
/** Where a trigger shows: `app<network`. */
const trigger = (text: string): readonly ListRef[] => {
  const [target = '', source = ''] = text.split('<');
  return [inbound(target), outbound(source)];
};
/** The cost by the name of a list, 1 for all others. */
const costing = (costs: readonly (readonly [ListRef, number])[]) => {
  const costByName = new Map(costs.map(([{ name }, cost]) => [name, cost]));
  return ({ name }: ListRef) => costByName.get(name) ?? 1;
};

describe('the choice of lists', () => {
  const rows: {
    what: string;
    wanted: (readonly ListRef[])[];
    costs?: (readonly [ListRef, number])[];
    chosen: ListRef[];
  }[] = [
    { what: 'nothing for nothing', wanted: [], chosen: [] },
    { what: 'none for what no list shows', wanted: [[]], chosen: [] },
    { what: 'the one list of a client, once', wanted: [[clients], [clients]], chosen: [clients] },
    {
      what: 'one inbound list for all sources of a target',
      wanted: ['app<a', 'app<b', 'app<c'].map(trigger),
      chosen: [inbound('app')],
    },
    {
      what: 'one outbound list for all targets of a source',
      wanted: ['a<app', 'b<app', 'c<app'].map(trigger),
      chosen: [outbound('app')],
    },
    {
      what: 'the inbound list where one is as good as the other',
      wanted: [trigger('app<a')],
      chosen: [inbound('app')],
    },
    {
      what: 'no second list for what one that is read anyway shows',
      wanted: ['app<a', 'app<b', 'web<a', 'jobs<a'].map(trigger),
      costs: [[inbound('app'), 0]],
      chosen: [outbound('a')],
    },
    {
      what: 'no second list for what the only list of another object shows',
      wanted: [[inbound('app')], trigger('app<a')],
      chosen: [inbound('app')],
    },
    {
      what: 'the fewest, where taking the longest first takes one too many',
      wanted: ['x<a', 'x<b', 'x<c', 'p<a', 'q<b', 'r<c'].map(trigger),
      chosen: ['a', 'b', 'c'].map(outbound),
    },
    {
      what: 'three short lists before a long one, and a long one before four',
      wanted: ['x<a', 'y<a', 'z<a', 'x<b', 'y<b', 'z<b', 'w<b'].map(trigger),
      costs: [outbound('a'), outbound('b')].map((ref) => [ref, 3]),
      chosen: [inbound('x'), inbound('y'), inbound('z'), inbound('w')],
    },
  ];
  for (const { what, wanted, costs = [], chosen } of rows) {
    it(`reads ${what}`, () => {
      assert.deepEqual(namesOf(chooseLists(wanted, costing(costs))), namesOf(chosen));
    });
  }

  /** Triggers among six targets and six sources, and the cost of the list of each. */
  const graphs = fc.record({
    edges: fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(5)), { selector: String, maxLength: 20 }),
    costs: fc.array(fc.constantFrom(1, 1, 1, 2, 3, 7, 0), { minLength: 12, maxLength: 12 }),
  });
  const listsOf = ([target, source]: readonly [number, number]) => trigger(`t${target}<s${source}`);
  const all = [...Array(6).keys()].flatMap((index) => [inbound(`t${index}`), outbound(`s${index}`)]);
  const costsOf = (costs: readonly number[]) => costing(all.map((ref, at) => [ref, costs[at] ?? 1]));

  it('shows every object, for no more than the lists of one side cost, in any order', () => {
    fc.assert(
      fc.property(graphs, ({ edges, costs }) => {
        const listsByEdge = edges.map(listsOf);
        const cost = costsOf(costs);
        const price = (refs: readonly ListRef[]) => refs.reduce((sum, ref) => sum + cost(ref), 0);
        const open = listsByEdge.filter((ends) => ends.every((ref) => cost(ref) > 0));
        const choice = chooseLists(listsByEdge, cost);
        const names = new Set(namesOf(choice));
        assert.ok(open.every((ends) => ends.some(({ name }) => names.has(name))));
        assert.ok(choice.every((ref) => cost(ref) > 0));
        for (const side of [0, -1]) {
          const lists = new Map(open.flatMap((ends) => ends.at(side) ?? []).map((ref) => [ref.name, ref]));
          assert.ok(price(choice) <= price([...lists.values()]));
        }
        assert.deepEqual(namesOf(chooseLists(listsByEdge.reverse(), cost)), namesOf(choice));
      }),
      { numRuns: 300 },
    );
  });

  it('costs at most 10 % more than the cheapest choice, or one request, in 400 random worlds', () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const workspaces = 5 + (seed % 90);
      const pairs = random(Math.ceil(workspaces * (0.3 + (seed % 37) / 10)), workspaces, workspaces, seed);
      const choice = chooseLists(
        pairs.map(([target, source]) => trigger(`t${target}<s${source}`)),
        () => 1,
      );
      const fewest = fewestPages(pairs);
      assert.ok(
        choice.length <= Math.max(1.1 * fewest, fewest + 1),
        `seed ${seed}: ${choice.length}, ${fewest}`,
      );
    }
  });
});
