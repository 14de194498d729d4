/** What the client tells while it works, as lines on stderr. */
import type { ClientEvent } from '../client/options';
import { counted, plain } from '../reconciler/render/text';
import type { Voice } from './voice';

/** Calls in flight share a cause: it is said once in this many milliseconds, with how many there were meanwhile. */
const quietMs = 5_000;

/** Waits and retries are said always, one line for many; requests, and each retry, with `-v`. */
export function clientEvents(voice: Voice, now: () => number): (event: ClientEvent) => void {
  const causes = new Map<string, { until: number; unsaid: number }>();
  return (event) => {
    const call = plain(`${event.method} ${event.route}`);
    if (event.type === 'request') {
      voice.log('info', `${call} ${event.status ?? 'no answer'} ${Math.round(event.ms)} ms`);
      return;
    }
    const cause = causes.get(event.reason) ?? { until: 0, unsaid: 0 };
    causes.set(event.reason, cause);
    if (now() < cause.until && !voice.admits('info')) {
      cause.unsaid += 1;
      return;
    }
    const seconds = (event.delayMs / 1000).toFixed(1);
    const what = event.type === 'wait' ? 'waiting' : 'trying again in';
    const more = cause.unsaid === 0 ? '' : ` (and ${counted(cause.unsaid, 'more time')})`;
    voice.log('warn', `${call}: ${plain(event.reason)}; ${what} ${seconds} s${more}`);
    causes.set(event.reason, { until: now() + quietMs, unsaid: 0 });
  };
}
