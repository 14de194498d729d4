/** A course while it is played: its folder, its site, the tool, and the memory of the driver. */
import { isDeepStrictEqual } from 'node:util';
import { type Action, applyEdit, type Deed, type Happening } from './actions';
import type { Chance } from './chance';
import { desiredOf, type Names } from './desired';
import type { MissingApproval } from './expect-limits';
import { makeTool } from './library-tool';
import { emptyFolder, type Folder, type SecretField } from './manifests';
import { organization } from './organization';
import { type Conditions, Site } from './site';
import { type Situation, sentSecret, settleTimeMs } from './situation';
import { type LedgerState, readLedger, type Tool } from './tool';

/** The decisions that the last round left to the user. */
export interface Open {
  readonly approvals: readonly MissingApproval[];
  readonly losses: boolean;
  readonly secrets: readonly string[];
  /** Rules by address. */
  readonly problems: readonly { readonly address?: string; readonly rule?: string }[];
}

export const nothingOpen: Open = { approvals: [], losses: false, secrets: [], problems: [] };

/** The inputs of the generator. */
export interface Scene {
  readonly chance: Chance;
  readonly folder: Folder;
  readonly course: Course;
  readonly ledger: LedgerState;
  /** A number that no other proposal of this course has had. */
  fresh(): number;
}

export class Course {
  /** Values of secrets, by variable. */
  readonly env: Record<string, string> = {};
  /** Copies of earlier ledgers. Undefined means that there was none. */
  readonly savedLedgers: (string | undefined)[] = [];
  folder: Folder = emptyFolder(organization);
  /** The last played manifest without a mistake. */
  sound: Folder = emptyFolder(organization);
  open: Open = nothingOpen;
  /** Called around each save of the ledger. */
  onSave: (when: 'before' | 'after') => void = () => undefined;
  /** Called when an apply has its plan, as where a user is asked. */
  onQuestion: () => Promise<void> = async () => undefined;
  readonly tool: Tool;
  #fresh = 0;

  private constructor(readonly site: Site) {
    this.tool = makeTool(this);
  }

  static async begin(conditions: Conditions): Promise<Course> {
    return new Course(await Site.open(conditions));
  }

  ledger(): LedgerState {
    return readLedger(this.site.savedLedger());
  }

  /** Performs the action. Returns false if it does not apply, and then nothing has changed. */
  async perform(action: Happening): Promise<boolean> {
    if ('edit' in action) return applyEdit(this.folder, action);
    switch (action.do) {
      case 'undo':
        this.folder = structuredClone(this.sound);
        return true;
      case 'value':
        if (this.env[action.source] === (action.value ?? undefined)) return false;
        if (action.value === null) delete this.env[action.source];
        else this.env[action.source] = action.value;
        return true;
      case 'by-hand':
        return this.#byHand(action.deed);
      case 'rights':
        if (this.site.gateway.rights === action.rights) return false;
        this.site.gateway.rights = action.rights;
        return true;
      case 'lacks':
        if (isDeepStrictEqual([...this.site.gateway.lacks], action.fields)) return false;
        this.site.gateway.lacks = new Set(action.fields);
        return true;
      case 'address':
        if (this.site.at === action.name) return false;
        this.site.at = action.name;
        return true;
      case 'time':
        this.site.time.pass(action.milliseconds);
        return true;
      case 'ledger':
        return this.#changeLedger(action.how);
    }
  }

  readonly secretOf = (field: SecretField, source: string): string | undefined =>
    sentSecret(field, this.env[source]);

  /** Returns everything that decides the present plan. */
  async situation(destroy = false): Promise<Situation> {
    const { site, folder } = this;
    this.#awayFromEdges();
    const ledger = this.ledger();
    const ids = Object.values(ledger.objects).flatMap(({ id = [], retiring = [] }) => [id, retiring].flat());
    const named = Object.values(folder.clients).flatMap(({ id }) => id ?? []);
    const view = await site.view([...new Set([...ids, ...named])]);
    const desired = desiredOf(folder, site.conditions.profile, view.names);
    return {
      folder,
      // A destroy uses the ids of the ledger.
      desired: destroy ? { ...desired, hasUnknownNames: false, unknownLinks: new Set() } : desired,
      ledger,
      isElsewhere: this.isElsewhere(folder),
      view,
      reality: site.reality(),
      now: site.time.present,
      profile: site.conditions.profile,
      rights: site.gateway.rights,
      lacks: site.gateway.lacks,
      secretOf: this.secretOf,
      destroy,
    };
  }

  /** True if the ledger is of another service than the runs, so that each command is refused: RULES.md, "One service". */
  isElsewhere({ addresses }: Folder): boolean {
    const { site } = this;
    const { address, objects, pending } = this.ledger();
    const isEmpty = Object.keys(objects).length + Object.keys(pending).length === 0;
    const named = addresses.map(site.urlOf);
    return !isEmpty && address !== site.address && !(named.includes(address) && named.includes(site.address));
  }

  /** Whether nothing is so close to two minutes old that a run decides it in the middle. */
  #awayFromEdges(): void {
    const { objects, pending } = this.ledger();
    const since = [
      ...Object.values(objects).flatMap(({ createdAt }) => createdAt ?? []),
      ...Object.values(pending).map(({ attemptedAt }) => attemptedAt),
    ].map((text) => this.site.time.present - Date.parse(text));
    const isClose = since.some((age) => age > settleTimeMs - 40_000 && age < settleTimeMs + 5_000);
    if (isClose) this.site.time.pass(60_000);
  }

  /** True if the manifest is refused, by `validate` or after a lookup of its names. */
  hasMistakes(folder: Folder = this.folder, names?: Names): boolean {
    return desiredOf(folder, this.site.conditions.profile, names).mistakes.length > 0;
  }

  scene(chance: Chance): Scene {
    const fresh = (): number => {
      this.#fresh += 1;
      return this.#fresh;
    };
    return { chance, folder: this.folder, course: this, ledger: this.ledger(), fresh };
  }

  async end(): Promise<void> {
    this.tool.kill();
    await this.site.close();
  }

  async #byHand(deed: Deed): Promise<boolean> {
    if (deed.by === 'seed') {
      this.site.service.patchSeed(deed.seed);
      return true;
    }
    // The trigger of a pair, whatever its id.
    const [, target, source] = /^\/run-triggers\/of (\S+) (\S+)$/u.exec(deed.path) ?? [];
    const found = this.site
      .reality()
      .triggers.find((trigger) => trigger.target === target && trigger.source === source);
    try {
      const path = target === undefined ? deed.path : `/run-triggers/${found?.id}`;
      await this.site.call(deed.method, path, deed.body);
      return true;
    } catch {
      // A shortened course may lack the object that this action changes.
      return false;
    }
  }

  #changeLedger(how: 'save' | 'restore' | 'lose'): boolean {
    const now = this.site.savedLedger();
    if (how === 'save') {
      this.savedLedgers.push(now);
      return true;
    }
    if (how === 'lose') {
      this.site.restoreLedger(undefined);
      return now !== undefined;
    }
    if (this.savedLedgers.length === 0) return false;
    const saved = this.savedLedgers.pop();
    this.site.restoreLedger(saved);
    return saved !== now;
  }
}

export const isRun = (action: Action): action is Extract<Action, { do: 'run' }> =>
  'do' in action && action.do === 'run';
