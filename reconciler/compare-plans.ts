/** What differs between two plans of the same manifests, as sentences for people. Pure. */
import { type FieldValue, type FieldValues, sameValue } from '../resources/values';
import type { OrganizationPlan, Plan, PlannedChange, Step } from './plan/plan';

/** One sentence for each difference that matters to who agreed to `before`; empty when doing `after` is doing `before`. */
export function comparePlans(before: Plan, after: Plan): string[] {
  const names = new Set([...before.organizations, ...after.organizations].map((one) => one.organization));
  const several = names.size > 1;
  return [...names].flatMap((name) => {
    const differences = compareOrganizations(planOf(before, name), planOf(after, name));
    return several ? differences.map((text) => `${name}: ${text}`) : differences;
  });
}

function planOf(plan: Plan, organization: string): OrganizationPlan | undefined {
  return plan.organizations.find((one) => one.organization === organization);
}

function compareOrganizations(
  before: OrganizationPlan | undefined,
  after: OrganizationPlan | undefined,
): string[] {
  if (before === undefined) return ['the manifests of this organization are new'];
  if (after === undefined) return ['this organization is not planned any more'];
  const now = new Map(after.steps.map((step) => [step.id, step]));
  const then = new Map(before.steps.map((step) => [step.id, step]));
  return [
    ...(before.profileName === after.profileName
      ? []
      : [`the profile was ${before.profileName} and is ${after.profileName}`]),
    ...before.steps.flatMap((step) => compareSteps(step, now.get(step.id))),
    ...after.steps
      .filter((step) => !then.has(step.id))
      .map((step) => `"${step.id}" is planned now: ${step.because}`),
    ...added(before.undetermined, after.undetermined, (one) => `${one.address} cannot be seen: ${one.why}`),
    ...added(before.problems, after.problems, (one) => `${one.address} has a problem: ${one.message}`),
    ...added(before.stops, after.stops, (one) => one.message),
  ];
}

function added<Item>(
  before: readonly Item[],
  after: readonly Item[],
  tell: (item: Item) => string,
): string[] {
  const known = new Set(before.map(tell));
  return after.map(tell).filter((text) => !known.has(text));
}

function compareSteps(before: Step, after: Step | undefined): string[] {
  if (after === undefined) return [`"${before.id}" is not planned any more`];
  const observed = compareValues(before.observed ?? {}, after.observed ?? {}).map(
    ({ field, from, to }) => `${before.address}: ${field} was ${show(from)} and is ${show(to)}`,
  );
  if (observed.length > 0) return observed;
  const members = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Step>;
  const differing = [...members].filter((member) => canonical(before, member) !== canonical(after, member));
  return differing.length === 0
    ? []
    : [`"${before.id}" is planned differently now (${differing.sort().join(', ')})`];
}

/** Values with an order of their own lose it; a secret that is written anyway needs no value to be planned. */
function canonical(step: Step, member: keyof Step): string {
  const writes = step.action === 'create' || step.action === 'replace';
  const value =
    member === 'changes' && writes ? step.changes.map((change) => withoutSecretState(change)) : step[member];
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (Array.isArray(inner) && inner.every((one) => typeof one === 'string')) return [...inner].sort();
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [two]) => (one < two ? -1 : 1)));
  });
}

function withoutSecretState(change: PlannedChange): unknown {
  const { secret, ...rest } = change;
  return secret === undefined ? rest : { ...rest, secret: 'written' };
}

function compareValues(
  before: FieldValues,
  after: FieldValues,
): readonly { field: string; from: FieldValue | undefined; to: FieldValue | undefined }[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !sameValue(before[field], after[field]))
    .map((field) => ({ field, from: before[field], to: after[field] }));
}

function show(value: FieldValue | undefined): string {
  const text = value === undefined ? 'not there' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
