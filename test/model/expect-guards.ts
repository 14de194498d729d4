/** The oracle for the guards: too many deletes, too many objects missing. Where a sentence can be read in two ways, both pass. */
import type { Desired } from './desired';
import type { Expected, ExpectedStep, Situation } from './expected';

/** What a person allowed by hand. */
export interface Limits {
  readonly deletes?: number;
  readonly missing?: number;
}

type Verdict = 'stops' | 'passes' | 'open';

const verdictOf = (narrow: boolean, wide: boolean): Verdict => (narrow ? 'stops' : wide ? 'open' : 'passes');

/** Steps that delete: without and with the last step of a replacement. */
function deletesOf({ steps }: Expected): { narrow: ExpectedStep[]; wide: ExpectedStep[] } {
  const wide = steps.filter((step) => step.deletes === true);
  const replaced = new Set(steps.flatMap(({ action, objectId }) => (action === 'replace' ? [objectId] : [])));
  return { wide, narrow: wide.filter(({ objectId }) => !replaced.has(objectId)) };
}

/** Whether every exact set that covers this link lists nothing at all. */
function isOfEmptySets(desired: Desired, { subject }: ExpectedStep): boolean {
  const [kind, one = '', other = ''] = subject.split('/');
  if (kind === 'ProjectAttachment') return !desired.attachments.some(({ client }) => client === one);
  return [desired.inSets.get(one), desired.outSets.get(other)].every((list = []) => list.length === 0);
}

/** "More than max(5, 30 %), or all that there are when it is more than one"; percent of the ledger's and of unmanaged ones. */
function tooManyDeletes({ ledger, desired, view }: Situation, expected: Expected, allowed: number): Verdict {
  const { steps } = expected;
  const { narrow, wide } = deletesOf(expected);
  const unmanaged = wide.filter((step) => step.unmanaged === true).length;
  const all = Object.keys(ledger.objects).length + unmanaged;
  const limit = Math.max(5, 0.3 * all, allowed);
  const gone = new Set(wide.map(({ objectId = '' }) => objectId));
  const forgotten = new Set(
    expected.steps.flatMap(({ action, objectId }) => (action === 'forget' ? [objectId] : [])),
  );
  const left = (ids: ReadonlySet<string | undefined>): string[] =>
    Object.entries(ledger.objects).flatMap(([key, { id }]) =>
      forgotten.has(id) || ids.has(id) || ids.has(id.split('/')[0]) ? [] : [key],
    );
  const ids = new Set(narrow.map(({ objectId }) => objectId));
  const held = narrow.filter((step) => step.unmanaged !== true).length;
  const emptied = narrow.filter((step) => step.unmanaged === true && isOfEmptySets(desired, step)).length;
  const sets = [...desired.inSets.values(), ...desired.outSets.values()];
  // Whether what a set with members will have counts as something that there is, the sentence leaves open.
  const listsAny = sets.some(({ length }) => length > 0);
  const hasOthers =
    listsAny || narrow.length > held + emptied || steps.some(({ action }) => action === 'adopt');
  const counted = hasOthers ? held : held + emptied;
  const empties = counted > Math.max(1, allowed) && forgotten.size === 0 && left(ids).length === 0;
  // What nothing is predicted of may be deleted too.
  const remaining = left(gone);
  const surelyLeft = remaining.filter((key) => !expected.lenient.has(key));
  // "Deletes and detaches": whether those of a replaced client are some that the new one lacks, its steps do not show.
  const replaced = new Set(steps.flatMap(({ action, objectId }) => (action === 'replace' ? [objectId] : [])));
  const mayLose = (view.list ?? []).flatMap(({ id, projects }) => (replaced.has(id) ? projects : [])).length;
  const most = wide.length + mayLose + remaining.length - surelyLeft.length;
  const mayEmpty = wide.length > 0 && all > 1 && wide.length >= allowed && surelyLeft.length === 0;
  return verdictOf(narrow.length > limit || empties, most > limit || mayEmpty);
}

/** What the ledger has as `key` is planned under the address that it moves to. */
function addressNow(steps: readonly ExpectedStep[], key: string, id: string): string {
  return steps.find(({ action, objectId }) => action === 'move' && objectId === id)?.subject ?? key;
}

/**
 * Whether all of several that the ledger holds are missing: a wrong service looks like this.
 * `perhaps`: an address is let go, has a problem, or nothing is predicted of it: a missing object may be behind that.
 */
function allMissing(
  { objects }: Situation['ledger'],
  { forget }: Desired,
  { steps, problems, lenient, unknown }: Expected,
): 'yes' | 'perhaps' | 'no' {
  const ids = new Set(Object.values(objects).map(({ id }) => id));
  const roots = Object.entries(objects)
    .filter(([, { id }]) => !ids.has(id.split('/')[0] ?? '') || !id.includes('/'))
    .map(([key, { id }]) => addressNow(steps, key, id));
  const missing = new Set(
    steps.flatMap(({ action, subject }) =>
      action === 'create' || (action === 'forget' && !forget.has(subject)) ? [subject] : [],
    ),
  );
  const mayBe = (subject: string): boolean =>
    missing.has(subject) ||
    forget.has(subject) ||
    problems.has(subject) ||
    lenient.has(subject) ||
    unknown.has(subject);
  if (roots.length < 2 || !roots.every(mayBe)) return 'no';
  return roots.every((subject) => missing.has(subject)) ? 'yes' : 'perhaps';
}

/** "More than max(3, 10 %) of the objects that the manifests still want vanished at once." */
function tooManyMissing({ ledger, desired, view }: Situation, expected: Expected, allowed: number): Verdict {
  const made = new Set(
    expected.steps.flatMap(({ action, subject }) => (action === 'create' ? [subject] : [])),
  );
  const direct = Object.entries(ledger.objects).filter(([key, { id }]) =>
    made.has(addressNow(expected.steps, key, id)),
  ).length;
  const attached = Object.values(ledger.objects).filter(({ kind, id }) => {
    if (kind !== 'ProjectAttachment') return false;
    const [client = '', project = ''] = id.split('/');
    const seen = view.list?.find((one) => one.id === client) ?? view.shown.get(client);
    return view.list !== null && seen?.projects.includes(project) !== true;
  }).length;
  const wanted = desired.clients.size + desired.attachments.length + desired.triggers.size;
  const all = allMissing(ledger, desired, expected);
  return verdictOf(
    direct > Math.max(3, 0.1 * wanted, allowed) || (all === 'yes' && allowed === 0),
    direct + attached > Math.max(3, allowed) || all !== 'no',
  );
}

/** Says which guard stops an apply. */
export function expectGuards(situation: Situation, expected: Expected, limits: Limits): void {
  const { serial, lineage } = situation.ledger;
  const beginning = lineage ? lineage.slice(0, 13) : undefined;
  const lines = situation.desired.approved.filter(
    (line) =>
      'serial' in line &&
      line.serial === serial &&
      (line.lineage === undefined || line.lineage === beginning),
  );
  const allowed = (key: 'deletes' | 'missing'): number =>
    Math.max(limits[key] ?? 0, ...lines.map((line) => Number(Reflect.get(line, key) ?? 0)));
  const verdicts = {
    'too-many-deletes': tooManyDeletes(situation, expected, allowed('deletes')),
    'too-many-missing': tooManyMissing(situation, expected, allowed('missing')),
  };
  for (const [code, verdict] of Object.entries(verdicts)) {
    if (verdict === 'stops') expected.blockers.add(code);
    if (verdict === 'open') expected.maybeBlockers.add(code);
  }
}
