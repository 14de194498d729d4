/** The oracle: what a plan must say, from the manifests, the ledger and what can be seen, by nothing but design.md. */

import { expectClients, type Situation } from './expect-clients';
import { expectAttachments, expectTriggers } from './expect-links';
import type { Expected } from './expected';

function countGuards(
  situation: Situation,
  expected: Expected,
  limits: { deletes?: number; missing?: number },
): void {
  const { ledger, desired, view } = situation;
  const deletes = expected.steps.filter((step) => step.deletes === true);
  const unmanaged = deletes.filter(
    ({ objectId }) => !Object.values(ledger.objects).some(({ id }) => id === objectId),
  ).length;
  const all = Object.keys(ledger.objects).length + unmanaged;
  const serial = ledger.serial;
  const lines = desired.approved;
  const allowedDeletes = Math.max(
    limits.deletes ?? 0,
    ...lines.map((line) => ('deletes' in line && line.serial === serial ? line.deletes : 0)),
  );
  if (deletes.length > Math.max(5, 0.3 * all, allowedDeletes) || emptied(situation, expected, allowedDeletes))
    expected.blockers.add('too-many-deletes');
  const vanished = expected.steps.filter(
    ({ action, subject }) => action === 'create' && Object.keys(ledger.objects).includes(subject),
  ).length;
  const allowedMissing = Math.max(
    limits.missing ?? 0,
    ...lines.map((line) => ('missing' in line && line.serial === serial ? line.missing : 0)),
  );
  if (vanished > Math.max(3, 0.1 * all, allowedMissing)) expected.blockers.add('too-many-missing');
  void view;
}

/** All that there is would go, where that is more than one, and nobody gave a number that allows it. */
function emptied({ ledger, desired }: Situation, { steps }: Expected, allowed: number): boolean {
  const deletes = steps.filter((step) => step.deletes === true);
  const replaced = new Set(
    steps.filter(({ action }) => action === 'replace').map(({ objectId }) => objectId),
  );
  const going = new Set(deletes.map(({ objectId }) => objectId).filter((id) => !replaced.has(id)));
  const missing = new Set(
    steps
      .filter(({ action, subject }) => action === 'forget' && !desired.forget.has(subject))
      .map(({ objectId }) => objectId),
  );
  const there = Object.values(ledger.objects).filter(({ id }) => !missing.has(id));
  const goes = ({ id }: { readonly id: string }): boolean => going.has(id) || going.has(id.split('/')[0]);
  return there.length > 1 && deletes.length > 1 && there.every(goes) && deletes.length > allowed;
}

/** What the plan must say. */
export function expect(situation: Situation, limits: { deletes?: number; missing?: number } = {}): Expected {
  const expected: Expected = {
    steps: [],
    problems: new Set(),
    unknown: new Set(),
    blockers: new Set(),
    lenient: new Map(),
  };
  const fates = expectClients(situation, expected);
  expectAttachments(situation, expected, fates);
  expectTriggers(situation, expected);
  countGuards(situation, expected, limits);
  return expected;
}
