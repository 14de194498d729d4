/** The site of a course: a service, its gateway, and a folder with a manifest and a ledger. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createService, type Service } from '../../service';
import { Gateway } from './gateway';
import { type AddressName, type Folder, textOf } from './manifests';
import { maxSources, ownerToken, type ProfileName, seedOf } from './organization';
import { openView, type Reality, readView, realityOf, type View } from './reality';
import { ServiceTime } from './virtual-time';

const root = resolve(__dirname, '../../..');

/** The conditions of a whole course. */
export interface Conditions {
  readonly profile: ProfileName;
  /** The behaviours of the service, in the form of `--behaviour`. */
  readonly behaviours: Readonly<Record<string, string>>;
  /** The number of steps that run at once. With one, a course is exactly repeatable. */
  readonly concurrency: number;
}

/** The profile `tight`: the default one where two sources fill a target. */
function tightProfile(): string {
  const profile = JSON.parse(readFileSync(join(root, 'profiles/default.json'), 'utf8')) as { limits: object };
  const limits = { ...profile.limits, maxSources: maxSources.tight };
  return JSON.stringify({ ...profile, name: 'tight', limits });
}

/** A service behind its gateway. */
interface Served {
  readonly service: Service;
  readonly gateway: Gateway;
}

/** Opens a service whose ids begin with 1, so that two services have the same ids. */
async function serve({ profile, behaviours }: Conditions, place: string, time: ServiceTime): Promise<Served> {
  const counts: Record<string, number> = {};
  const newId = (prefix: string): string => {
    counts[prefix] = (counts[prefix] ?? 0) + 1;
    return `${prefix}-${counts[prefix]}`;
  };
  const service = await createService({
    seed: seedOf(),
    profile: profile === 'tight' ? join(place, 'tight.json') : profile,
    behaviours,
    clock: time,
    newId,
  });
  return { service, gateway: await Gateway.open(service.url, () => time.present) };
}

export class Site {
  /** The address of the runs. */
  at: AddressName = 'first';

  private constructor(
    readonly conditions: Conditions,
    private readonly first: Served,
    private readonly second: Served,
    readonly time: ServiceTime,
    /** An absolute path. Everything of the course is in it. */
    readonly place: string,
  ) {}

  static async open(conditions: Conditions): Promise<Site> {
    const place = mkdtempSync(join(tmpdir(), 'tether-model-'));
    mkdirSync(join(place, 'infra'));
    writeFileSync(join(place, 'tight.json'), tightProfile());
    const time = new ServiceTime();
    const [first, second] = [await serve(conditions, place, time), await serve(conditions, place, time)];
    return new Site(conditions, first, second, time, place);
  }

  get service(): Service {
    return (this.at === 'second' ? this.second : this.first).service;
  }

  get gateway(): Gateway {
    return (this.at === 'second' ? this.second : this.first).gateway;
  }

  /** The gateway of the service that no run should call. */
  get elsewhere(): Gateway {
    return (this.at === 'second' ? this.first : this.second).gateway;
  }

  readonly urlOf = (name: AddressName): string =>
    name === 'second' ? this.second.gateway.url() : this.first.gateway.url(name === 'moved' ? '/moved' : '');

  /** The address of the runs as a URL. */
  get address(): string {
    return this.urlOf(this.at);
  }

  /** The folder of the manifest and the ledger. */
  get folder(): string {
    return join(this.place, 'infra');
  }

  /** True if lists may differ from the objects. */
  get isLate(): boolean {
    return Object.keys(this.conditions.behaviours).some((name) => name.endsWith('-ms'));
  }

  reality(): Reality {
    return realityOf(this.service.snapshot());
  }

  /** Returns the tool's present view. */
  async view(ids: readonly string[]): Promise<View> {
    const { rights, lacks } = this.gateway;
    if (rights === 'owner' && !this.isLate) return openView(this.reality(), lacks);
    return readView(this.service.url, rights, ids, lacks, () => this.time.pass(1_000));
  }

  /** Makes a call by hand, without the gateway and with all rights. Throws if it is refused. */
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

  /** Writes the manifest; the ledger stays. */
  write(folder: Folder): void {
    const { profile } = this.conditions;
    const text = textOf(folder, profile === 'tight' ? '../tight.json' : profile, this.urlOf);
    writeFileSync(join(this.folder, 'main.tether.json'), text);
  }

  get #ledgerFile(): string {
    return join(this.folder, 'tether.ledger.json');
  }

  /** Returns the text of the ledger, or undefined if there is none. */
  savedLedger(): string | undefined {
    return existsSync(this.#ledgerFile) ? readFileSync(this.#ledgerFile, 'utf8') : undefined;
  }

  /** Puts another text in its place, or nothing. */
  restoreLedger(text: string | undefined): void {
    if (text === undefined) rmSync(this.#ledgerFile, { force: true });
    else writeFileSync(this.#ledgerFile, text, { mode: 0o600 });
  }

  async close(): Promise<void> {
    for (const { gateway, service } of [this.first, this.second]) {
      await gateway.close();
      await service.close();
    }
    rmSync(this.place, { recursive: true, force: true });
  }
}
