/** The oracle for what unfinished creates of clients leave: temporary names, known to the ledger or not. */
import { createHash } from 'node:crypto';
import type { WantedClient } from './desired';
import { clientSubject } from './expect-renames';
import type { Draft, Expected, Situation } from './expected';
import { organization } from './organization';
import type { RealClient } from './reality';

export const pendingName = 'tether-pending-';

/** The clients that belong to nobody in this ledger. */
export function unowned({ ledger, desired, view }: Situation): RealClient[] {
  // What is let go is nobody's from then on.
  const held = Object.entries(ledger.objects).filter(([key]) => !desired.forget.has(key));
  const owned = new Set(held.flatMap(([, { id, replaces = id }]) => [id, replaces]));
  return [...view.shown.values()].filter(({ id }) => !owned.has(id));
}

/** Whether a create of this address by a run whose ledger is lost left something: nothing is done for the address then. */
export function isLeftElsewhere(situation: Situation, { name: address, entry }: WantedClient): boolean {
  const { pending, unconfirmed } = situation.ledger;
  const known = new Set([...Object.values(pending), ...unconfirmed].map(({ nonce }) => nonce));
  const digest = createHash('sha256')
    .update(`${organization}\n${clientSubject(address)}`)
    .digest('hex');
  const prefix = `${pendingName}${digest.slice(0, 12)}-`;
  const isLeft = ({ id, name }: RealClient): boolean =>
    name?.startsWith(prefix) === true && !known.has(name) && id !== entry.id;
  return situation.view.list !== null && unowned(situation).some(isLeft);
}

/**
 * What arrived late under a temporary name of ours, after another had been made: it goes, as a step of its own, unless an entry
 * names it. So does what a create left that nobody goes on with; where it left nothing, only the ledger forgets it.
 */
export function expectCleanups({ desired, ledger, view, destroy }: Situation, expected: Expected): void {
  const wanted = new Map(destroy ? [] : desired.clients);
  const owned = new Set(Object.values(ledger.objects).map(({ id }) => id));
  const named = new Set([...wanted.values()].map(({ entry }) => entry.id));
  const creates = Object.entries(ledger.pending).filter(([key]) => key.startsWith('OAuthClient/'));
  const isWanted = ([key]: readonly [string, unknown]): boolean =>
    wanted.has(key.replace('OAuthClient/', ''));
  const continued = new Set(creates.filter(isWanted).map(([, { nonce }]) => nonce));
  const left = creates.filter((one) => !isWanted(one));
  const names = new Set([
    ...ledger.unconfirmed.map(({ nonce }) => nonce),
    ...left.map(([, { nonce }]) => nonce),
  ]);
  const seen = new Set<string>();
  for (const { id, name } of view.list ?? []) {
    if (name === null || !names.has(name) || owned.has(id)) continue;
    seen.add(name);
    if (continued.has(name) || named.has(id)) continue;
    const effect = (draft: Draft): void => void draft.clients.delete(id);
    expected.steps.push({ action: 'cleanup', subject: clientSubject(id), objectId: id, effect });
  }
  for (const [key, { nonce }] of left) {
    if (view.list === null || seen.has(nonce)) continue;
    expected.steps.push({ action: 'cleanup', subject: key, effect: () => undefined });
  }
}
