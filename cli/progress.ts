/** Progress of an apply on stderr: one updating line on a terminal, plain lines elsewhere. */
import type { ApplyEvent } from '../reconciler/apply/apply';
import type { Plan } from '../reconciler/plan/plan';
import { coloursFor, plain } from '../reconciler/render/text';
import type { Io } from './io';
import type { Voice } from './voice';

export interface Progress {
  show(event: ApplyEvent): void;
  /** Removes the updating line, before something else is printed. */
  end(): void;
}

/** Counts towards the steps of the plan; silent with `-q`. */
export function progressOf(plan: Plan, voice: Voice, io: Io): Progress {
  if (!voice.admits('warn')) return { show: () => {}, end: () => {} };
  const total = plan.steps.length;
  const paint = coloursFor(voice.renderError);
  const terminal = io.stderr.isTTY === true && voice.renderError.width !== null && !voice.admits('info');
  const width = (voice.renderError.width ?? 80) - 1;
  let finished = 0;
  const line = (text: string): void => {
    voice.log('warn', terminal ? `\r\u001b[K${text}` : text);
  };
  return {
    show: (event) => {
      if (event.type === 'note') return line(plain(event.text));
      if (event.type === 'started') {
        const text = `[${finished}/${total}] ${plain(event.step)}`;
        if (terminal) io.stderr.write(voice.clean(`\r\u001b[K${text.slice(0, width)}`));
        return;
      }
      const { step, status, message } = event.result;
      finished += 1;
      const what = plain(step);
      if (status === 'done') {
        if (terminal)
          io.stderr.write(voice.clean(`\r\u001b[K${`[${finished}/${total}] ${what}`.slice(0, width)}`));
        else line(`[${finished}/${total}] ${what}`);
        return;
      }
      const why = message === undefined ? '' : `: ${plain(message.split('\n')[0] ?? '')}`;
      line(`[${finished}/${total}] ${paint.red(status.replace('-', ' '))} ${what}${why}`);
    },
    end: () => {
      if (terminal) io.stderr.write('\r\u001b[K');
    },
  };
}
