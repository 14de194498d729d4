/** Finds what each `forget` line names. One that names nothing may be the misspelt name of an object that the plan deletes. */
import { type ForgetLine, nameInAddress } from '../../manifest/desired';
import { isReference, type Key, type Reference } from '../../resources/kind';
import { suggestion } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { definitionOf } from '../../resources/registry';
import { heldIds } from './bind';
import type { Draft } from './draft';
import type { Facts } from './facts';
import { keyOf, keyText, parseKey } from './plan';

export interface NamedLine extends ForgetLine {
  readonly kind: string;
  /** The keys that it may mean in the ledger, because an address may have several clients. */
  readonly keys: readonly string[];
  /** The declared object that it names by an id. Only the ledger shows which client that is. */
  readonly declared: string | undefined;
  /** An `object` exists, and the ledger has no entry for it. */
  readonly names: 'entry' | 'object' | 'nothing';
}

/** `owners` has the addresses of clients once the plan is done. */
export function nameLines(facts: Facts, draft: Draft, owners: ReadonlyMap<string, string>) {
  const { ledger } = facts.inputs;
  const clients = [...owners, ...facts.clientAddresses, ...draft.leaving];
  const idsAt = (end: string | Reference) =>
    isReference(end) ? clients.flatMap(([id, address]) => (address === end.address ? id : [])) : [end];
  const recorded = new Set([...facts.recorded.keys(), ...Object.keys(ledger.pending)]);
  for (const id of heldIds(facts.recordedClients.values())) recorded.add(`${oauthClient.kind}/${id}`);
  return facts.forgetLines.map((line): NamedLine => {
    const [kind, ...parts] = parseKey(line.address);
    const definition = definitionOf(kind);
    const isLink = facts.isLink(kind);
    const pairs = Object.entries(line.ends).reduce<readonly Key[]>(
      (all, [field, end]) => all.flatMap((key) => idsAt(end).map((id) => ({ ...key, [field]: id }))),
      [{}],
    );
    const keys = isLink ? pairs.map((ends) => keyText(keyOf(definition, ends))) : [line.address];
    const spelled = parts.map((part) => nameInAddress(facts.clientAddresses.get(part) ?? part));
    const address = [kind, ...spelled].join('/');
    const declared = address !== line.address && facts.isDeclared(address) ? address : undefined;
    const isEntry = declared !== undefined || keys.some((key) => recorded.has(key));
    const found = isLink
      ? pairs.flatMap((ends) => facts.foundAll(definition, ends) ?? [])
      : facts.foundAll(definition)?.filter(({ id }) => id === parts[0]);
    return { ...line, kind, keys, declared, names: isEntry ? 'entry' : found?.length ? 'object' : 'nothing' };
  });
}

/** Returns the message about a line that holds deletes. `spellings` are those of the objects that they delete. */
export function holdingMessage({ address, kind }: NamedLine, spellings: readonly string[]): string {
  const swapped = [kind, ...parseKey(address).slice(1).reverse()].join('/');
  const candidates = spellings.includes(swapped) ? [swapped] : spellings;
  const meant = suggestion(address, candidates, 'the objects that this plan would delete');
  const end = meant.endsWith('?') ? '' : '.';
  return `The line \`forget: [${address}]\` names nothing${meant}${end} No ${kind} is deleted until you correct or remove that line.`;
}

/** Notes each line that does nothing in this plan, except those that hold deletes. */
export function noteIdleLines(facts: Facts, draft: Draft, lines: readonly NamedLine[]): void {
  for (const line of lines) {
    const { address, declared } = line;
    const why = whyIdle(facts, draft, line);
    if (why === undefined) continue;
    draft.notes.push({ address: declared ?? address, message: `The line \`forget: [${address}]\` ${why}.` });
  }
}

function whyIdle(facts: Facts, draft: Draft, { kind, keys, declared, names, at }: NamedLine) {
  const deletes = draft.steps.filter(({ action }) => action === 'delete');
  if (declared) {
    return `does nothing, because it names ${declared}, which is declared. To forget it, remove its declaration too`;
  }
  const ended = deletes.find(
    ({ reason, objectId = '', ...step }) =>
      !facts.isLink(step.kind) &&
      reason !== 'replaced' &&
      keys.some((key) => key.split('/').includes(objectId)),
  );
  if (ended) return `keeps nothing, because ${ended.address} is deleted and its attachments end with it`;
  const isHolding = draft.unknown.some((one) => one.at === at);
  if (names === 'nothing' && !isHolding) {
    return 'names nothing in the ledger, and no such object was found. If it is gone, remove the line; else correct it';
  }
  if (names !== 'object') return undefined;
  if (keys.some((key) => draft.spared.has(key))) return 'keeps it, although an exact set does not list it';
  const isBeside = deletes.some((step) => step.kind === kind);
  return isBeside ? 'changes nothing, because Tether does not manage that object' : undefined;
}
