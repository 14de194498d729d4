/** A manifest edited at random and applied, while somebody else changes the organization: every promise is looked at each time. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { ApiError } from '../../client/errors';
import { parseManifest } from '../../manifest/read';
import { driftOf } from '../../reconciler/drift';
import { makePlan } from '../../reconciler/make-plan';
import type { Plan, Step } from '../../reconciler/plan/plan';
import { planDigest } from '../../reconciler/plan-digest';
import { renderPlan } from '../../reconciler/render/plan';
import type { SeedObject } from '../../service';
import { type ApplyWorld, createApi } from './apply-world';
import { agentPools, type Dice, projects, RandomOrganization, workspaces } from './random-organization';
import { soundManifest } from './sound-manifest';

/** What exists before: two clients and a trigger of other people. */
export const randomSeed: SeedObject = {
  organizations: {
    acme: {
      agentPools: Object.fromEntries(agentPools.map((id) => [id, {}])),
      projects: Object.fromEntries(projects.map((id) => [id, {}])),
      workspaces: Object.fromEntries(workspaces.map((id) => [id, {}])),
      oauthClients: Object.fromEntries(
        ['N1', 'N2'].map((name) => [
          `oc-${name}`,
          {
            name,
            serviceProvider: 'provider_a',
            httpUrl: 'https://h1.example.com',
            apiUrl: 'https://h1.example.com/api',
            projects: ['prj-2'],
          },
        ]),
      ),
      runTriggers: { 'rt-foreign': { workspace: 'ws-a', sourceable: 'ws-b' } },
    },
  },
  tokens: { owner: { acme: 'owner' }, other: { acme: 'owner' } },
};

const everythingAllowed = {
  maxDeletes: 1000,
  acceptMissing: 1000,
  approve: true,
} as const;

const writes = new Set(['create', 'update', 'replace', 'delete']);

export class RandomCourse {
  /** What happened so far, for whoever reads a failure. */
  readonly log: string[] = [];
  private readonly organization: RandomOrganization;
  private readonly other: Api;
  private settled = false;

  constructor(
    private readonly world: ApplyWorld,
    private readonly dice: Dice,
  ) {
    this.organization = new RandomOrganization(dice);
    this.other = createApi(world.service, 'other');
  }

  /** Somebody meddles, the manifest is edited, a weaker token looks at it, and it is applied. */
  async round(edits: number): Promise<void> {
    this.write();
    const changes = await this.meddle();
    if (this.settled) await this.expectDriftToFit(changes);
    for (let count = 0; count < edits; count += 1) this.edit();
    if (this.dice.chance(0.2)) {
      this.world.env.GIT_TOKEN = `canary-token-${this.dice.below(1000)}`;
      this.log.push('another token');
    }
    await this.expectLessOfAWeakToken();
    await this.apply();
  }

  private write(): void {
    this.world.manifest = this.organization.text();
  }

  private edit(): void {
    const undo = this.organization.save();
    const own = Object.entries(this.world.objects());
    const held = new Set(own.flatMap(([, { id, replaces }]) => [id, replaces]));
    const said = this.organization.edit({
      foreign: this.world.service.snapshot().oauthClients.flatMap(({ id }) => (held.has(id) ? [] : id)),
      own: own.flatMap(([, { kind, id }]) => (kind === 'OAuthClient' ? id : [])),
    });
    const { issues } = parseManifest(this.organization.text(), 'acme.tether.yaml');
    if (issues.some((one) => one.severity === 'error')) undo();
    else this.log.push(`edit: ${said}`);
    this.write();
  }

