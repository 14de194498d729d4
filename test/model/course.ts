/** A course while it is played: its folder, its site, the tool, and what the driver remembers of each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Action, Deed } from './actions';
import type { Chance } from './chance';
import { desiredOf } from './desired';
import { applyEdit } from './edits';
import type { Situation } from './expected';
import { LibraryTool } from './library-tool';
import { type Folder, withNames } from './manifests';
import type { LedgerState, RunOptions, Tool } from './outcome';
import type { Scene } from './scene';
import { type Conditions, Site } from './site';

/** Another place and address than the site's own: for a clone of the folder. */
export interface Elsewhere {
  readonly folder: string;
  readonly address: string;
}

export interface MakeTool {
  (course: Playing, elsewhere?: Elsewhere): Tool;
  /** The tool waits in real time, so the service's goes on too. */
  readonly realTime?: true;
}

/** What a tool is made from. */
export interface Playing {
  readonly site: Site;
  readonly env: Readonly<Record<string, string>>;
  /** Called around each line of a journal. */
  readonly onJournal: (when: 'before' | 'after') => void;
}

/** What the last round left to be decided by a person. */
export interface Open {
  readonly blockers: readonly string[];
  readonly problems: readonly string[];
  /** A number that is enough for what the guards count. */
  readonly counts: number;
}

export class Course {
  readonly env: Record<string, string> = {};
  /** Ledgers that were put aside: undefined is "there was none". */
  readonly savedLedgers: (string | undefined)[] = [];
  folder: Folder;
  #fresh = 0;
  /** The branch that is not checked out. */
  #branch: { folder: Folder; ledger: string | undefined } | undefined;
  /** The last manifests that were played and had no mistake. */
  sound: Folder;
  /** Where another ledger stands. */
  stray: 'above' | 'below' | null = null;
  open: Open = { blockers: [], problems: [], counts: 0 };

  rightsOfLastRound: string | undefined;

  /** Whoever watches the journal of the run under way. */
  watchJournal: ((when: 'before' | 'after') => void) | undefined;
  readonly tool: Tool;

  private constructor(
    readonly site: Site,
    readonly makeTool: MakeTool,
  ) {
    this.tool = makeTool(this);
    this.folder = { profile: site.conditions.profile, files: {} };
    this.sound = structuredClone(this.folder);
  }

  static async begin(conditions: Conditions, makeTool: MakeTool = libraryTool): Promise<Course> {
    return new Course(await Site.open(conditions, makeTool.realTime ?? false), makeTool);
  }

  /** Does what the action says; false where it does not apply, and then nothing happened. Runs are played in `round.ts`. */
  async perform(action: Exclude<Action, { do: 'run' }>): Promise<boolean> {
    if ('edit' in action) return applyEdit(this.folder, action);
    switch (action.do) {
      case 'branch':
        return this.#switchBranch();
      case 'undo':
        this.folder = structuredClone(this.sound);
        this.stray = null;
        this.site.placeStray(null);
        return true;
      case 'secret':
        return this.#setSecret(action.source, action.value);
      case 'by-hand':
        return this.#byHand(action.deed);
      case 'rights':
        if (this.site.gateway.rights === action.rights) return false;
        this.site.gateway.rights = action.rights;
        return true;
      case 'time':
        this.site.time.pass(action.milliseconds);
        return true;
      case 'ledger':
        return this.#changeLedger(action.how);
      case 'stray-ledger':
        if (this.stray === action.where) return false;
        this.stray = action.where;
        this.site.placeStray(action.where);
        return true;
    }
  }

  readonly onJournal = (when: 'before' | 'after'): void => this.watchJournal?.(when);

  /** The value of a secret's source. */
  readonly secretOf = (source: string): string | undefined => this.env[source];

  /** All that a plan made now follows from. */
  async situation(ledger: LedgerState, options: RunOptions): Promise<Situation> {
    const ids = Object.values(ledger.objects).flatMap(({ id, replaces = id }) => [id, replaces]);
    const named = Object.values(this.folder.files).flatMap((file) => [
      ...Object.values(file.clients).flatMap(({ id }) => id ?? []),
      ...file.attachments.map(({ oauthClient }) => oauthClient),
    ]);
    return {
      desired: desiredOf(this.folder, this.site.conditions.profile),
      spoken: withNames(this.folder, ledger.names),
      ledger,
      view: await this.site.view([...new Set([...ids, ...named.filter((id) => id.startsWith('oc-'))])]),
      profile: this.site.conditions.profile,
      rights: this.site.gateway.rights,
      reality: this.site.reality(),
      secretOf: this.secretOf,
      writeSecrets: options.writeSecrets ?? false,
      destroy: options.destroy ?? false,
    };
  }

  /** Whether manifests are refused: those of now, or others. */
  hasMistakes(folder: Folder = this.folder): boolean {
    return this.stray !== null || desiredOf(folder, this.site.conditions.profile).mistakes.length > 0;
  }

  /** What the generator looks at. */
  async scene(chance: Chance): Promise<Scene> {
    const { site, folder, env, open } = this;
    return {
      chance,
      folder,
      env,
      open,
      reality: site.reality(),
      ledger: await this.tool.ledger(),
      conditions: site.conditions,
      rights: site.gateway.rights,
      hasMistakes: this.hasMistakes(),
      aside: this.#aside(),
      rightsWereSeen: this.rightsOfLastRound === site.gateway.rights,
      fresh: () => {
        this.#fresh += 1;
        return this.#fresh;
      },
    };
  }

  async end(): Promise<void> {
    await this.tool.close();
    await this.site.close();
  }

  #aside(): Scene['aside'] {
    if (this.savedLedgers.length === 0) return 'none';
    return this.savedLedgers.at(-1) === this.site.savedLedger() ? 'same' : 'other';
  }

  #setSecret(source: string, value: string | null): boolean {
    if (this.env[source] === (value ?? undefined)) return false;
    if (value === null) delete this.env[source];
    else this.env[source] = value;
    if (!source.startsWith('file:')) return true;
    const file = join(this.site.folder, source.slice('file:'.length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${value ?? ''}\n`);
    return true;
  }

  async #byHand(deed: Deed): Promise<boolean> {
    if (deed.by === 'seed') {
      this.site.service.patchSeed(deed.seed);
      return true;
    }
    try {
      await this.site.call(deed.method, deed.path, deed.body);
      return true;
    } catch {
      // What a shortened course no longer has cannot be changed by hand either.
      return false;
    }
  }

  #switchBranch(): boolean {
    const here = { folder: this.folder, ledger: this.site.savedLedger() };
    const there = this.#branch ?? structuredClone(here);
    const before = JSON.stringify(here);
    this.#branch = here;
    this.folder = there.folder;
    this.site.restoreLedger(there.ledger);
    return JSON.stringify(there) !== before;
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

export const libraryTool: MakeTool = ({ site, env, onJournal }, elsewhere) =>
  new LibraryTool({
    address: elsewhere?.address ?? site.gateway.url,
    folder: elsewhere?.folder ?? site.folder,
    env,
    concurrency: site.conditions.concurrency,
    onWait: (milliseconds) => site.time.pass(milliseconds),
    ...(elsewhere === undefined ? { onJournal } : {}),
  });
