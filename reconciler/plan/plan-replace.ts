/** Plans a replacement: a new object with everything the manifest leaves out carried over, then the old one destroyed. Pure. */
import { type DesiredValues, type FieldValues, type Found, isReference } from '../../resources/kind';

import { approvalFor, unlinks } from './approvals';
import { linkEntries } from './context';
import { bareStep } from './draft';
import { hasTemporaryName } from './look-alikes';
import { plainInputs, reasonOf } from './object-changes';
import type { PlannedChange } from './plan';
import { mayCreate, noteNeededSecrets } from './plan-create';
import { planPredecessor } from './plan-predecessor';
import { moveNeeds, risksOf, type Subject } from './subject';

/** Adds the replace step and the delete of the old object, which comes last; both hang on one approval. `causes` are why it cannot be an update. */
export function planReplace(
  subject: Subject,
  found: Found,
  causes: readonly PlannedChange[],
  besides: readonly PlannedChange[],
): void {
  const { context, draft, entry } = subject;
  const changes = [...causes, ...besides];
  const carried = carriedOver(subject, found);
  const inputs: DesiredValues = { ...carried, ...entry.inputs };
  const wanted = { ...carried, ...plainInputs(entry), organization: context.organization };
  if (!mayCreate(subject, wanted, found)) return;
  const first = predecessorFirst(subject, found);
  if (first === null) return;
  noteNeededSecrets(subject);
  const approval = approvalFor(context, 'replace', entry.address, found.id);
  const replace = `replace ${entry.address}`;
  const common = {
    ...bareStep,
    kind: entry.kind,
    address: entry.address,
    key: entry.address,
    objectId: found.id,
    observed: found.values,
    file: entry.file,
    protect: subject.protect,
  };
  draft.steps.push({
    ...common,
    id: replace,
    action: 'replace',
    ...reasonOf(causes),
    changes: [...changes, ...carriedChanges(entry.inputs, carried)],
    risks: [...new Set([unlinks(context, found.id), ...risksOf(changes), ...lostSecrets(subject, found)])],
    needs: [...moveNeeds(subject), ...first],
    inputs,
    secrets: entry.secrets,
    managed: entry.inputs,
    approval,
  });
  draft.objects.set(entry.address, { state: 'pending', id: found.id, step: replace });
  draft.steps.push({
    ...common,
    id: `delete ${entry.address} (replaced ${found.id})`,
    action: 'delete',
    reason: 'replaced',
    because: 'a new one takes its place',
    risks: [unlinks(context, found.id)],
    needs: [replace],
    approval,
  });
}

/** What this object itself replaced goes before it is replaced in turn, for the ledger remembers only one; null when nobody can see it. */
function predecessorFirst(subject: Subject, found: Found): readonly string[] | null {
  const { draft, entry, claim } = subject;
  if (claim === null) return [];
  const planned = planPredecessor(subject, claim.object, {
    because: `${found.id} took its place, and is replaced in turn`,
    approve: 'replace',
    needs: moveNeeds(subject),
  });
  if (planned !== 'unseen') return planned.steps;
  const why = `what ${entry.address} replaced cannot be seen`;
  draft.objects.set(entry.address, { state: 'stopped', id: found.id, why });
  return null;
}

/** Observed readable fields that the manifest leaves out; projects only where links of ours do not bring them anyway. */
function carriedOver({ context, definition, entry }: Subject, found: Found): FieldValues {
  const carried: Record<string, FieldValues[string]> = {};
  for (const [name, field] of Object.entries(definition.fields)) {
    const value = found.values[name];
    if (name in entry.inputs || field.writeOnly || field.refersTo === 'organization' || value === undefined)
      continue;
    if (value === null || (name === 'name' && hasTemporaryName(found))) continue;
    if (field.exactSetOf !== undefined && Array.isArray(value)) {
      const foreign = foreignLinks({ context, entry }, found.id, value);
      if (foreign.length > 0) carried[name] = foreign;
    } else carried[name] = value;
  }
  return carried;
}

/** Projects attached by somebody else, where no exact set says that there must be none. */
function foreignLinks(
  { context, entry }: Pick<Subject, 'context' | 'entry'>,
  id: string,
  projectIds: readonly string[],
): readonly string[] {
  const covered = context.desired.sets.some((set) =>
    Object.values(set.fixed).some((value) =>
      isReference(value) ? value.address === entry.address : value === id,
    ),
  );
  if (covered) return [];
  const isOurs = (link: DesiredValues): boolean =>
    Object.values(link).some((value) =>
      isReference(value) ? value.address === entry.address : value === id,
    );
  const wanted = new Set(
    linkEntries(context).flatMap((link) => (isOurs(link.inputs) ? Object.values(link.inputs) : [])),
  );
  const ours = new Set(
    Object.values(context.ledger.objects)
      .filter((object) => Object.values(object.values).includes(id))
      .flatMap((object) => Object.values(object.values)),
  );
  return projectIds.filter((projectId) => !wanted.has(projectId) && !ours.has(projectId));
}

function carriedChanges(managed: DesiredValues, carried: FieldValues): PlannedChange[] {
  return Object.entries(carried)
    .filter(([field]) => !(field in managed))
    .map(([field, from]) => ({ field, from, to: from }));
}

/** What the old object had and the new one cannot be given, because nobody can read it. */
function lostSecrets({ entry }: Subject, found: Found): readonly string[] {
  const connected = Array.isArray(found.outputs.oauthTokenIds) && found.outputs.oauthTokenIds.length > 0;
  return connected && !('oauthTokenString' in entry.secrets)
    ? [
        'the new client is not connected until a person opens its connect path: the manifest has no oauthTokenString',
      ]
    : [];
}
