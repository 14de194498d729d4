/** The choice of lists: every object is covered, by as few requests as can be, and the same ones whatever the order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chooseLists } from '../../observation/choose-lists';
import type { ListRef } from '../../resources/kind';
import { clientsOf } from '../../resources/oauth-client-calls';
import { triggersOf } from '../../resources/run-trigger';

const clients = clientsOf('acme');
const inbound = (workspaceId: string): ListRef => triggersOf(workspaceId, 'inbound');
const outbound = (workspaceId: string): ListRef => triggersOf(workspaceId, 'outbound');
const nameOf = ({ name }: ListRef): string => name;
const namesOf = (refs: readonly ListRef[]) => refs.map(nameOf).sort();
/** Where a trigger shows: `app<network`. */
const trigger = (text: string): readonly ListRef[] => {
  const [target = '', source = ''] = text.split('<');
  return [inbound(target), outbound(source)];
};
/** By the name of a list, 1 for all others. */
const costing = (costs: readonly (readonly [ListRef, number])[]) => {
  const known = new Map(costs.map(([{ name }, cost]) => [name, cost]));
  return ({ name }: ListRef) => known.get(name) ?? 1;
};

const never = Number.POSITIVE_INFINITY;

describe('the choice of lists', () => {
  const rows: {
    what: string;
    wanted: (readonly ListRef[])[];
    costs?: (readonly [ListRef, number])[];
    chosen: ListRef[];
  }[] = [
    { what: 'nothing for nothing', wanted: [], chosen: [] },
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
      what: 'the other end of what cannot be read, and nothing for what has none',
      wanted: ['x<a', 'x<b', 'y<c'].map(trigger),
      costs: [inbound('x'), inbound('y'), outbound('c')].map((ref) => [ref, never]),
      chosen: [outbound('a'), outbound('b')],
    },
    {
      what: 'nothing besides the only end of another trigger that can be read, on either side',
      wanted: ['x<a', 'y<a', 'z<b', 'z<c'].map(trigger),
      costs: [inbound('x'), outbound('b')].map((ref) => [ref, never]),
      chosen: [outbound('a'), inbound('z')],
    },
    {
      what: 'three short lists before a long one, and a long one before four',
      wanted: ['x<a', 'y<a', 'z<a', 'x<b', 'y<b', 'z<b', 'w<b'].map(trigger),
      costs: [outbound('a'), outbound('b')].map((ref) => [ref, 3]),
      chosen: [inbound('x'), inbound('y'), inbound('z'), inbound('w')],
    },
    { what: 'none for what no list shows', wanted: [[]], chosen: [] },
  ];
  for (const { what, wanted, costs = [], chosen } of rows) {
    it(`reads ${what}`, () => {
      assert.deepEqual(namesOf(chooseLists(wanted, costing(costs))), namesOf(chosen));
    });
  }

  /** Triggers among six targets and six sources, and what the list of each costs, if it can be read and is not read anyway. */
  const graphs = fc.record({
    edges: fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(5)), { selector: String, maxLength: 20 }),
    costs: fc.array(fc.constantFrom(1, 1, 1, 2, 3, 7, 0, never), { minLength: 12, maxLength: 12 }),
  });
  const listsOf = ([target, source]: readonly [number, number]) => trigger(`t${target}<s${source}`);
  const all = [...Array(6).keys()].flatMap((one) => [inbound(`t${one}`), outbound(`s${one}`)]);
  const costsOf = (costs: readonly number[]) => costing(all.map((ref, at) => [ref, costs[at] ?? 1]));

  it('costs what the cheapest of all choices costs, on every small graph', () => {
    fc.assert(
      fc.property(graphs, ({ edges, costs }) => {
        const wanted = edges.map(listsOf);
        const cost = costsOf(costs);
        const price = (refs: readonly ListRef[]) => refs.reduce((sum, ref) => sum + cost(ref), 0);
        const open = wanted.filter(
          (ends) => ends.every((ref) => cost(ref) > 0) && ends.some((ref) => cost(ref) < never),
        );
        const isCover = (names: ReadonlySet<string>) =>
          open.every((ends) => ends.some(({ name }) => names.has(name)));
        const choices = [...Array(1 << all.length).keys()].map((bits) =>
          all.filter((_, at) => bits & (1 << at)),
        );
        const covers = choices.filter((refs) => isCover(new Set(refs.map(nameOf))));
        const chosen = chooseLists(wanted, cost);
        assert.ok(isCover(new Set(chosen.map(nameOf))));
        assert.ok(chosen.every((ref) => cost(ref) > 0));
        assert.equal(price(chosen), Math.min(...covers.map(price)));
      }),
      { numRuns: 60 },
    );
  });

  it('is the same for the same triggers in any order', () => {
    const shuffled = graphs.chain((graph) =>
      fc.record({
        graph: fc.constant(graph),
        order: fc.shuffledSubarray(graph.edges, { minLength: graph.edges.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ graph: { edges, costs }, order }) => {
        const [one, other] = [edges, order].map((some) =>
          namesOf(chooseLists(some.map(listsOf), costsOf(costs))),
        );
        assert.deepEqual(one, other);
      }),
    );
  });

  it('reads 24 lists where greed reads 60', () => {
    // For each k a group of sources with k of the targets each: the group with most goes first, and none of it was needed.
    const wanted = [...Array(23).keys()].flatMap((less) => {
      const size = less + 2;
      return [...Array(Math.floor(24 / size)).keys()].flatMap((group) =>
        [...Array(size).keys()].map((one) => trigger(`t${group * size + one}<s${size}-${group}`)),
      );
    });
    assert.equal(chooseLists(wanted).length, 24);
  });

  it('goes through 200,000 triggers, and a way as long as there are lists', () => {
    const lists = [...Array(50_000).keys()].map((one) => trigger(`w${one}<w${one}`));
    const edge = (target: number, source: number) => [lists[target]?.[0], lists[source]?.[1]] as ListRef[];
    const other = (one: number) => (one < 150_000 ? one * 7919 + (one >> 4) : one);
    const many = [...Array(200_000).keys()].map((one) => edge(one % 50_000, other(one) % 50_000));
    assert.equal(chooseLists(many).length, 50_000);
    // Each takes what the next one needs, until the last: then all have to change.
    const last = 49_999;
    const path = [...Array(last).keys()].flatMap((one) => [edge(one + 1, one), edge(one + 1, one + 1)]);
    assert.equal(chooseLists([...path, edge(0, 0)]).length, 50_000);
  });
});
