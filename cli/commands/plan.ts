/** `tether plan` and `tether drift`, which change nothing. */
import { hang } from '../../client/wrap';
import { driftOf } from '../../reconciler/drift';
import { renderDrift, renderDriftNext, renderExisting } from '../../reconciler/render/drift';
import { commentOptions, driftComment, planComment } from '../../reconciler/render/markdown';
import { nextOfPlan, renderPlan } from '../../reconciler/render/plan';
import type { RenderOptions } from '../../reconciler/render/text';
import { existingOf, surveyAll } from '../../reconciler/survey';
import type { Call } from '../call';
import type { Documents } from '../documents';
import { isIncomplete, planDocument, readSession } from '../session';

/** 0 also where there are changes, or 2 with `--detailed-exitcode`; 1 something is unknown or wrong. */
export async function plan(call: Call): Promise<number> {
  return readSession(call, async (session) => {
    const planned = await session.plan();
    const changed = planned.plan.steps.length > 0;
    const { manifests } = session;
    // An apply first would adopt what is left, and `export` would not find the rest by its name any more.
    const next = planned.isLedgerMissing
      ? `Next: restore the ledger, or rebuild it with tether export; then ${call.again('plan')}`
      : nextOfPlan(planned.plan, (command) => call.again(command));
    const last = [`Digest: ${planned.digest}`, ...(next === '' ? [] : hang('', next, call.render.width))];
    call.print(`${renderPlan(planned.plan, { ...call.render, manifests })}${last.join('\n')}\n`);
    const exitCode = isIncomplete(planned.plan) ? 1 : changed && call.flags.detailedExitcode ? 2 : 0;
    return call.end(exitCode, planDocument(planned), (run) =>
      planComment(planned.plan, planned.digest, { ...run, manifests }),
    );
  });
}

/** 0 no drift, 2 drift, 1 something is unknown or wrong. */
export async function drift(call: Call): Promise<number> {
  return readSession(call, async ({ cache: newCache, plan: planWith }) => {
    const cache = newCache();
    const { inputs, plan: made } = await planWith({ cache });
    const { manifests, ledger } = inputs;
    const report = driftOf(inputs, made);
    const reading = () => surveyAll(cache, manifests, ledger);
    const survey = await call.read('Reading what is unmanaged', reading);
    const existing = existingOf(survey, ledger);
    const nextFor = (options: RenderOptions) =>
      renderExisting(existing, options) +
      renderDriftNext(report, { ...options, manifests }, (command) => call.again(command));
    call.print(renderDrift(report, { ...call.render, manifests }) + nextFor(call.render));
    const code = isIncomplete(report) ? 1 : report.items.length > 0 ? 2 : 0;
    const document = { drift: { ...report, existing } } satisfies Documents['drift'];
    return call.end(code, document, (run) =>
      driftComment(report, nextFor(commentOptions), { ...run, manifests }),
    );
  });
}
