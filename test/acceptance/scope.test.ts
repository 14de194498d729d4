/** Ledgers and plans with objects that are not the acceptance suite's own. It must refuse each. */
import assert from 'node:assert/strict';
import { foundPlaces } from './acceptance-world';
import { type LedgerContent, type PlannedStep, Scope } from './scope';

describe('the scope of an acceptance run', () => {
  const scope = new Scope(foundPlaces, new Date('2026-01-02T03:04:05.678Z'), '0a1b2c3d');
  const seen = (id: string, name: string) => ({
    ...{ id, name, createdAt: '', projectIds: [], agentPoolId: undefined, attributes: {} },
  });
  scope.note([seen('oc-own', `${scope.prefix}one`), seen('oc-taken', `${scope.prefix}two`)]);
  scope.note([seen('oc-taken', 'Renamed by somebody'), seen('oc-other', 'tether-acceptance-other')]);

  const ledgers: Readonly<Record<string, Partial<LedgerContent>>> = {
    'a client that it never saw': { objects: { 'OAuthClient/x': { id: 'oc-x' } } },
    'a client of another run': { objects: { 'OAuthClient/x': { id: 'oc-other' } } },
    'a client that somebody renamed': { objects: { 'OAuthClient/x': { id: 'oc-taken' } } },
    'a retiring client that is not its own': {
      objects: { 'OAuthClient/x': { id: 'oc-own', retiring: ['oc-x'] } },
    },
    'a client without an id': { objects: { 'OAuthClient/x': {} } },
    'an attachment of another client': { objects: { 'ProjectAttachment/oc-x/prj-acc-a': {} } },
    'an attachment of another project': { objects: { 'ProjectAttachment/oc-own/prj-x': {} } },
    'a trigger that is half its own': { objects: { 'RunTrigger/ws-acc-1/ws-x': {} } },
    'a trigger that is the other half its own': { objects: { 'RunTrigger/ws-x/ws-acc-1': {} } },
    'a kind that it does not know': { objects: { 'Workspace/ws-acc-1': {} } },
    'a pending client of another name': { pending: { 'OAuthClient/x': { values: { name: 'GitHub' } } } },
  };
  for (const [what, ledger] of Object.entries(ledgers)) {
    it(`refuses a ledger with ${what}`, () => {
      assert.equal(scope.foreignInLedger({ objects: {}, pending: {}, ...ledger }).length, 1);
    });
  }

  const step: PlannedStep = { action: 'update', kind: 'OAuthClient', key: [], reason: 'new', inputs: {} };
  const steps: Readonly<Record<string, Partial<PlannedStep>>> = {
    'adopts a client that is not its own': { action: 'adopt', key: ['OAuthClient', 'x'], objectId: 'oc-x' },
    'destroys a client that somebody renamed': { action: 'delete', objectId: 'oc-taken' },
    'creates a client of another name': { action: 'create', inputs: { name: 'GitHub' } },
    'creates a client without a name': { action: 'create' },
    'clears a name': { objectId: 'oc-own', inputs: { name: null } },
    'deletes a trigger that is half its own': {
      action: 'delete',
      kind: 'RunTrigger',
      key: ['RunTrigger', 'ws-acc-1', 'ws-x'],
      objectId: 'rt-x',
    },
    'attaches a client to another project': {
      action: 'create',
      kind: 'ProjectAttachment',
      key: ['ProjectAttachment', 'oc-own', 'prj-x'],
    },
    'is about another kind': { kind: 'Workspace', key: ['Workspace', 'ws-acc-1'] },
  };
  for (const [what, more] of Object.entries(steps)) {
    it(`refuses a plan that ${what}`, () => {
      assert.equal(scope.foreignInPlan([{ ...step, ...more }]).length, 1);
    });
  }

  it('takes its own ledger and plan', () => {
    const objects = {
      'OAuthClient/one': { id: 'oc-own' },
      'ProjectAttachment/oc-own/prj-acc-b': {},
      'RunTrigger/ws-acc-2/ws-acc-1': { id: 'rt-1' },
    };
    const pending = { 'OAuthClient/two': { values: { name: `${scope.prefix}two` } } };
    assert.deepEqual(scope.foreignInLedger({ objects, pending }), []);
    const own: readonly Partial<PlannedStep>[] = [
      { action: 'create', inputs: { name: `${scope.prefix}two` } },
      { action: 'delete', objectId: 'oc-own' },
      { kind: 'ProjectAttachment', key: ['ProjectAttachment', 'OAuthClient/two', 'prj-acc-a'] },
      { kind: 'RunTrigger', key: ['RunTrigger', 'ws-acc-3', 'ws-acc-1'] },
    ];
    assert.deepEqual(scope.foreignInPlan(own.map((more) => ({ ...step, ...more }))), []);
  });
});
