/** One run of the suite: a dry look, the life, the probe, and the removal of everything it made. */
import { type Pause, removeOwn } from './cleanup';
import { StepFailed, type Tether } from './command-folder';
import { type LifeStep, life, type StepAnswer } from './life';
import { LifeStage } from './life-stage';
import { findPlaces } from './places';
import { type ProbeName, probe } from './probe';
import { type ProbeAnswer, ProbeStage } from './probe-stage';
import { pulumiLife } from './pulumi-life';
import { Requests, Unanswered } from './requests';
import { Scope } from './scope';
import { Refused, type Settings } from './settings';
import { see } from './sight';
import { renderTable } from './table';

export interface SuiteOptions {
  readonly settings: Settings;
  readonly tether: Tether;
  /** When it aborts, the suite removes what it made and ends. */
  readonly signal: AbortSignal;
  /** Takes the progress, a line at a time. */
  readonly print: (line: string) => void;
  readonly steps?: readonly LifeStep[];
  /** The life by the Pulumi classes needs the engine. It is left out unless this is true. */
  readonly hasEngine?: boolean;
  /** The default waits. */
  readonly pause?: Pause;
}

interface NamedStep<Subject> {
  readonly name: string;
  readonly run: (subject: Subject) => Promise<StepAnswer>;
}

export interface SuiteResult {
  readonly exitCode: number;
  /** Undefined if the suite refused to begin or was stopped. */
  readonly table?: string;
}

/** Throws `Refused` if the suite must not begin. Nothing was made then. */
export async function runSuite(options: SuiteOptions): Promise<SuiteResult> {
  const { settings, signal, print, steps = life, hasEngine = false } = options;
  const { vcs } = settings;
  if (vcs === undefined) {
    throw new Refused([
      'Set TETHER_ACCEPTANCE_VCS to PROVIDER,HTTP_URL,API_URL and TETHER_ACCEPTANCE_VCS_TOKEN to a token of it.',
    ]);
  }
  const requests = new Requests(settings, signal);
  const places = await findPlaces(requests, settings);
  const scope = new Scope(places);
  const sight = await see(requests, settings, places);
  const reasons = [...sight.missingRights, ...scope.reasonsToRefuse(sight)];
  if (reasons.length > 0) throw new Refused(reasons);
  const lifeAnswers = new Map<string, StepAnswer | 'fails'>();
  const probeAnswers = new Map<ProbeName, ProbeAnswer | undefined>();
  let isHalted = false;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // After a refusal, and after a bug of the suite itself, nothing else is tried.
      const isExpected = error instanceof StepFailed || error instanceof Unanswered;
      isHalted ||= signal.aborted || !isExpected;
      if (!signal.aborted) print(error instanceof Error ? error.message : String(error));
    }
  };
  /** Has no signal, because it must end its work. */
  const removing = new Requests(settings);
  let left = 0;
  const removeAll = (isLast: boolean) =>
    attempt(async () => {
      left = Number.POSITIVE_INFINITY;
      left = await removeOwn(removing, settings, places, scope, { isLast, pause: options.pause });
    });
  const runSteps = async <Subject>(all: readonly NamedStep<Subject>[], subject: Subject): Promise<void> => {
    for (const { name, run } of all) {
      signal.throwIfAborted();
      lifeAnswers.set(name, 'fails');
      const answer = await run(subject);
      lifeAnswers.set(name, answer);
      print(`life: ${name}: ${answer}`);
    }
  };
  /** Runs the work on a new stage, and removes what it made. */
  const withStage = async (work: (stage: LifeStage) => Promise<void>): Promise<void> => {
    if (isHalted || left > 0) return;
    const stage = new LifeStage({ ...options, vcs, places, scope, requests });
    await attempt(() => work(stage));
    stage.folder.remove();
    await removeAll(false);
  };
  await withStage((stage) => runSteps(steps, stage));
  if (hasEngine) {
    await withStage(async (stage) => {
      // The SDK takes long to load, and needs not be there.
      const { PulumiStack } = await import('./pulumi-stack.js');
      await runSteps(pulumiLife, await PulumiStack.open(stage));
    });
  }
  if (!isHalted && left === 0) {
    await attempt(async () => {
      const probing = new ProbeStage({ settings, vcs, places, scope, requests });
      for (const name of Object.keys(probe) as ProbeName[]) {
        signal.throwIfAborted();
        const observed = await probe[name].observe(probing).catch((error: unknown) => {
          signal.throwIfAborted();
          if (error instanceof Refused) throw error;
          print(`probe: ${name}: ${error instanceof Error ? error.message : String(error)}`);
          return undefined;
        });
        probeAnswers.set(name, observed);
        print(`probe: ${name}: ${observed?.answer ?? 'not observed'}`);
      }
    });
  }
  print('Looking for what this run made, also for what the lists show late.');
  await removeAll(true);
  if (left > 0) print('Objects of this run are still there: in an hour, run make acceptance-clean.');
  if (signal.aborted) return { exitCode: 130 };
  const expected = [...steps, ...(hasEngine ? pulumiLife : [])];
  const failed = expected.some(({ name }) => (lifeAnswers.get(name) ?? 'fails') === 'fails');
  const exitCode = failed || isHalted || left > 0 || probeAnswers.size === 0 ? 1 : 0;
  const names = [...steps, ...pulumiLife].map(({ name }) => name);
  const table = renderTable(settings, names, { life: lifeAnswers, probe: probeAnswers });
  const isWhole = probeAnswers.size === Object.keys(probe).length;
  return {
    exitCode,
    table: isWhole ? table : `${table}\n**Incomplete: the run ended before its probe did.**\n`,
  };
}
