/** Detects changes made outside Tether since the last apply, and reports them. */
import type { ReadApi } from '../client/api';
import type { Manifests } from '../manifest/desired';
import type { Observation } from '../observation/evidence';
import { observe } from '../observation/observe';
import { type FieldValue, sameValue } from '../resources/kind';
import { registry } from '../resources/registry';
import type { Ledger } from './ledger/ledger';
import { refuseUnseen } from './make-plan';
import { heldIds } from './plan/bind';
import { Facts, unobserved } from './plan/facts';
import { planChanges } from './plan/make';
import { endsOf, keyOf, type LeftAlone, type Plan } from './plan/plan';
import {
  aboutLedger,
  counted,
  fieldName,
  messageSection,
  type Naming,
  type Report,
  type Row,
  sectionOf,
  sectionsByKind,
  showField,
  someOf,
} from './render/report';
import { observationNeeds } from './targets';

export interface DriftRow {
  readonly kind: string;
  readonly address: string;
  readonly objectId?: string;
  /** `added` means an unmanaged link that an exact set does not list. An apply would delete it. */
  readonly state: 'changed' | 'missing' | 'added';
  readonly changes: readonly {
    readonly field: string;
    /** The value that was last applied. */
    readonly was: FieldValue | undefined;
    readonly is: FieldValue | undefined;
  }[];
  /** The proof, such as `not among the inbound run triggers of ws-app`. */
  readonly evidence: readonly string[];
}

export interface DriftReport {
  readonly organization: string;
  readonly ledger: Plan['ledger'];
  readonly rows: readonly DriftRow[];
  readonly unknown: readonly LeftAlone[];
  /** Addresses of unmanaged links of the workspaces and clients that the folder names. */
  readonly unmanagedLinks: readonly string[];
  /** The number of objects of each kind that were read and have no ledger entry. */
  readonly unmanaged: Readonly<Record<string, number>>;
  /** The number of managed objects that are as last applied. */
  readonly unchanged: number;
}

export interface DriftOptions {
  readonly api: ReadApi;
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  readonly place: string;
}

/** Reads the objects of the folder and its ledger. Rejects like `makePlan`. */
export async function detectDrift({ api, ...given }: DriftOptions): Promise<DriftReport> {
  const facts = new Facts({ ...given, observed: unobserved });
  const observed = await observe(api, observationNeeds(facts));
  refuseUnseen(given.manifests, observed);
  const drift = new Drift(facts.with({ observed }));
  drift.compareClients();
  drift.compareLinks();
  return drift.report();
}

class Drift {
  private readonly rows: DriftRow[] = [];
  private readonly unknown: LeftAlone[];
  private unchanged = 0;
  /** Addresses of the manifests; a `forget` line of one of them would be a mistake. */
  private readonly declared: ReadonlySet<string>;
  /** Ids of existing objects that the ledger holds. */
  private readonly managed: Set<string>;

  constructor(private readonly facts: Facts) {
    this.unknown = [...facts.unknownNames()];
    this.declared = new Set(facts.inputs.manifests.entries.map(({ address }) => address));
    this.managed = new Set(heldIds(facts.recordedClients.values()));
  }

  report(): DriftReport {
    const { rows, unknown, unchanged } = this;
    const { organization, ledger, steps } = planChanges(this.facts);
    for (const { kind, address, objectId = '', because, unmanaged } of steps) {
      const row = { kind, address, objectId, state: 'added', changes: [], evidence: [because] } as const;
      if (unmanaged) rows.push(row);
    }
    return { organization, ledger, rows, unknown, ...this.unmanaged(), unchanged };
  }

  compareClients(): void {
    const { facts } = this;
    for (const [address, record] of facts.recordedClients) {
      const { id, values = {} } = record;
      const observation = facts.observeClient(record);
      const row = { kind: facts.clientKind.kind, address, objectId: id };
      if (observation.state !== 'present') {
        this.addAbsent(row, observation);
        continue;
      }
      const wanted = facts.clientEntries.get(address)?.inputs;
      const { found } = observation;
      const changes = Object.entries(values).flatMap(([field, was]): DriftRow['changes'] => {
        const is = found.values[field];
        const isManaged = wanted === undefined || field in wanted;
        // This value may come from an apply that was killed before it could record it. That is no drift.
        const isWanted = wanted !== undefined && sameValue(wanted[field], is);
        return !isManaged || isWanted || sameValue(was, is) ? [] : [{ field, was, is }];
      });
      if (changes.length === 0) this.unchanged += 1;
      else this.rows.push({ ...row, state: 'changed', changes, evidence: [] });
    }
  }

  compareLinks(): void {
    for (const { definition, ends, object } of this.facts.recordedLinks.values()) {
      const observation = this.facts.observe(definition, ends, object);
      if (observation.state === 'present') {
        this.unchanged += 1;
        this.managed.add(observation.found.id);
        continue;
      }
      const address = this.facts.linkAddress(definition, ends);
      const objectId = object.id === undefined ? {} : { objectId: object.id };
      this.addAbsent({ kind: definition.kind, address, ...objectId }, observation);
    }
  }

