/** Makes a plan from manifests, ledger and observation, stage by stage. It uses no clock, no randomness and no I/O. */
import { plainValues } from '../../resources/diff';
import { sameValue } from '../../resources/kind';
import { summarizeLedger } from '../ledger/ledger';
import { bindClients } from './bind';
import { decideClients } from './decide-clients';
import { decideLinks } from './decide-links';
import { type ClientDecision, collectFindings, lookAhead } from './decisions';
import type { Facts } from './facts';
import { nameLines, noteIdleLines } from './forget-lines';
import { approvalBlockers, lossGuard, unusedApprovals } from './guards';
import { holdDecisions } from './hold';
import { orderSteps } from './order';
import { type Plan, readMember, type ToRecord } from './plan';
import { buildSteps } from './steps';

export function planChanges(observedFacts: Facts): Plan {
  const bindings = bindClients(observedFacts);
  const { facts } = bindings;
  const lines = nameLines(facts, bindings.clients);
  const clients = decideClients(facts, bindings.clients, lines);
  const outlook = lookAhead(clients, facts.clientAddresses);
  const { links, unreadable } = decideLinks(facts, outlook);
  const heldDecisions = holdDecisions(facts, { clients, links }, outlook, lines);
  // The outlook is from before the holds. `orderSteps` reads its owners alone, which no hold changes.
  const steps = orderSteps(
    facts,
    outlook,
    buildSteps(facts, bindings.rebindings, heldDecisions.clients, heldDecisions.links),
  );
  const findings = collectFindings(heldDecisions.clients, heldDecisions.links);
  const problems = [...bindings.problems, ...findings.problems];
  const unknown = [...bindings.unknown, ...findings.unknown, ...unreadable, ...heldDecisions.unknown];
  const guard = lossGuard(facts, steps, heldDecisions.clients);
  // An unmanaged trigger may have the address of the declared one, which is unchanged.
  const managed = steps.filter((step) => !readMember(step, 'unmanaged'));
  const touched = new Set([managed, problems, unknown].flat().map(({ address }) => address));
  const { ledger, manifests, place, observed } = facts.inputs;
  return {
    organization: facts.organization,
    address: observed.address,
    profileName: manifests.profileName,
    ledger: summarizeLedger(ledger, place),
    steps,
    problems,
    unknown: [...facts.unknownNames, ...unknown],
    blockers: [...approvalBlockers(facts, steps), ...guard.blockers],
    losses: guard.losses,
    notes: [
      ...bindings.notes,
      ...findings.notes,
      ...noteIdleLines(lines, steps, heldDecisions.holdingLines),
      ...guard.notes,
      ...unusedApprovals(facts, steps, [...problems, ...unknown]),
    ],
    unchanged: facts.entries.filter(({ address }) => !touched.has(address)).length,
    toRecord: heldDecisions.clients.flatMap(findToRecord),
  };
}

/**
 * Records the values of declared fields, and no others. Somebody else may have written one before a line declared it, and a line may have
 * gone.
 */
function findToRecord({ binding: { address, record }, fate }: ClientDecision): ToRecord | readonly [] {
  if (fate.action !== 'keep') return [];
  const { organization: _, ...values } = plainValues(fate.entry.inputs);
  const recordedValues = record?.values ?? {};
  const fields = Object.keys({ ...recordedValues, ...values });
  const isRecorded = fields.every((field) => sameValue(values[field], recordedValues[field]));
  return isRecorded ? [] : { address, objectId: fate.found.id, values };
}
