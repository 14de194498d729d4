/** What must be true after a fault and another apply, in a form that two runs can be compared by. */
import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import type { ApplyWorld } from '../support/apply-world';

/** Everything in the service and the ledger, ids of our own making replaced by what they stand for. */
export function truthOf(world: ApplyWorld, seeded: ReadonlySet<string>): readonly string[] {
  const { oauthClients, runTriggers } = world.service.snapshot();
  const names = new Map<string, string>();
  for (const one of oauthClients) {
    if (!seeded.has(one.id)) names.set(one.id, `<${one.name} at ${one.httpUrl}>`);
  }
  for (const one of runTriggers) {
    if (!seeded.has(one.id)) names.set(one.id, `<${one.workspaceId} from ${one.sourceableId}>`);
  }
  const lines = [
    ...oauthClients.map(({ createdAt: _, callbackId: __, oauthTokens, projectIds, ...one }) => ({
      ...one,
      projectIds: [...projectIds].sort(),
      tokens: oauthTokens.map((token) => token.digest),
    })),
    ...runTriggers.map(({ createdAt: _, ...one }) => one),
    ...Object.entries(world.ledger.objects).map(([key, { replaced: _, digests, ...object }]) => ({
      key,
      object,
      secrets: Object.entries(digests).map(([field, digest]) => [field, sourceOf(digest, world.env)]),
    })),
    ...Object.entries(world.ledger.pending).map(([key, pending]) => ({ key, pending })),
  ];
  return lines.map((line) => withNames(line, names)).sort();
}

/** The variable whose value has that digest: two of one value differ in their salts. */
function sourceOf(digest: string, env: Readonly<Record<string, string>>): string | undefined {
  const [, N, r, p, salt = '', hash] = digest.split(':');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const isOf = (value = '') =>
    scryptSync(value, Buffer.from(salt, 'base64url'), 32, cost).toString('base64url') === hash;
  return Object.keys(env).find((name) => isOf(env[name]));
}

/** Throws unless the ledger says exactly what is there, for each object of ours. */
export function assertLedgerTrue(world: ApplyWorld): void {
  const { oauthClients, runTriggers } = world.service.snapshot();
  for (const [key, object] of Object.entries(world.objects())) {
    if (object.kind === 'OAuthClient') {
      const there = oauthClients.find((one) => one.id === object.id);
      assert.ok(there, `${key} is ${object.id} in the ledger, and nothing in the service`);
      assert.equal(there.name, object.values.name, `${key} has its name`);
    }
    if (object.kind === 'RunTrigger') {
      assert.ok(
        runTriggers.some((one) => one.id === object.id),
        `${key} is ${object.id} in the ledger, and nothing in the service`,
      );
    }
    if (object.kind === 'ProjectAttachment') {
      const [client, project] = object.id.split('/');
      const there = oauthClients.find((one) => one.id === client);
      assert.ok(there?.projectIds.includes(project ?? ''), `${key} is attached`);
    }
  }
  const left = oauthClients.filter((one) => one.name?.startsWith('tether-pending-'));
  assert.deepEqual(left, [], 'nothing is left under a temporary name');
}

/** One text for equal things, whatever the order of their members. */
function withNames(value: unknown, names: ReadonlyMap<string, string>): string {
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [two]) => (one < two ? -1 : 1)))
      : inner,
  );
  return [...names].reduce((rest, [id, name]) => rest.replaceAll(id, name), text);
}
