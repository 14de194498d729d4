/** New manifests for drafted lines. Pure. */
import type { Manifests } from '../../manifest/desired';
import { type WritableEntry, type WritableManifest, writeManifest } from '../../manifest/write';
import { grouped } from '../../resources/groups';
import { definitionOf } from '../../resources/kind';
import { externalKinds, isId, nameProblem, slips } from '../../resources/names';
import { registry } from '../../resources/registry';
import type { Ledger } from '../ledger/ledger';
import type { NameLists } from '../names';
import type { Survey } from '../survey';

interface Place extends Pick<WritableManifest, 'profileName'> {
  readonly manifests: Manifests;
  /** The organization is there, and no manifest names it yet. */
  readonly isUnnamed: boolean;
  /** Where there are any, lines have their names, else aliases as far as links show names. */
  readonly lists: NameLists;
  readonly ledger: Ledger;
  isTaken(file: string): boolean;
}

/** Names of files with their texts, one for each kind. */
export function draftFiles(
  survey: Survey,
  entries: readonly WritableEntry[],
  place: Place,
): (readonly [string, string])[] {
  const { manifests, profileName, isUnnamed, lists, isTaken } = place;
  const { organization, aliases: declared } = manifests;
  const fresh = freshNames(survey, place);
  // Of several aliases, the first by name.
  const all = [...fresh, ...Object.values(declared).flatMap(Object.entries<string>)].sort().reverse();
  const aliasOf = new Map(all.map(([name, id]) => [id, name]));
  const sectionOf = ({ kind }: WritableEntry) => definitionOf(kind, registry).section.name;
  const sections = grouped(entries.map((one) => [sectionOf(one), one]));
  const drafts = sections.size === 0 && isUnnamed ? [['organization', []] as const] : [...sections];
  return drafts.map(([section, some]) => {
    const used = new Set(some.flatMap(({ inputs }) => Object.values(inputs)));
    const isAliased = ([, id]: (typeof fresh)[number]) => lists.size === 0 && used.has(id);
    const workspaces = Object.fromEntries(fresh.filter(isAliased).sort());
    const about = `What \`tether export\` found in ${organization}; these lines are yours to edit.`;
    const comment = some.some(({ secrets }) => secrets) ? `${about}\n${aboutSecrets}` : about;
    const manifest = { organization, profileName, comment, workspaces, aliasOf, entries: some };
    const name = section.replace(/[A-Z]/g, '-$&').toLowerCase();
    let file = `${name}.tether.yaml`;
    for (let more = 2; isTaken(file); more += 1) file = `${name}-${more}.tether.yaml`;
    return [file, writeManifest(manifest)] as const;
  });
}

const aboutSecrets = `Secrets cannot be read. To write a new one, take the # away from its line and set the variable.
\`projects:\` is an exact set: an apply detaches every project that it does not list.`;

/** Names and ids of what has no alias, where the name can be one, is nearly no other, and means nothing else, now or in the ledger. */
function freshNames({ found }: Survey, { manifests: { aliases }, lists, ledger: { names = {} } }: Place) {
  const shown = registry.flatMap(({ kind, section: { ends } }) =>
    (found[kind] ?? []).flatMap(({ values, outputs }) =>
      ends.map((end) => [String(values[end.field]), String(outputs[end.nameOutput ?? ''] ?? '')] as const),
    ),
  );
  return Object.entries(externalKinds).flatMap(([kind, { aliases: section, prefix }]) => {
    const list = lists.get(kind);
    const known = list?.names ?? new Map(shown.filter(([id]) => isId(id, prefix)));
    const declared = Object.entries(aliases[section]);
    return [...grouped([...known].map(([id, name]) => [name, id]))].flatMap(
      ([name, [id = '', ...others]]) => {
        const isAliased = declared.some(([alias, its]) => its === id || slips(name, alias) <= (list ? 1 : 0));
        const isOther = (names[`${kind}/${name}`] ?? id) !== id || others.length > 0;
        const isBad = isAliased || isOther || nameProblem(name, registry) !== undefined;
        return isBad ? [] : [[name, id] as const];
      },
    );
  });
}
