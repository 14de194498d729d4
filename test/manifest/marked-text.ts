/** Texts of manifests in tests that carry marks where an issue is expected. */

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
