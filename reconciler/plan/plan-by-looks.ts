/** Plans an object without a ledger: it is the one that matches exactly, and anything less certain stops it. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { describe, sameImmutables } from '../../resources/look-alike';
import { objectEntries } from './context';
import { lookAlikes } from './look-alikes';
import { plainInputs } from './object-changes';
import { planCreate } from './plan-create';
import { planPresent } from './plan-present';
import { problem, type Subject } from './subject';

/** Adds what the object needs, or why nobody can tell which one it is. */
export function planByLooks(subject: Subject): void {
  const { context, definition, entry } = subject;
  const wanted = wantedOf(subject, entry);
  const alike = lookAlikes(context, definition, entry.address, wanted);
  const others = objectEntries(context).filter((one) => one !== entry);
  const taken = new Set(others.map((one) => one.id));
  const same = (alike?.same ?? []).filter((found) => !taken.has(found.id));
  const twins = others.filter((one) => one.id === undefined && isTwin(subject, one));
  if (same.length > 1 || twins.length > 0) {
    const these = [...same.map(describe), ...twins.map((one) => `the entry ${one.address}`)].join('; ');
    problem(
      subject,
      'look-alike',
      `without a ledger nobody can tell ${entry.address} from others that look the same: ${these}. Name its \`id:\`, give it a name of its own, or use a ledger`,
    );
    return;
  }
  if (same[0] !== undefined) {
    planPresent(subject, same[0]);
    return;
  }
  const names = new Set(others.map((one) => one.inputs.name ?? null));
  const renamed = (alike?.renamed ?? []).filter((found) => !names.has(found.values.name ?? null));
  if (renamed.length > 0 && !entry.allowDuplicate) {
    problem(
      subject,
      'look-alike',
      `without a ledger nobody can tell whether ${entry.address} is one of these under another name: ${renamed.map(describe).join('; ')}. Add \`id: ${renamed[0]?.id ?? ''}\` if it is, or \`allowDuplicate: true\` for another one`,
    );
    return;
  }
  planCreate(subject, { reason: 'new', replacing: null });
}

function wantedOf({ context }: Subject, entry: DesiredEntry) {
  return { ...plainInputs(entry), organization: context.organization };
}

/** Whether what the two entries make could not be told apart afterwards. */
function isTwin(subject: Subject, other: DesiredEntry): boolean {
  const { definition, entry } = subject;
  const [one, two] = [wantedOf(subject, entry), wantedOf(subject, other)];
  return (
    entry.kind === other.kind &&
    (entry.inputs.name ?? null) === (other.inputs.name ?? null) &&
    sameImmutables(definition, one, two)
  );
}
