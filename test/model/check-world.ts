/** Holds what exists after an apply against what the oracle made of what existed before, and the ledger against both. */
import { isDeepStrictEqual } from 'node:util';
import { digestSecret } from '../../service';
import { Broken, sameMembers } from './broken';
import { type Draft, type Expected, newId, type Situation } from './expected';
import { secretFields } from './manifests';
import type { LedgerState } from './outcome';
import type { RealClient, Reality } from './reality';

/** The world after all expected steps. */
export function playThrough(reality: Reality, expected: Expected): Draft {
  const draft: Draft = {
    clients: new Map(reality.clients),
    written: new Map(),
    triggers: reality.triggers.map(({ id, target, source }) => ({ id, target, source })),
  };
  for (const { effect, subject } of expected.steps) if (!expected.refused.has(subject)) effect?.(draft);
  return draft;
}

function describeClient(id: string, client: RealClient, isOpen: (project: string) => boolean): string {
  const { id: _id, projects, ...fields } = client;
  return `${id} ${JSON.stringify({ ...fields, projects: projects.filter((one) => !isOpen(one)).sort() })}`;
}

/** What is there is what was there, plus what the plan does, and nothing else. */
export function checkWorld(
  before: Reality,
  after: Reality,
  ledger: LedgerState,
  situation: Situation,
  expected: Expected,
): void {
  const draft = playThrough(before, expected);
  const open = (subject: string): boolean => expected.lenient.has(subject) || expected.shaky.has(subject);
  // A client that was made is known by the ledger's id from here on.
  const idAfter = (id: string): string => {
    for (const [key, object] of Object.entries(ledger.objects))
      if (id === newId(key.replace('OAuthClient/', ''))) return object.id;
    return id;
  };
  const openClients = new Set(
    [...expected.lenient.keys(), ...expected.shaky].flatMap((subject) => [
      ledger.objects[subject]?.id ?? '',
      situation.ledger.objects[subject]?.id ?? '',
    ]),
  );
  const nameOf = (id: string): string => {
    const [key] = Object.entries(ledger.objects).find(([, object]) => object.id === id) ?? [];
    return key?.replace('OAuthClient/', '') ?? id;
  };
  const clients = (map: ReadonlyMap<string, RealClient>): string[] =>
    [...map].flatMap(([id, client]) => {
      const real = idAfter(id);
      // What arrived late under a temporary name is cleaned up by a later run.
      const isLate = ledger.unconfirmed.some(({ nonce }) => nonce === client.name);
      if (openClients.has(real) || isLate) return [];
      return [
        describeClient(real, client, (project) => open(`ProjectAttachment/${nameOf(real)}/${project}`)),
      ];
    });
  sameMembers('apply: clients', clients(after.clients), clients(draft.clients));
  // A create whose answer was lost may have made one more, which a later run cleans up.
  const isTwice = (target: string, source: string): boolean =>
    ledger.unconfirmed.some(({ nonce }) => nonce === `RunTrigger/${target}/${source}`);
  const triggers = (list: Draft['triggers']): string[] =>
    list
      .filter(({ target, source }) => !open(`RunTrigger/${target}/${source}`) && !isTwice(target, source))
      .map(({ id, target, source }) => {
        const known = before.triggers.some((one) => one.id === id);
        return `${known ? id : 'new'} ${target} <- ${source}`;
      });
  sameMembers('apply: triggers', triggers([...after.triggers]), triggers(draft.triggers));
  for (const [id, written] of draft.written) {
    const held = after.secrets.get(idAfter(id));
    for (const field of secretFields) {
      const value = written[field];
      if (value === undefined || openClients.has(idAfter(id))) continue;
      if (held?.[field] !== digestSecret(value))
        throw new Broken('apply: secrets', `${idAfter(id)}: ${field} is not what was to be written`);
    }
  }
}

/** Nothing is left under a temporary name. */
export function checkNothingLeft(reality: Reality): void {
  const left = [...reality.clients.values()].filter(({ name }) => name?.startsWith('tether-pending-'));
  if (left.length > 0)
    throw new Broken('nothing left over', left.map(({ id, name }) => `${id} ${name}`).join('\n'));
}

/** Every object of the ledger is there as the ledger says, and everything wanted is in it. */
export function checkLedger(
  reality: Reality,
  situation: Situation,
  expected: Expected,
  ledger: LedgerState,
): void {
  const wrong: string[] = [];
  const skip = (subject: string): boolean =>
    expected.lenient.has(subject) ||
    expected.problems.has(subject) ||
    expected.leftAlone.has(subject) ||
    expected.unknown.has(subject) ||
    expected.refused.has(subject) ||
    expected.shaky.has(subject);
  for (const [key, object] of Object.entries(ledger.objects)) {
    if (expected.leftAlone.has(key) && !isDeepStrictEqual(object, situation.ledger.objects[key]))
      wrong.push(`${key} is not left as it was`);
    if (skip(key)) continue;
    if (object.kind === 'RunTrigger') {
      const there = reality.triggers.find(({ id }) => id === object.id);
      if (there === undefined) wrong.push(`${key} (${object.id}) does not exist`);
      else if (key !== `RunTrigger/${there.target}/${there.source}`)
        wrong.push(`${key}: ${object.id} is another pair`);
    } else if (object.kind === 'ProjectAttachment') {
      const [id = '', project = ''] = object.id.split('/');
      const [client = id] = Object.keys(ledger.objects).filter((one) => ledger.objects[one]?.id === id);
      if (skip(client) || skip(`ProjectAttachment/${client.replace('OAuthClient/', '')}/${project}`))
        continue;
      if (key !== `ProjectAttachment/${id}/${project}`) wrong.push(`${key} holds ${object.id}`);
      if (reality.clients.get(id)?.projects.includes(project) !== true) wrong.push(`${key} is not attached`);
    } else {
      const there = reality.clients.get(object.id);
      if (there === undefined) wrong.push(`${key} (${object.id}) does not exist`);
      for (const [field, value] of Object.entries(object.values)) {
        const now =
          there === undefined ? value : Reflect.get(there, field === 'agentPoolId' ? 'agentPool' : field);
        if (field !== 'organization' && now !== value)
          wrong.push(`${key}.${field}: ledger ${value}, real ${now}`);
      }
    }
  }
  // Protection stays as it was applied: only a line that says otherwise changes it.
  for (const [name, { entry }] of situation.destroy ? [] : situation.desired.clients) {
    const key = `OAuthClient/${name}`;
    const now = ledger.objects[key];
    const was = Object.values(situation.ledger.objects).find(
      ({ id }) => id === now?.id || id === now?.replaced || id === now?.replaces,
    );
    const wanted = entry.protect ?? was?.protect ?? false;
    if (now !== undefined && !skip(key) && now.protect !== wanted)
      wrong.push(`${key} is ${now.protect ? '' : 'not '}protected`);
  }
  if (!situation.destroy) {
    for (const name of situation.desired.clients.keys()) {
      if (!skip(`OAuthClient/${name}`) && ledger.objects[`OAuthClient/${name}`] === undefined)
        wrong.push(`OAuthClient/${name} is not in it`);
    }
    for (const subject of situation.desired.triggers.keys()) {
      if (!skip(subject) && ledger.objects[subject] === undefined) wrong.push(`${subject} is not in it`);
    }
  }
  if (wrong.length > 0) throw new Broken('ledger = reality', wrong.join('\n'));
}
