/** The result as one Markdown table of statuses, pointers and shapes, to paste into an issue. */
import { packageVersion } from '../../client/transport';
import type { LifeStep, StepAnswer } from './life';
import { notObservable, type ProbeName, probe } from './probe';
import type { ProbeAnswer } from './probe-stage';
import type { Settings } from './settings';

export interface Results {
  /** In the order of the steps. A step that did not run is absent. */
  readonly life: ReadonlyMap<LifeStep['name'], StepAnswer | 'fails'>;
  readonly probe: ReadonlyMap<ProbeName, ProbeAnswer | undefined>;
}

/** The texts are the suite's own, numbers, or words of the API: no id, no name and no text of the service. */
export function renderTable(settings: Settings, lifeNames: readonly string[], results: Results): string {
  const rows = [
    ...lifeNames.map((name) => {
      const answer = results.life.get(name) ?? 'not observed';
      return cells(`life: ${name}`, '', ['passes'], { answer });
    }),
    ...(Object.keys(probe) as ProbeName[]).map((name) => {
      const assumed = [probe[name].assumes(settings)].flat();
      return cells(name, probe[name].gap, assumed, results.probe.get(name) ?? { answer: 'not observed' });
    }),
    ...notObservable.map(({ gap, because }) => [gap, gap, '', 'not observed', because, '']),
  ];
  const head = [
    'Question',
    'Row of spec-gaps',
    `Assumed by ${profileLabel(settings)}, Tether ${packageVersion()}`,
    'Seen',
    'Detail',
    '',
  ];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

function cells(name: string, gap: string, assumed: readonly string[], { answer, detail = '' }: ProbeAnswer) {
  const differs = answer !== 'not observed' && !assumed.includes(answer);
  return [name, gap, assumed.join(' or '), answer, detail, differs ? '**differs**' : ''];
}

/** A profile of the user's own may have a name that tells something. */
function profileLabel({ profileName }: Settings): string {
  return ['default', 'hcp-terraform'].includes(profileName) ? profileName : 'a profile file';
}
