/** The choice of lists: every object is covered, forced lists are used first, and nothing is read for nothing. */
import assert from 'node:assert/strict';
import { chooseLists } from '../../observation/observe';
import type { ListRef } from '../../resources/kind';
import { clientsOf } from '../../resources/oauth-client-calls';
import { triggersOf } from '../../resources/run-trigger';

const clients = clientsOf('acme');
const inbound = (workspaceId: string): ListRef => triggersOf(workspaceId, 'inbound');
const outbound = (workspaceId: string): ListRef => triggersOf(workspaceId, 'outbound');
const nameOf = ({ name }: ListRef): string => name;
/** Where a trigger shows: `app<network`. */
const trigger = (text: string): readonly ListRef[] => {
  const [target = '', source = ''] = text.split('<');
  return [inbound(target), outbound(source)];
};

describe('the choice of lists', () => {
  const rows: { what: string; wanted: (readonly ListRef[])[]; forced: ListRef[]; chosen: ListRef[] }[] = [
    { what: 'nothing for nothing', wanted: [], forced: [], chosen: [] },
    { what: 'the one list of a client, once', wanted: [[clients], [clients]], forced: [], chosen: [clients] },
    {
      what: 'one inbound list for all sources of a target',
      wanted: ['app<a', 'app<b', 'app<c'].map(trigger),
      forced: [],
      chosen: [inbound('app')],
    },
    {
      what: 'one outbound list for all targets of a source',
      wanted: ['a<app', 'b<app', 'c<app'].map(trigger),
      forced: [],
      chosen: [outbound('app')],
    },
    {
      what: 'a forced list, also where it covers nothing',
      wanted: [],
      forced: [inbound('app')],
      chosen: [inbound('app')],
    },
    {
      what: 'no second list for what a forced one shows',
      wanted: ['app<a', 'app<b', 'web<a', 'jobs<a'].map(trigger),
      forced: [inbound('app')],
      chosen: [inbound('app'), outbound('a')],
    },
    {
      what: 'no second list for what the only list of another object shows',
      wanted: [[inbound('app')], trigger('app<a')],
      forced: [],
      chosen: [inbound('app')],
    },
    {
      what: 'the list that covers most of what is still uncovered',
      wanted: ['x<a', 'y<a', 'z<a', 'x<b', 'x<c'].map(trigger),
      forced: [],
      chosen: [inbound('x'), outbound('a')],
    },
    { what: 'none for what no list shows', wanted: [[]], forced: [], chosen: [] },
  ];
  for (const { what, wanted, forced, chosen } of rows) {
    it(`reads ${what}`, () => {
      assert.deepEqual(chooseLists(wanted, forced).map(nameOf).sort(), chosen.map(nameOf).sort());
    });
  }

  it('counts for a list only what no list covers yet', () => {
    // Once x is read, a has one trigger left and b two: with old counts a would be read as well as b.
    const wanted = ['x<a', 'x<c', 'x<d', 'x<e', 'w<b', 'v<b', 'w<a'].map(trigger);
    assert.deepEqual(chooseLists(wanted, []).map(nameOf), [
      nameOf(inbound('x')),
      nameOf(inbound('w')),
      nameOf(inbound('v')),
    ]);
  });
});
