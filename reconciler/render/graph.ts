/** The run triggers of manifests as a graph in Mermaid's language. */
import type { DesiredEntry } from '../../manifest/desired';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';

export interface Trigger {
  readonly source: string;
  readonly target: string;
}

/** Each arrow once, by the names in the addresses. */
export function triggersOf(entries: readonly DesiredEntry[]): readonly Trigger[] {
  return entries.flatMap(({ kind, address }) => {
    const { edge, pair } = definitionOf(kind, registry);
    if (edge === undefined) return [];
    const [, ...ends] = address.split('/');
    return { source: ends[pair.indexOf(edge.from)] ?? '', target: ends[pair.indexOf(edge.to)] ?? '' };
  });
}

/** Ends with a line break. */
export function renderGraph(triggers: readonly Trigger[]): string {
  const names = [...new Set(triggers.flatMap(({ source, target }) => [source, target]))].sort();
  const ids = new Map(names.map((name, index) => [name, `w${index + 1}`]));
  const arrows = triggers.map(({ source, target }) => `  ${ids.get(source)} --> ${ids.get(target)}`);
  const nodes = names.map((name) => `  ${ids.get(name)}["${escaped(name)}"]`);
  return `${['graph LR', ...nodes, ...arrows.sort()].join('\n')}\n`;
}

/** Mermaid gives meaning to quotes, brackets, backticks and `#`. */
function escaped(name: string): string {
  return name.replace(/[^\p{L}\p{N} ._/-]/gu, (character) => `#${character.codePointAt(0)};`);
}
