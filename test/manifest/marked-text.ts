/** Texts of manifests in tests: their head, and marks where an issue is expected. */

/** With the aliases of most manifests that are only parsed. */
export const head = `apiVersion: tether/v1
organization: acme
aliases:
  workspaces: { app: ws-1, network: ws-2, dns: ws-3, web: ws-4 }
  projects: { payments: prj-1, shop: prj-2 }
  agentPools: { dmz: apool-1 }
`;

export interface MarkedText {
  readonly text: string;
  /** Where `¶` stood: the place of the issue. */
  readonly at: readonly string[];
  /** Where `§` stood: the other place that takes part. */
  readonly related: readonly string[];
}

/** Takes `¶` and `§` out of a text and says where they stood, as `line:column`. */
export function unmark(marked: string): MarkedText {
  const at: string[] = [];
  const related: string[] = [];
  let text = '';
  for (const character of marked) {
    if (character !== '¶' && character !== '§') {
      text += character;
      continue;
    }
    const lines = text.split('\n');
    const place = `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
    (character === '¶' ? at : related).push(place);
  }
  return { text, at, related };
}
