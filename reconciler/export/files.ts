/** New manifests for drafted lines. Pure. */
import type { Manifests } from '../../manifest/desired';
import { type WritableEntry, writeManifest } from '../../manifest/write';
import { definitionOf } from '../../resources/kind';
import { nameProblem } from '../../resources/names';
import { registry } from '../../resources/registry';
import { grouped } from '../plan/steps';
import type { Survey } from '../survey';

interface Place {
  readonly manifests: Manifests;
  /** The `profile:` line of new files; null leaves it to others. */
  readonly profileName: string | null;
  /** No manifest names the organization yet. */
  readonly isUnnamed: boolean;
  isTaken(file: string): boolean;
}

/** File name → text, a file for each kind. */
export function draftFiles(
  survey: Survey,
  entries: readonly WritableEntry[],
  { manifests: { organization, aliases: declared }, profileName, isUnnamed, isTaken }: Place,
): ReadonlyMap<string, string> {
  const fresh = freshAliases(survey, declared.workspaces);
  // Of several aliases, the first by name.
  const all = [...fresh, ...Object.values(declared).flatMap(Object.entries<string>)].sort().reverse();
  const aliasOf = new Map(all.map(([name, id]) => [id, name]));
  const files = new Map<string, string>();
  const put = (section: string, some: readonly WritableEntry[]) => {
    const used = new Set(some.flatMap(({ inputs }) => Object.values(inputs)));
    const workspaces = Object.fromEntries(fresh.filter(([, id]) => used.has(id)).sort());
    const about = `What \`tether export\` found in ${organization}; these lines are yours to edit.`;
    const comment = some.some(({ secrets }) => secrets) ? `${about}\n${aboutSecrets}` : about;
    let file = `${section}.tether.yaml`;
    for (let more = 2; isTaken(file); more += 1) file = `${section}-${more}.tether.yaml`;
    files.set(
      file,
      writeManifest({ organization, profileName, comment, workspaces, aliasOf, entries: some }),
    );
  };
  const sectionOf = ({ kind }: WritableEntry) => definitionOf(kind, registry).section.name;
  for (const [section, some] of grouped(entries.map((one) => [sectionOf(one), one]))) {
    put(section.replace(/[A-Z]/g, '-$&').toLowerCase(), some);
  }
  if (files.size === 0 && isUnnamed && survey.unread.length === 0) put('organization', []);
  return files;
}

const aboutSecrets = `Secrets cannot be read. To write a new one, take the # away from its line and set the variable.
\`projects:\` is an exact set: an apply detaches every project that it does not list.`;

/** Names and ids of workspaces without alias whose name, as links show it, can be one, and is of that one alone. */
function freshAliases({ found }: Survey, declared: Readonly<Record<string, string>>) {
  const shown = registry.flatMap(({ kind, section: { ends } }) =>
    (found[kind] ?? []).flatMap(({ values, outputs }) =>
      ends.map((end) => [String(outputs[end.nameOutput ?? ''] ?? ''), String(values[end.field])] as const),
    ),
  );
  const known = new Set(Object.values(declared));
  return [...grouped(shown)].flatMap(([name, ids]): [string, string][] => {
    const [id = '', ...others] = new Set(ids);
    const isBad = nameProblem(name, registry) !== undefined || Object.hasOwn(declared, name);
    return isBad || known.has(id) || others.length > 0 ? [] : [[name, id]];
  });
}
