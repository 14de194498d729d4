/** Writes the run triggers of manifests as a Mermaid graph. */
import { type DesiredEntry, nameInAddress } from '../../manifest/desired';
import { definitionOf } from '../../resources/registry';

export interface Arrow {
  readonly source: string;
  readonly target: string;
}

/** Returns the triggers as arrows between the names in their addresses. */
export function arrowsOf(entries: readonly DesiredEntry[]): readonly Arrow[] {
  return entries.flatMap(({ kind, address }) => {
    const { edge, pair } = definitionOf(kind);
    if (edge === undefined) return [];
    const ends = nameInAddress(address).split('/');
    return { source: ends[pair.indexOf(edge.from)] ?? '', target: ends[pair.indexOf(edge.to)] ?? '' };
  });
}

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
