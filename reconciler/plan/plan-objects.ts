/** Plans the wanted objects that have an id of their own: adopt, create, update, replace, or nothing. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import type { Issue } from '../../resources/kind';
import type { Claim } from './claims';
import { type Context, definitionFor, objectEntries, observationIn } from './context';
import { bareStep, type Draft } from './draft';
import { lookAlikes } from './look-alikes';
import { planCreate } from './plan-create';
import { planPredecessor } from './plan-predecessor';
import { planPresent } from './plan-present';
import { problem, type Subject } from './subject';

/** Adds what every wanted object needs to the draft. */
export function planObjects(context: Context, draft: Draft): void {
  for (const entry of objectEntries(context)) {
    const claim = context.claims.byAddress.get(entry.address) ?? null;
    const protect = entry.protect ?? claim?.object.protect ?? false;
    planObject({ context, draft, definition: definitionFor(context, entry), entry, claim, protect });
  }
}

function planObject(subject: Subject): void {
  const { context, draft, entry, claim } = subject;
  if (claim !== null) draft.inLedger.push(entry.address);
  planMove(subject);
  const told = entry.id;
  if (claim !== null && told !== undefined && told !== claim.object.id) {
    if (told !== claim.object.replaced && told !== claim.object.replaces) {
      problem(subject, 'id-differs', idDiffers(entry, claim, told), entry.idAt);
      return;
    }
    draft.warnings.push(
      warning(
        subject,
        'id-replaced',
        `\`id: ${told}\` names the client that ${claim.object.id} replaced: remove the line`,
      ),
    );
  }
  if (claim === null && told !== undefined) {
    const holder = holderOf(context, told);
    if (holder !== null) {
      problem(
        subject,
        'id-held',
        `${told} is held by ${holder} in the ledger: use \`moved:\`, or give another id`,
        entry.idAt,
      );
      return;
    }
  }
  if (refuseInterrupted(subject, told)) return;
  const id = claim?.object.id ?? told ?? null;
  if (id !== null) {
    planKnown(subject, id);
    return;
  }
  planCreate(subject, {
    reason: entry.address in context.ledger.pending ? 'interrupted' : 'new',
    replacing: null,
  });
}

/** A rename of the address costs no call; it is a step of its own, before anything else of that object. */
function planMove({ draft, entry, claim, protect }: Subject): void {
  if (claim?.movedFrom === undefined) return;
  draft.steps.push({
    ...bareStep,
    id: `move ${entry.address}`,
    action: 'move',
    kind: entry.kind,
    address: entry.address,
    key: entry.address,
    movedFrom: claim.movedFrom,
    objectId: claim.object.id,
    reason: 'renamed',
    because: `${claim.movedFrom} is called ${entry.address} now`,
    file: entry.file,
    protect,
  });
}

function planKnown(subject: Subject, id: string): void {
  const { context, draft, definition, entry, claim } = subject;
  const observation = observationIn(context, definition, { id }, id);
  if (observation.state === 'undetermined') {
    draft.undetermined.push({ address: entry.address, why: observation.why });
    draft.objects.set(entry.address, { state: 'stopped', id, why: `${entry.address} cannot be seen` });
    return;
  }
  if (observation.state === 'absent') {
    if (claim !== null) draft.vanished.push(entry.address);
    // The line would name what is gone for ever after: whoever wants another one takes it out.
    if (claim === null || entry.id === id) {
      problem(
        subject,
        'id-absent',
        `${id} does not exist: correct the id, or remove the line to create a new one`,
        entry.idAt,
      );
      return;
    }
    planCreate(subject, { reason: 'gone', replacing: null });
    const created = draft.objects.get(entry.address);
    if (created?.state === 'pending') {
      planPredecessor(subject, claim.object, {
        because: `${id}, which took its place, is gone and made again`,
        approve: 'replace',
        needs: created.step === undefined ? [] : [created.step],
      });
    }
    return;
  }
  planPresent(subject, observation.found);
}

/** `told`: the id that the manifest names, and so adopts although it still has a temporary name. */
function refuseInterrupted(subject: Subject, told: string | undefined): boolean {
  const { context, definition, entry } = subject;
  const alike = lookAlikes(context, definition, entry.address, {});
  const interrupted = alike?.interrupted.filter((found) => found.id !== told) ?? [];
  if (interrupted.length === 0) return false;
  const names = interrupted.map((found) => `${found.id} (${String(found.values.name)})`).join(', ');
  problem(
    subject,
    'interrupted-elsewhere',
    `an interrupted apply left ${names}, which no ledger here knows. If no other apply is running: adopt it with \`id: ${interrupted[0]?.id ?? ''}\` and write its secrets with --write-secrets, or delete it in the service`,
  );
  return true;
}

function holderOf(context: Context, id: string): string | null {
  return Object.entries(context.ledger.objects).find(([, object]) => object.id === id)?.[0] ?? null;
}

function idDiffers(entry: DesiredEntry, claim: Claim, told: string): string {
  return `the ledger says that ${entry.address} is ${claim.object.id}, not ${told}: remove \`id:\`; or take the entry out with a \`forget\` line, apply, and add it again with \`id:\``;
}

function warning({ entry }: Subject, rule: string, message: string): Issue {
  return { rule, severity: 'warning', message, path: entry.address, at: entry.idAt ?? entry.at };
}