  /** Changes up to two things behind our back, and says how many. */
  private async meddle(): Promise<number> {
    const { oauthClients, runTriggers } = this.world.service.snapshot();
    const { oauthClients: clients, runTriggers: triggers } = this.other;
    let done = 0;
    for (let count = this.dice.below(3); count > 0; count -= 1) {
      const client = this.dice.pick(oauthClients)?.id ?? '';
      const trigger = this.dice.pick(runTriggers);
      const project = this.dice.pick(projects) ?? '';
      const [target = '', source = ''] = this.dice.some(workspaces, 0.7);
      const deeds: readonly [string, () => Promise<unknown>][] = [
        [`rename ${client}`, () => clients.update(client, { name: 'theirs' })],
        [`narrow ${client}`, () => clients.update(client, { organizationScoped: false })],
        [`attach ${client} ${project}`, () => clients.attach(client, [project])],
        [`detach ${client} ${project}`, () => clients.detach(client, [project])],
        [`destroy ${client}`, () => clients.delete(client)],
        [`trigger ${target} ${source}`, () => triggers.create(target, source)],
        [`delete ${trigger?.id}`, () => triggers.delete(trigger?.id ?? '')],
      ];
      const [what, perform] = this.dice.pick(deeds) ?? ['nothing', async () => {}];
      try {
        await perform();
        this.log.push(`somebody: ${what}`);
        done += 1;
      } catch (error) {
        // What is not there, or there already, cannot be meddled with.
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return done;
  }

  private async expectDriftToFit(changes: number): Promise<void> {
    const { plan, inputs } = await this.world.plan();
    const report = driftOf(inputs, plan);
    const repairs = stepsOf(plan).filter(({ action }) => writes.has(action));
    const said = JSON.stringify(report);
    if (changes === 0) assert.equal(report.items.length, 0, `nobody changed anything: ${said}`);
    if (repairs.length > 0) assert.notEqual(report.items.length, 0, `no drift, but ${idsOf(repairs)}`);
  }

  /** A token that sees less plans nothing that the whole view does not contain. */
  private async expectLessOfAWeakToken(): Promise<void> {
    const { world, dice } = this;
    const readable = dice.some(workspaces).map((id) => [id, 'admin'] as const);
    const grant = { manageVcsSettings: dice.chance(0.5), workspaces: Object.fromEntries(readable) };
    const token = `weak-${dice.below(1e9)}`;
    world.service.patchSeed({ tokens: { [token]: { acme: grant } } });
    const whole = stepsOf((await world.plan()).plan);
    const known = new Set(whole.flatMap((step) => [step.id, `${step.action} ${step.objectId}`]));
    try {
      const { plan } = await makePlan({
        api: createApi(world.service, token),
        manifests: soundManifest(world.manifest),
        ledger: world.ledger,
        env: world.env,
      });
      const more = stepsOf(plan).filter(
        (step) => !known.has(step.id) && !known.has(`${step.action} ${step.objectId}`),
      );
      assert.deepEqual(idsOf(more), [], 'planned with a weak token only');
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'OrganizationNotVisible') throw error;
    }
  }

  private async apply(): Promise<void> {
    const { world } = this;
    const { plan } = await world.plan(everythingAllowed);
    this.log.push(renderPlan(plan, { color: false, width: null }));
    this.expectSound(plan);
    const again = await world.plan(everythingAllowed);
    const [digest, once] = [again, { ...again, plan }].map((made) =>
      planDigest({ manifests: made.inputs.manifests, plan: made.plan, address: world.service.url }),
    );
    assert.equal(digest, once, 'planned twice');
    const before = this.objects();
    const { steps } = await world.applyPlan(plan);
    assert.deepEqual(
      steps.flatMap(({ status, step, message }) =>
        status === 'done' ? [] : `${step} ${status}: ${message}`,
      ),
      [],
    );
    this.expectNothingElseChanged(plan, before);
    this.refuseCanaries('the ledger', world.ledger);
    const { problems = [], warnings = [] } = plan;
    this.settled = problems.length === 0;
    // An id that was replaced twice is known to nobody, so a link that is written by id may end there.
    if (!warnings.some(({ rule }) => rule === 'link-by-id')) await this.expectNothingLeft();
    if (this.settled) this.expectWishesToBeTrue();
    for (const { address } of problems) this.giveUp(address);
    if (this.dice.chance(0.3)) this.organization.tidy();
  }

  /** A person who is told of a problem takes the entry out. */
  private giveUp(address: string): void {
    const [kind, name = ''] = address.split('/');
    if (kind === 'OAuthClient') this.organization.drop(name);
    else this.organization.attachments = [];
  }

  private expectSound(plan: Plan): void {
    const steps = stepsOf(plan);
    assert.equal(new Set(idsOf(steps)).size, steps.length, 'every step has a name of its own');
    for (const [index, { id, needs }] of steps.entries()) {
      const earlier = new Set(idsOf(steps.slice(0, index)));
      assert.deepEqual(
        needs.filter((need) => !earlier.has(need)),
        [],
        `${id} comes after what it needs`,
      );
    }
    const made = steps.flatMap(({ action, key }) => (action === 'create' || action === 'adopt' ? key : []));
    assert.equal(new Set(made).size, made.length, 'nothing is made twice');
    this.refuseCanaries('the plan', plan);
  }

  private refuseCanaries(what: string, value: unknown): void {
    for (const canary of Object.values(this.world.env)) {
      assert.ok(!JSON.stringify(value).includes(canary), `${what} holds a secret`);
    }
  }

  /** By id: what each object is; an attachment is one of its own. */
  private objects(): ReadonlyMap<string, string> {
    const { oauthClients, runTriggers } = this.world.service.snapshot();
    return new Map([
      ...oauthClients.map(({ projectIds: _, ...one }) => [one.id, JSON.stringify(one)] as const),
      ...oauthClients.flatMap(({ id, projectIds }) =>
        projectIds.map((one) => [`${id}/${one}`, 'attached'] as const),
      ),
      ...runTriggers.map((one) => [one.id, JSON.stringify(one)] as const),
    ]);
  }

  private expectNothingElseChanged(plan: Plan, before: ReadonlyMap<string, string>): void {
    const after = this.objects();
    const named = new Set(stepsOf(plan).flatMap(({ objectId }) => objectId ?? []));
    const isNamed = (id: string): boolean => named.has(id) || named.has(id.split('/')[0] ?? '');
    for (const [id, was] of before) {
      if (!isNamed(id)) assert.equal(after.get(id), was, `${id}, which no step names`);
    }
    const fresh = [...after.keys()].filter((id) => !before.has(id) && !id.includes('/'));
    const creates = stepsOf(plan).filter(({ action }) => action === 'create' || action === 'replace');
    assert.ok(fresh.length <= creates.length, `${fresh.join(', ')} are more than was planned`);
  }

  private async expectNothingLeft(): Promise<void> {
    const { plan } = await this.world.plan(everythingAllowed);
    assert.deepEqual(idsOf(stepsOf(plan)), [], 'planning again finds nothing');
    assert.deepEqual(plan.baselineRefresh, [], 'the ledger is up to date');
    assert.deepEqual(this.world.ledger.pending, {}, 'no create is unfinished');
  }

  private expectWishesToBeTrue(): void {
    const there = this.objects();
    for (const [key, { id }] of Object.entries(this.world.objects())) {
      assert.ok(there.has(id), `the ledger says that ${key} is ${id}`);
    }
    const { oauthClients, runTriggers } = this.world.service.snapshot();
    for (const [name, wanted] of Object.entries(this.organization.clients)) {
      const id = this.world.objects()[`OAuthClient/${name}`]?.id;
      const { agentPoolId, projectIds, ...rest } =
        oauthClients.find((one) => one.id === id) ?? assert.fail(name);
      const is = new Map<string, unknown>(
        Object.entries({ ...rest, agentPool: agentPoolId, projects: [...projectIds].sort() }),
      );
      for (const [field, value] of Object.entries(wanted)) {
        const isReadable = is.has(field) && field !== 'id';
        if (isReadable) assert.deepEqual(is.get(field), value, `${field} of ${name}`);
      }
    }
    for (const { form, fixed, others } of this.organization.triggers) {
      const [own, other] = form === 'targets' ? swapped : straight;
      const found = runTriggers.filter((one) => one[own] === fixed).map((one) => one[other]);
      if (form === 'single') assert.ok(found.includes(others[0] ?? ''), `the trigger of ${fixed}`);
      else assert.deepEqual(found.sort(), [...others].sort(), `exactly the ${form} of ${fixed}`);
    }
  }
}

const straight = ['workspaceId', 'sourceableId'] as const;
const swapped = ['sourceableId', 'workspaceId'] as const;

function stepsOf(plan: Plan): readonly Step[] {
  return plan.steps;
}

function idsOf(steps: readonly Step[]): string[] {
  return steps.map(({ id }) => id);
}
