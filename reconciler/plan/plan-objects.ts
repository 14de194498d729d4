/** Plans the wanted objects that have an id of their own: adopt, create, update, replace, or nothing. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import type { Issue } from '../../resources/issue';
import { describe } from '../../resources/look-alike';
import type { Claim } from './claims';
import { type Context, definitionFor, objectEntries, observationIn } from './context';
import { bareStep, type Draft } from './draft';
import { lookAlikes } from './look-alikes';
import { plainInputs } from './object-changes';
import { planCreate } from './plan-create';
import { planPresent } from './plan-present';
import { problem, type Subject } from './subject';

/** Adds what every wanted object needs to the draft. */
export function planObjects(context: Context, draft: Draft): void {
  for (const entry of objectEntries(context)) {
    const claim = context.claims.byAddress.get(entry.address) ?? null;
    planObject({ context, draft, definition: definitionFor(context, entry), entry, claim });
  }
}

function planObject(subject: Subject): void {
  const { context, draft, entry, claim } = subject;
  if (claim !== null) draft.inLedger.push(entry.address);
  planMove(subject);
  const told = context.options.adopt[entry.address] ?? entry.id;
  if (claim !== null && told !== undefined && told !== claim.object.id) {
    if (told !== claim.object.replaced) {
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
  if (refuseInterrupted(subject)) return;
  const id = claim?.object.id ?? told ?? null;
  if (id !== null) {
    planKnown(subject, id);
    return;
  }
  if (context.ledger === null) {
    planByLooks(subject);
    return;
  }
  planCreate(subject, {
    reason: entry.address in context.ledger.pending ? 'interrupted' : 'new',
    replacing: null,
  });
}

/** A rename of the address costs no call; it is a step of its own, before anything else of that object. */
function planMove({ draft, entry, claim }: Subject): void {
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
    protect: entry.protect,
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
    if (claim === null) {
      problem(
        subject,
        'id-absent',
        `${id} does not exist: correct the id, or remove the line to create a new one`,
        entry.idAt,
      );
      return;
    }
    draft.vanished.push(entry.address);
    planCreate(subject, { reason: 'gone', replacing: null });
    return;
  }
  planPresent(subject, observation.found);
}

/** With `--ledger none` a client is the one that matches exactly; anything less certain stops it. */
function planByLooks(subject: Subject): void {
  const { context, definition, entry } = subject;
  const wanted = { ...plainInputs(entry), organization: context.organization };
  const alike = lookAlikes(context, definition, entry.address, wanted);
  if (alike?.same.length === 1 && alike.same[0] !== undefined) {
    planPresent(subject, alike.same[0]);
    return;
  }
  const others = new Set(
    objectEntries(context).flatMap((one) => (one === entry ? [] : [one.inputs.name ?? null])),
  );
  const renamed = (alike?.renamed ?? []).filter((found) => !others.has(found.values.name ?? null));
  if (alike?.same.length === 0 && renamed.length > 0 && !entry.allowTwin) {
    const message = `without a ledger nobody can tell whether ${entry.address} is one of these under another name: ${renamed.map(describe).join('; ')}. Add \`id: ${renamed[0]?.id ?? ''}\` if it is, or \`allowTwin: true\` for another one`;
    problem(subject, 'look-alike', message);
    return;
  }
  planCreate(subject, { reason: 'new', replacing: null });
}

function refuseInterrupted(subject: Subject): boolean {
  const { context, definition, entry } = subject;
  const alike = lookAlikes(context, definition, entry.address, {});
  if (alike === null || alike.interrupted.length === 0) return false;
  const names = alike.interrupted.map((found) => `${found.id} (${String(found.values.name)})`).join(', ');
  problem(
    subject,
    'interrupted-elsewhere',
    `an interrupted apply left ${names}, which no ledger here knows. If no other apply is running: adopt it with \`id: ${alike.interrupted[0]?.id ?? ''}\` and write its secrets with --write-secrets, or delete it in the service`,
  );
  return true;
}

function holderOf(context: Context, id: string): string | null {
  return Object.entries(context.ledger?.objects ?? {}).find(([, object]) => object.id === id)?.[0] ?? null;
}

function idDiffers(entry: DesiredEntry, claim: Claim, told: string): string {
  return `the ledger says that ${entry.address} is ${claim.object.id}, not ${told}: remove \`id:\`, or let the other go with \`tether ledger forget ${entry.address}\` first`;
}

function warning({ entry }: Subject, rule: string, message: string): Issue {
  return { rule, severity: 'warning', message, path: entry.address, at: entry.idAt ?? entry.at };
}