  private addAbsent(
    row: Pick<DriftRow, 'kind' | 'address' | 'objectId'>,
    observation: Exclude<Observation, { state: 'present' }>,
  ): void {
    const { address, objectId = '' } = row;
    if (observation.state === 'unknown') {
      const message = `${address} could not be compared, because ${observation.why}.`;
      const isDeclared = this.declared.has(address);
      this.unknown.push({ address, message, ...(!isDeclared && { line: `forget: [${address}]` }) });
      return;
    }
    const evidence = observation.evidence.map(({ name }) => `not among the ${name}`);
    const isShown = this.facts.inputs.observed.shows[objectId] === 'missing';
    if (isShown) evidence.push(`GET ${objectId} answered 404`);
    this.rows.push({ ...row, state: 'missing', changes: [], evidence });
  }

  /** Counts the unmanaged objects of each kind, and lists the unmanaged links that have no row. */
  private unmanaged(): Pick<DriftReport, 'unmanaged' | 'unmanagedLinks'> {
    const { inputs, organization } = this.facts;
    const named = this.namedIds();
    const added = new Set(this.rows.map(({ address }) => address));
    const unmanaged: Record<string, number> = {};
    const links: string[] = [];
    for (const definition of registry) {
      const { kind, pair, shownBy, listType } = definition;
      const items = Object.values(inputs.observed.lists).flatMap((list) =>
        list.state === 'read' && list.ref.type === listType ? list.items : [],
      );
      const found = new Map(definition.find(items, { organization }).map((one) => [one.id, one.values]));
      for (const [id, values] of found) {
        // A list of triggers was read because the folder names its workspace.
        const isAbout = shownBy === undefined || named.has(values[shownBy]);
        if (this.managed.has(id) || !isAbout) continue;
        unmanaged[kind] = (unmanaged[kind] ?? 0) + 1;
        if (pair.length === 0) continue;
        links.push(this.facts.linkAddress(definition, endsOf(definition, keyOf(definition, values))));
      }
    }
    return { unmanaged, unmanagedLinks: links.filter((one) => !added.has(one)).sort() };
  }

  /** Ids that the ledger or a line names. */
  private namedIds(): ReadonlySet<unknown> {
    const { clientAddresses, recordedLinks, entries } = this.facts;
    const recorded = [...recordedLinks.values()].map(({ ends }) => ends);
    const ends = [...recorded, ...entries.map(({ inputs }) => inputs)];
    return new Set([...clientAddresses.keys(), ...ends.flatMap((one) => Object.values<unknown>(one))]);
  }
}

const states = { changed: 'changed outside Tether', missing: 'deleted outside Tether', added: 'unmanaged' };

export function driftReport(report: DriftReport, naming: Naming): Report {
  const { organization, ledger, rows, unknown, unmanagedLinks } = report;
  const links = unmanagedLinks.map((title) => ({ mark: 'note', title }) as const);
  const unmanaged = someOf(report.unmanaged);
  const next = `Next: ${naming.again('plan')} shows how to put back what the manifests say`;
  return {
    about: aboutLedger(organization, ledger),
    sections: [
      ...sectionsByKind(rows, (row) => driftRow(row, naming)),
      ...messageSection('unknown', 'Unknown: cannot be read', unknown),
      ...sectionOf('Unmanaged links of workspaces and clients that this folder names', links),
    ],
    summary: driftSummary(report),
    footer: [
      ...(unmanaged === '' ? [] : [`Unmanaged, as far as it was read: ${unmanaged}.`]),
      ...(rows.length === 0 ? [] : [next]),
    ],
  };
}

export function driftSummary({ rows, unknown, unchanged }: DriftReport): string {
  const count = (state: DriftRow['state']) => rows.filter((row) => row.state === state).length;
  const found = someOf({ changed: count('changed'), missing: count('missing'), added: count('added') });
  const seen = unknown.length === 0 ? '' : ` ${unknown.length} unknown.`;
  return found === ''
    ? `No drift. ${counted(unchanged, 'object')} as last applied.${seen}`
    : `Drift: ${found}. ${unchanged} as last applied.${seen}`;
}

function driftRow({ kind, address, objectId, state, changes, evidence }: DriftRow, naming: Naming): Row {
  const id = objectId === undefined || objectId.includes('/') ? '' : `${objectId}  `;
  const fields = changes.map(({ field, was, is }) => {
    const [before, now] = [was, is].map((value) => showField(kind, field, value, naming));
    return { label: fieldName(kind, field), text: `was ${before}, is ${now}` };
  });
  const checks = evidence.map((one) => ({ text: `checked: ${one}` }));
  return { mark: state, title: address, text: `${id}${states[state]}`, lines: [...fields, ...checks] };
}
