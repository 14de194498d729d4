/** What one run of the engine has shown, and what it may therefore replace or destroy; see docs/architecture.md. */
import type { FieldValues } from '../resources/kind';
import type { Surroundings } from './account';
import type { Props } from './state';

/** What the run has shown of one client; only a part where an option asks for its replacement. */
export interface ShownClient {
  readonly inputs?: Props;
  /** Its inputs in the state; absent when it is new, tainted or named by `--replace`. */
  readonly before?: Props;
  /** Its object when a diff or a refresh looked at it. */
  readonly seen?: { readonly id: string; readonly olds: Props };
  /** What its object had that was destroyed to make room for the successor. */
  readonly removed?: FieldValues;
}

export class RunMemory {
  /** By URN. */
  private readonly clients = new Map<string, ShownClient>();
  /** By id, or by the pair of a link. Wanted is final. */
  private readonly objects = new Map<string, 'replaceable' | 'wanted'>();

  /** By the id of a client: the resource that goes on with it. */
  private readonly kept = new Map<string, string>();

  constructor(private readonly around: Surroundings) {}

  shown(urn: string): ShownClient {
    return this.clients.get(urn) ?? {};
  }

  show(urn: string, part: ShownClient): void {
    this.clients.set(urn, { ...this.shown(urn), ...part });
  }

  /** A resource of this run manages it: no other takes it along when it goes. */
  want(object: string): void {
    this.objects.set(object, 'wanted');
  }

  isWanted(object: string): boolean {
    return this.objects.get(object) === 'wanted';
  }

  /** The resource has the client and goes on with it. */
  keep(id: string, urn: string): void {
    this.kept.set(id, urn);
  }

  /** Whether a resource other than this one has it and goes on with it. */
  isKept(id: string, urn: string): boolean {
    return (this.kept.get(id) ?? urn) !== urn;
  }

  /** The delete of the client may follow. */
  allowReplace(id: string): void {
    if (!this.isWanted(id)) this.objects.set(id, 'replaceable');
  }

  isReplaceable(id: string): boolean {
    return this.objects.get(id) === 'replaceable';
  }

  mayDestroy(id: string): boolean {
    const named = this.around.variable('TETHER_ALLOW_DESTROY') ?? '';
    return id !== '' && named.split(',').some((one) => one.trim() === id);
  }

  /** True when inputs, state or environment lift the protection. */
  mayReplace(id: string, olds: Props, news: Props): boolean {
    return (news.deletionProtection ?? olds.deletionProtection) === false || this.mayDestroy(id);
  }

  /** True also when the delete belongs to a replacement of this run. */
  mayDelete(urn: string, id: string, props: Props): boolean {
    if (this.isReplaceable(id) || this.mayReplace(id, props, {})) return true;
    // Declared and destroyed in one run means replaced, unless it is what an earlier run left: then its successor was seen.
    const { inputs, seen } = this.shown(urn);
    const isReplaced = inputs !== undefined && (seen === undefined || seen.id === id);
    return isReplaced && this.mayReplace(id, props, inputs);
  }
}
