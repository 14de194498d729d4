/** Reduces a failure to the fewest actions that break the same promise, and shows them. */
import { type Action, applyEdit } from './actions';
import type { Broken } from './broken';
import { isRun } from './course';
import { desiredOf } from './desired';
import { emptyFolder, textOf } from './manifests';
import { organization } from './organization';
import { type Played, playAgain, type Recorded } from './play';

/** The limit on courses played while one is shortened. */
const mostTries = 150;

/** Removes the actions that the failure does not need. */
async function shrink(played: Played): Promise<Recorded & { readonly broken: Broken | undefined }> {
  let { conditions, actions } = played;
  let { broken } = played;
  let tries = 0;
  const fails = async (candidate: Recorded): Promise<boolean> => {
    tries += 1;
    if (tries > mostTries) return false;
    const found = await playAgain(candidate);
    if (found?.oracle !== played.broken?.oracle) return false;
    broken = found;
    return true;
  };
  for (const name of Object.keys(conditions.behaviours)) {
    const { [name]: _left, ...behaviours } = conditions.behaviours;
    const candidate = { conditions: { ...conditions, behaviours }, actions };
    if (await fails(candidate)) conditions = candidate.conditions;
  }
  for (let size = Math.max(1, actions.length >> 1); size >= 1; size = size === 1 ? 0 : size >> 1) {
    for (let at = 0; at < actions.length; ) {
      const shorter = [...actions.slice(0, at), ...actions.slice(at + size)];
      if (await fails({ conditions, actions: shorter })) actions = shorter;
      else at += size;
    }
  }
  return { conditions, actions, broken };
}

/** Shows the course for a person: its conditions, its events, and the manifest of each run. */
function show({ conditions, actions }: Recorded): string {
  let folder = emptyFolder(organization);
  let sound = structuredClone(folder);
  const lines = [`conditions: ${JSON.stringify(conditions)}`];
  actions.forEach((action, at) => {
    const { tags: _tags, ...plain } = action;
    if ('edit' in action) applyEdit(folder, action);
    else if (action.do === 'undo') folder = structuredClone(sound);
    else if (isRun(action)) {
      if (desiredOf(folder, conditions.profile).mistakes.length === 0) sound = structuredClone(folder);
      lines.push(textOf(folder, conditions.profile).trimEnd());
    }
    lines.push(`${at + 1}. ${JSON.stringify(plain)}`);
  });
  return lines.join('\n');
}

/** Returns everything that is needed to repeat a failure. */
export async function report(played: Played): Promise<string> {
  const small = await shrink(played);
  const replay: { conditions: Recorded['conditions']; actions: Action[] } = {
    conditions: small.conditions,
    actions: small.actions.map(({ tags: _tags, ...action }) => action as Action),
  };
  return [
    `seed ${played.seed}: ${small.broken?.message ?? played.broken?.message}`,
    show(small),
    `again: REPLAY='${JSON.stringify(replay)}' make soak`,
  ].join('\n');
}
