/** `tether show`: what exists for an address, as the service shows it; changes nothing. */

import type { ReadApi } from '../../client/api';
import { createReadOnlyClient } from '../../client/client';
import { foundAll, type Observed, observationOf } from '../../observation/evidence';
import { observe } from '../../observation/observe';
import { inspectLedger } from '../../reconciler/ledger/open';
import { renderShown, type Shown } from '../../reconciler/render/shown';
import { sameValue } from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import { connect } from '../connect';
import { interruptible, UserError } from '../errors';
import type { ShowFlags } from '../flags';
import { isNamed, type Subject, subjectsOf } from '../subjects';
import { folderOf, readWorkspace, soundManifests } from '../workspace';

/** 0 when all that was asked for is there, else 1. */
export async function show(call: Call<ShowFlags>): Promise<number> {
  const { flags, io, voice, args, command } = call;
  const asked = folderOf(args);
  if (registry.some(({ kind }) => asked.startsWith(`${kind}/`))) {
    throw new UserError(`${asked} is an address and no folder: write --only ${asked}`);
  }
  const { folder, read } = readWorkspace(asked, flags, io);
  const ledger = await inspectLedger(folder, {
    cwd: io.cwd,
    lockTimeout: flags.lockTimeout ?? 0,
    onNote: (note) => voice.log('warn', note),
    signal: io.signal,
  });
  // What exists can be shown from the ledger alone, also while the manifests are being edited.
  const manifests = ledger === null ? soundManifests(call, read) : read.manifests;
  const chosen = choose(subjectsOf(ledger, manifests), flags.only);
  const api = createReadOnlyClient(connect(call, manifests?.profile ?? null));
  const shown = await interruptible(look(api, chosen), io.signal);
  const exitCode = shown.every((one) => one.state === 'present') ? 0 : 1;
  voice.say(renderShown(shown, voice.render));
  voice.document({ command, exitCode, objects: shown });
  return exitCode;
}

/** What `--only` names, or everything; throws with all that is unknown at once. */
function choose(subjects: readonly Subject[], names: readonly string[]): readonly Subject[] {
  if (names.length === 0) return subjects;
  const known = subjects.map((one) => one.address);
  const unknown = names.filter((name) => !subjects.some((subject) => isNamed(subject, name)));
  if (unknown.length > 0)
    throw new UserError(
      unknown
        .map((name) => `neither the manifests nor the ledger know ${name}${suggestAddress(name, known)}`)
        .join('\n'),
    );
  return subjects.filter((subject) => names.some((name) => isNamed(subject, name)));
}

async function look(api: ReadApi, subjects: readonly Subject[]): Promise<readonly Shown[]> {
  const observed = await observe(api, { expected: subjects.map((one) => one.expectation), forced: [] });
  return subjects.map((subject) => shownOf(subject, observed));
}

function shownOf(subject: Subject, observed: Observed): Shown {
  const { address, expectation, like } = subject;
  const base = { address, kind: expectation.definition.kind };
  if (like !== undefined) {
    const all = foundAll(observed, expectation.definition, expectation.key);
    const alike = (all ?? []).filter((found) =>
      Object.entries(like).every(([field, value]) => sameValue(found.values[field], value)),
    );
    const [only] = alike;
    if (only !== undefined && alike.length === 1) return { ...base, state: 'present', ...only };
    if (alike.length > 1) {
      const ids = alike.map((found) => found.id).join(', ');
      return { ...base, state: 'unknown', why: `several look like it: ${ids}` };
    }
    if (all !== null) return { ...base, state: 'missing', why: 'nothing like it is there' };
  }
  const observation = observationOf(observed, expectation);
  if (observation.state === 'present') return { ...base, state: 'present', ...observation.found };
  const why = observation.state === 'missing' ? 'it is not there' : observation.why;
  return { ...base, state: observation.state, why };
}
