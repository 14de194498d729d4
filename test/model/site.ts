/** Where a course plays: a service, the gateway before it, and a folder of manifests. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createService, type Service } from '../../service';
import { Gateway } from './gateway';
import { type Folder, filesOf, type ManifestFile, type Spoilt, textOf } from './manifests';
import { maxSources, ownerToken, type ProfileName, seedOf } from './organization';
import { openView, type Reality, readView, realityOf, type View } from './reality';
import { ServiceTime } from './virtual-time';

const root = resolve(__dirname, '../../..');

/** What holds for a whole course. */
export interface Conditions {
  readonly profile: ProfileName;
  /** Of the service, as `--behaviour` takes them. */
  readonly behaviours: Readonly<Record<string, string>>;
  /** Steps of one apply under way at once. */
  readonly concurrency: number;
}

/** The profile `tight`: the default one where two sources fill a target. */
function tightProfile(): string {
  const profile = JSON.parse(readFileSync(join(root, 'profiles/default.json'), 'utf8')) as { limits: object };
  return JSON.stringify({
    ...profile,
    name: 'tight',
    limits: { ...profile.limits, maxSources: maxSources.tight },
  });
}

export class Site {
  private constructor(
    readonly conditions: Conditions,
    readonly service: Service,
    readonly gateway: Gateway,
    readonly time: ServiceTime,
    /** Absolute; everything of the course is in it. */
    readonly place: string,
  ) {}

  static async open(conditions: Conditions, isRealTime = false): Promise<Site> {
    const place = mkdtempSync(join(tmpdir(), 'tether-model-'));
    mkdirSync(join(place, 'infra'));
    // So that what lies above the folder is nobody's business.
    mkdirSync(join(place, '.git'));
    writeFileSync(join(place, 'tight.json'), tightProfile());
    const time = new ServiceTime(isRealTime);
    const counts: Record<string, number> = {};
    const newId = (prefix: string): string => {
      counts[prefix] = (counts[prefix] ?? 0) + 1;
      return `${prefix}-${counts[prefix]}`;
    };
    const { profile, behaviours } = conditions;
    const service = await createService({
      seed: seedOf(),
      profile: profile === 'tight' ? join(place, 'tight.json') : profile,
      behaviours,
      clock: time,
      newId,
    });
    return new Site(conditions, service, await Gateway.open(service.url), time, place);
  }

  /** The folder of the manifests and the ledger. */
  get folder(): string {
    return join(this.place, 'infra');
  }

  /** Whether lists may show something else than what is. */
  get isLate(): boolean {
    const { 'create-hidden-ms': hidden, 'delete-visible-ms': visible } = this.conditions.behaviours;
    return hidden !== undefined || visible !== undefined;
  }

  reality(): Reality {
    return realityOf(this.service.snapshot());
  }

  /** What the tool would see now. */
  async view(ids: readonly string[]): Promise<View> {
    const { rights } = this.gateway;
    if (rights === 'owner' && !this.isLate) return openView(this.reality());
    return readView(this.service.url, rights, ids, () => this.time.pass(1_000));
  }

  /** A call made by hand, past the gateway, with all rights. Throws when it is refused. */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.service.url + path, {
      method,
      headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/vnd.api+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`by hand: ${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Writes the manifests in the place of those that were there; ledger and secrets stay. */
  write(folder: Folder): void {
    const { profile } = this.conditions;
    for (const name of readdirSync(this.folder)) {
      if (name.startsWith('tether.ledger.json') || name === 'secrets') continue;
      rmSync(join(this.folder, name), { recursive: true });
    }
    for (const [path, file] of filesOf(folder)) {
      const at = join(this.folder, path);
      mkdirSync(dirname(at), { recursive: true });
      const tight = `${'../'.repeat(path.split('/').length)}tight.json`;
      this.#writeOne(at, file, textOf(path, file, profile === 'tight' ? tight : folder.profile));
    }
  }

  #writeOne(at: string, file: ManifestFile, text: string): void {
    const elsewhere = join(this.place, 'outside.yaml');
    const ways: Record<Exclude<Spoilt, 'syntax'>, () => void> = {
      ending: () => writeFileSync(at.replace('.tether.', '.'), text),
      dangling: () => symlinkSync(join(this.place, 'nowhere'), at),
      device: () => symlinkSync('/dev/zero', at),
      outside: () => {
        writeFileSync(elsewhere, text);
        symlinkSync(elsewhere, at);
      },
      pipe: () => void execFileSync('mkfifo', [at]),
      bytes: () => writeFileSync(at, Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0x0a])])),
    };
    if (file.spoilt === undefined || file.spoilt === 'syntax') writeFileSync(at, text);
    else ways[file.spoilt]();
  }

  /** The bytes of the ledger; undefined where there is none. */
  savedLedger(): string | undefined {
    const file = join(this.folder, 'tether.ledger.json');
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Whether a killed run left a journal beside it, which the next one that may write folds in. */
  get hasJournal(): boolean {
    return existsSync(join(this.folder, 'tether.ledger.json.journal'));
  }

  /** Puts other bytes in its place, or nothing; an unfolded journal goes as well. */
  restoreLedger(bytes: string | undefined): void {
    const file = join(this.folder, 'tether.ledger.json');
    rmSync(`${file}.journal`, { force: true });
    if (bytes === undefined) rmSync(file, { force: true });
    else writeFileSync(file, bytes, { mode: 0o600 });
  }

  /** Puts another ledger above or below the folder, in place of any that stood there. */
  placeStray(where: 'above' | 'below' | null): void {
    const below = join(this.folder, 'nested');
    const places = { above: this.place, below };
    for (const place of Object.values(places)) rmSync(join(place, 'tether.ledger.json'), { force: true });
    if (where === null) return;
    mkdirSync(below, { recursive: true });
    const other = { version: 1, organization: 'other', lineage: 'stray', serial: 1, objects: {} };
    writeFileSync(
      join(places[where], 'tether.ledger.json'),
      `${this.savedLedger() ?? JSON.stringify(other)}`,
    );
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.service.close();
    rmSync(this.place, { recursive: true, force: true });
  }
}
