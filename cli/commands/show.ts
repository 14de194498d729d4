/** `tether show`: prints the existing objects of addresses. */
import { findObservation, type Observed } from '../../observation/evidence';
import { observe } from '../../observation/observe';
import { Facts, unobserved } from '../../reconciler/plan/facts';
import { type ShownObject, showReport } from '../../reconciler/render/show';
import { chooseTargets, findTargets, type Target } from '../../reconciler/targets';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import { UserError } from '../errors';
import { openFolders } from '../open-folders';
import type { Outcome } from '../outcome';
import { runFolders } from '../run-folders';

/** The first argument is a folder unless it is an address. */
export async function show(call: Call): Promise<Outcome> {
  const [first = '.', ...rest] = call.args;
  const isAddress = registry.some(({ kind }) => first.startsWith(`${kind}/`));
  const [path, addresses] = isAddress ? ['.', call.args] : [first, rest];
  return runFolders(call, await openFolders(call, [path]), async (folder) => {
    const { api, ledger, place, naming } = folder;
    const targets = findTargets(new Facts({ ...folder, observed: unobserved }));
    const { chosen, unknown } = chooseTargets(targets, addresses);
    if (unknown.length > 0) throw new UserError(unknown.join('\n'));
    const expected = chosen.flatMap((target) => target.expected ?? []);
    const observed = await call.untilInterrupted('Reading', () => observe(api, { expected, forced: [] }));
    const objects = chosen.map((target) => toShownObject(target, observed));
    const report = showReport({ ...ledger, address: api.address }, place, objects, naming);
    return {
      outcome: objects.every(({ state }) => state === 'present') ? 'done' : 'incomplete',
      summary: report.summary,
      document: { objects },
      report,
    };
  });
}

function toShownObject({ address, kind, expected }: Target, observed: Observed): ShownObject {
  const about = { address, kind };
  if (expected === null) return { ...about, state: 'unknown', why: 'its id is not known, see `tether plan`' };
  const observation = findObservation(observed, expected);
  if (observation.state === 'present') return { ...about, state: 'present', ...observation.found };
  const why = observation.state === 'missing' ? 'not found' : observation.why;
  return { ...about, state: observation.state, why };
}
