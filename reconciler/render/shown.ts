/** What `show` prints: every readable field and output of each object. */

import { plain } from '../../client/text';
import type { FieldValues } from '../../resources/kind';
import { type Colours, coloursFor, fieldName, prose, type RenderOptions, showValue } from './text';

/** One object that was asked for; `why` says what is known where it could not be seen. */
export type Shown = { readonly address: string; readonly kind: string } & (
  | {
      readonly state: 'present';
      readonly id: string;
      readonly values: FieldValues;
      readonly outputs: FieldValues;
    }
  | { readonly state: 'missing' | 'unknown'; readonly why: string }
);

/** One block per object, ending with a line break. */
export function renderShown(shown: readonly Shown[], options: RenderOptions): string {
  if (shown.length === 0) return 'Nothing is known here: neither manifests nor ledger name an object.\n';
  const paint = coloursFor(options);
  return `${shown.map((one) => block(one, options, paint)).join('\n\n')}\n`;
}

function block(one: Shown, options: RenderOptions, paint: Colours): string {
  const title = paint.bold(plain(one.address));
  if (one.state !== 'present') {
    return `${title} ${paint.yellow(one.state)}\n    ${prose(one.why, '    ', options)}`;
  }
  const rows = Object.entries({ ...one.values, ...one.outputs }).map(
    ([name, value]) => [fieldName(one.kind, name), value] as const,
  );
  const column = Math.max(2, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `    ${name.padEnd(column)}  ${showValue(value)}`);
  return [title, `    ${'id'.padEnd(column)}  ${plain(one.id)}`, ...lines].join('\n');
}
