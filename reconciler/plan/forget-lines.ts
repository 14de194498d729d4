/** Finds what each `forget` line names. One that names nothing may be the misspelt name of an object that the plan deletes. */
import { nameInAddress } from '../../manifest/desired';
import { listedItems } from '../../observation/evidence';
import { isLink } from '../../resources/kind';
import { suggestion, toAddress } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { registry } from '../../resources/registry';
import { heldIds } from '../ledger/ledger';
import type { Binding } from './decisions';
import type { Facts } from './facts';
import { type Note, parseKey, type Step, toEnds, toLedgerKey } from './plan';

export type NamedLine = ReturnType<typeof nameLines>[number];

/** A line names an entry of the ledger or a declared object, an object that nobody manages, or nothing. */
export function nameLines(facts: Facts, bindings: readonly Binding[]) {
  const { forgetLines, organization, inputs, recordedClients, recordedLinks } = facts;
  if (forgetLines.length === 0) return [];
  const clients = new Map(
    bindings.flatMap(({ address, entry, record }) => {
      const ids = [record?.id ?? entry?.id ?? [], record?.retiring ?? []].flat();
      return ids.map((id) => [id, address] as const);
    }),
  );
  const entries = new Set([...recordedClients.keys(), ...Object.keys(inputs.ledger.pending)]);
  for (const id of heldIds(recordedClients.values())) entries.add(toAddress(oauthClient, id));
  for (const { definition, ends } of recordedLinks.values()) {
    for (const address of facts.linkSpellings(definition, ends, clients)) entries.add(address);
  }
  const spellings = registry.flatMap((definition) => {
    const all = definition.find(listedItems(inputs.observed.lists, definition.listType), { organization });
    if (!isLink(definition.kind)) return all.map(({ id }) => toAddress(definition, id));
    const pairs = all.map(({ values }) => toEnds(definition, toLedgerKey(definition, values)));
    return pairs.flatMap((ends) => facts.linkSpellings(definition, ends, clients));
  });
  const objects = new Set(spellings);
  return forgetLines.map(({ address, ...line }) => {
    const declaredAddress = declaredAs(facts, address);
    const isEntry = declaredAddress !== undefined || entries.has(address);
    const names = isEntry ? 'entry' : objects.has(address) ? 'object' : 'nothing';
    return { ...line, address, kind: parseKey(address)[0], declaredAddress, names } as const;
  });
}

/** Returns the declared object that a line names by an id. Only the ledger shows which client that is. */
function declaredAs(facts: Facts, line: string): string | undefined {
  const parts = line.split('/').map((part) => nameInAddress(facts.clientAddresses.get(part) ?? part));
  const address = parts.join('/');
  return facts.isDeclared(address) ? address : undefined;
}

/** Returns the message about a line that holds deletes. `spellings` are those of the objects that they delete. */
export function holdingMessage({ address, text, kind }: NamedLine, spellings: readonly string[]): string {
  const swapped = [kind, ...parseKey(address).slice(1).reverse()].join('/');
  const noun = 'the objects that this plan would delete';
  const names = spellings.map(nameInAddress);
  const meant = spellings.includes(swapped)
    ? `: did you mean \`${swapped}\`?`
    : suggestion(nameInAddress(address), names, noun, (name) => toAddress({ kind }, name));
  const end = meant.endsWith('?') ? '' : '.';
  return `The line \`forget: [${text}]\` names nothing${meant}${end} No ${kind} is deleted until you correct that line, or remove it if an earlier apply used it.`;
}

/** Notes each line that does nothing in this plan, except those that hold deletes. */
export function noteIdleLines(
  lines: readonly NamedLine[],
  steps: readonly Step[],
  holdingLines: ReadonlySet<NamedLine>,
): readonly Note[] {
  return lines.flatMap((line) => {
    const why = holdingLines.has(line) ? undefined : whyIdle(line, steps);
    if (why === undefined) return [];
    const { text, at, declaredAddress: address = line.address } = line;
    return [{ address, message: `The line \`forget: [${text}]\` ${why}.`, at }];
  });
}

function whyIdle(line: NamedLine, steps: readonly Step[]): string | undefined {
  const { address, kind, declaredAddress, names } = line;
  if (declaredAddress) {
    // Its client may be replaced, and the line forgets it then.
    const isUsed = steps.some(
      ({ action, objectId }) => action === 'forget' && objectId === nameInAddress(address),
    );
    if (isUsed) return undefined;
    return `does nothing, because it names ${declaredAddress}, which is declared. To forget it, remove its declaration too`;
  }
  if (names === 'nothing') {
    return 'names nothing in the ledger, and no list that this folder needs shows such an object. If an earlier apply used the line, or its object is gone, remove it; else correct it';
  }
  const isBeside = steps.some((step) => step.action === 'delete' && step.kind === kind);
  if (names === 'entry' || !isBeside) return undefined;
  return 'changes nothing outside exact sets, because Tether does not manage that object';
}
