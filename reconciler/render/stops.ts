/** Why an apply does not start: every reason at once, each with what lifts it. */
import type { Plan, Stop } from '../plan/plan';
import { coloursFor, plain, prose, type RenderOptions } from './text';

/** Every stop of the plan with its organization. */
export function stopsOf(plan: Plan): readonly { readonly organization: string; readonly stop: Stop }[] {
  return plan.organizations.flatMap((one) =>
    one.stops.map((stop) => ({ organization: one.organization, stop })),
  );
}

/** All stops as text; empty when there is none. */
export function renderStops(plan: Plan, options: RenderOptions): string {
  const stops = stopsOf(plan);
  if (stops.length === 0) return '';
  const paint = coloursFor(options);
  const several = plan.organizations.length > 1;
  const lines = stops.map(({ organization, stop }) => {
    const prefix = several ? `${organization}:` : '';
    const subject = stop.address === undefined ? (several ? prefix : '') : prefix + stop.address;
    return `  ${paint.red('✖')} ${subject === '' ? '' : `${paint.bold(plain(subject))}  `}${prose(stop.message, '    ', options)}`;
  });
  return `${[paint.red('Stopped before the first write; nothing was changed:'), ...lines].join('\n')}\n`;
}
