/** Why an apply does not start: every reason at once, each with what lifts it. */
import type { Plan } from '../plan/plan';
import { coloursFor, plain, prose, type RenderOptions } from './text';

/** All stops as text; empty when there is none. */
export function renderStops({ stops }: Plan, options: RenderOptions): string {
  if (stops.length === 0) return '';
  const paint = coloursFor(options);
  const lines = stops.map(({ address, message }) => {
    const subject = address === undefined ? '' : `${paint.bold(plain(address))}  `;
    return `  ${paint.red('✖')} ${subject}${prose(message, '    ', options)}`;
  });
  return `${[paint.red('Stopped before the first write; nothing was changed:'), ...lines].join('\n')}\n`;
}
