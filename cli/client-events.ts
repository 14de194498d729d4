/** What the client tells while it works, as lines on stderr. */
import type { ClientEvent } from '../client/options';
import { plain } from '../reconciler/render/text';
import type { Voice } from './voice';

/** Waits and retries are said always, requests with `-v`. */
export function clientEvents(voice: Voice): (event: ClientEvent) => void {
  return (event) => {
    const call = plain(`${event.method} ${event.route}`);
    if (event.type === 'request') {
      voice.log('info', `${call} ${event.status ?? 'no answer'} ${Math.round(event.ms)} ms`);
      return;
    }
    const seconds = (event.delayMs / 1000).toFixed(1);
    const what = event.type === 'wait' ? 'waiting' : 'trying again in';
    voice.log('warn', `${call}: ${plain(event.reason)}; ${what} ${seconds} s`);
  };
}
