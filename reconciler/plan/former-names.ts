/** Guesses which recorded link a line with an unknown name is about, because its workspace or project may have been renamed. */
import { type DesiredEntry, type Manifests, nameInAddress } from '../../manifest/desired';
import { isReference, type Key, type ResourceDefinition } from '../../resources/kind';
import { visible } from '../../resources/names';

/** The end of a recorded link, and the name that a line has for it. */
export interface FormerName {
  readonly field: string;
  readonly id: string;
  /** The address of the name, such as `workspace/db`. */
  readonly address: string;
}

interface Entries {
  readonly entries: readonly DesiredEntry[];
  readonly recordedLinks: ReadonlyMap<
    string,
    { readonly definition: ResourceDefinition; readonly ends: Key }
  >;
  readonly recordedClients: ReadonlyMap<string, { readonly id: string }>;
}

/**
 * Guesses by the other end of a line. If `RunTrigger/app/db` is declared, and no workspace is named db, the line may be about a recorded
 * trigger of app whose source no line names. Nothing is guessed if there are several. `Facts` gives such a link the address of the line, so
 * that both are one row. The keys are those of the ledger.
 */
export function guessFormerNames(
  { nameReferences, namesById }: Manifests,
  { entries, recordedLinks, recordedClients }: Entries,
): ReadonlyMap<string, FormerName> {
  const formerNames = new Map<string, FormerName>();
  const pairs = new Map([...recordedLinks.values()].map(({ definition: { kind, pair } }) => [kind, pair]));
  for (const { kind, inputs } of entries) {
    const pair = pairs.get(kind) ?? [];
    for (const field of pair) {
      const name = inputs[field];
      if (!isReference(name) || nameReferences.get(name.address)?.why === undefined) continue;
      const farField = pair.find((end) => end !== field) ?? '';
      const far = inputs[farField];
      const farId = isReference(far) ? recordedClients.get(far.address)?.id : far;
      const [link, ...others] = [...recordedLinks].filter(
        ([, { definition, ends }]) =>
          definition.kind === kind && ends[farField] === farId && !namesById.has(ends[field] ?? ''),
      );
      if (link === undefined || others.length > 0) continue;
      const [key, { ends }] = link;
      formerNames.set(key, { field, id: ends[field] ?? '', address: name.address });
    }
  }
  return formerNames;
}

/** Returns a sentence about the recorded object that an unknown name may mean, or an empty text. */
export function describeFormerName(
  address: string,
  formerNames: ReadonlyMap<string, FormerName>,
  { lookups }: Manifests,
): string {
  const id = [...formerNames.values()].find((former) => former.address === address)?.id;
  if (id === undefined) return '';
  const name = lookups?.currentNames.get(id);
  // The name was found twice, and one of the two is recorded.
  if (name === nameInAddress(address)) return `. The ledger has ${id} in its place`;
  const now = name === undefined ? 'may have another name now' : `is now named ${visible(name)}`;
  return `. ${id}, which the ledger has in its place, ${now}`;
}
