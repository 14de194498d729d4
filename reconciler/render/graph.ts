/** Writes the run triggers of manifests as a Mermaid graph. */
import { type DesiredEntry, type Manifests, nameInAddress } from '../../manifest/desired';
import { groupBy } from '../../resources/groups';
import { isReference } from '../../resources/kind';
import { findDefinition } from '../../resources/registry';

export interface Arrow {
  readonly source: string;
  readonly target: string;
}

/** Returns the triggers as arrows between the aliases, names or ids of their ends. */
export function listArrows({
  entries,
  namesById,
}: Pick<Manifests, 'entries' | 'namesById'>): readonly Arrow[] {
  const nameOf = ({ inputs }: DesiredEntry, field: string) => {
    const end = inputs[field];
    if (isReference(end)) return nameInAddress(end.address);
    const id = String(end);
    return namesById.get(id)?.name ?? id;
  };
  return entries.flatMap((entry) => {
    const { edge } = findDefinition(entry.kind);
    if (edge === undefined) return [];
    return { source: nameOf(entry, edge.from), target: nameOf(entry, edge.to) };
  });
}

/** Returns the arrows that lead from these workspaces or to them, through any number of steps. */
export function arrowsAround(arrows: readonly Arrow[], names: readonly string[]): readonly Arrow[] {
  const reachable = (from: keyof Arrow, to: keyof Arrow) => {
    const byStart = groupBy(arrows, (arrow) => arrow[from]);
    const reached = new Set(names);
    // The loop also visits names that are added during it.
    for (const name of reached) for (const arrow of byStart.get(name) ?? []) reached.add(arrow[to]);
    return reached;
  };
  const [after, before] = [reachable('source', 'target'), reachable('target', 'source')];
  return arrows.filter(({ source, target }) => after.has(source) || before.has(target));
}

/** Mermaid draws nothing above these defaults, and a text cannot raise them. */
export const maxDrawn = { arrows: 500, characters: 50_000 };

/** The text ends with a line break. */
export function renderGraph(arrows: readonly Arrow[]): string {
  const names = [...new Set(arrows.flatMap(({ source, target }) => [source, target]))].sort();
  const ids = new Map(names.map((name, index) => [name, `w${index + 1}`]));
  const nodes = names.map((name) => `  ${ids.get(name)}["${escaped(name)}"]`);
  const lines = arrows.map(({ source, target }) => `  ${ids.get(source)} --> ${ids.get(target)}`);
  return `${['graph LR', ...nodes, ...lines.sort()].join('\n')}\n`;
}

/** Escapes quotes, brackets, backticks and `#`, which have a meaning in Mermaid. */
function escaped(name: string): string {
  return name.replace(/[^\p{L}\p{N} ._/-]/gu, (character) => `#${character.codePointAt(0)};`);
}
