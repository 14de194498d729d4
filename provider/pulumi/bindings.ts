/** Which resource of one program run manages what: two that manage the same would undo each other's work at every run. */
import { all, Config, type Input, type ProviderResource, type Resource } from '@pulumi/pulumi';
import { getStackResource } from '@pulumi/pulumi/runtime';
import { profileOf, serviceAddressOf } from '../account';
import { processSurroundings } from '../surroundings';
import { Provider } from './provider';
import { refusal } from './refusal';

/** A resource, and why it cannot share what it is bound to. */
interface Binding {
  readonly owner: string;
  readonly because: string;
}

/** What the resources of one run manage in one service, as far as their ids are known. */
export class Bindings {
  private readonly wholes = new Map<string, Binding>();
  private readonly parts = new Map<string, Binding>();

  /** Binds a thing to the one resource that manages it; throws and names both when another manages it, or a part of it. */
  whole(thing: string, owner: string, because: string): void {
    const first = this.wholes.get(thing);
    if (first !== undefined) throw conflict(first.owner, owner, because);
    const part = this.parts.get(thing);
    if (part !== undefined) throw conflict(part.owner, owner, part.because);
    this.wholes.set(thing, { owner, because });
  }

  /** Binds a part of a thing, of which there may be several; throws when somebody manages the whole. */
  part(thing: string, owner: string, because: string): void {
    const first = this.wholes.get(thing);
    if (first !== undefined) throw conflict(first.owner, owner, because);
    if (!this.parts.has(thing)) this.parts.set(thing, { owner, because });
  }
}

function conflict(first: string, second: string, because: string) {
  return refusal(`${first} and ${second} would undo each other's work: ${because}. Keep one of them`);
}

const byRun = new WeakMap<Resource, Map<string, Bindings>>();

/**
 * Checks a resource against those before it: at once where its ids are plain strings, else beside its registration, when
 * they are known. A preview knows nothing of ids that only a run makes.
 */
export function bind(
  provider: ProviderResource | undefined,
  ids: readonly Input<string>[],
  work: (bindings: Bindings, ids: readonly string[]) => void,
): void {
  const stack = getStackResource();
  // Under the SDK's mocks there is no run: tests may declare the same again and again.
  if (stack === undefined) return;
  const run = byRun.get(stack) ?? new Map<string, Bindings>();
  byRun.set(stack, run);
  whenKnown([...placeOf(provider), ...ids], ([address = '', profile = '', ...known]) => {
    const service = serviceAt(address, profile, provider !== undefined);
    const bindings = run.get(service) ?? new Bindings();
    run.set(service, bindings);
    work(bindings, known);
  });
}

function whenKnown(inputs: readonly Input<string>[], work: (values: readonly string[]) => void): void {
  const isPlain = (values: readonly Input<string>[]): values is readonly string[] =>
    values.every((value) => typeof value === 'string');
  if (isPlain(inputs)) work(inputs);
  else all([...inputs]).apply(work);
}

/** Address and profile that a provider was given; empty where it was not. One of the SDK's own making is a place of its own. */
function placeOf(provider: ProviderResource | undefined): readonly [Input<string>, Input<string>] {
  if (provider === undefined) {
    const config = new Config('tether');
    return [config.get('address') ?? '', config.get('profile') ?? ''];
  }
  return Provider.isInstance(provider)
    ? [provider.args.address ?? '', provider.args.profile ?? '']
    : [provider.urn, ''];
}

/** One text for one service: equal ids of two services are two things. */
function serviceAt(address: string, profile: string, explicit: boolean): string {
  const given = {
    explicit,
    ...(address === '' ? {} : { address }),
    ...(profile === '' ? {} : { profile }),
  };
  try {
    return serviceAddressOf(given, profileOf(given, processSurroundings), processSurroundings) ?? '';
  } catch {
    // What is wrong with it the provider says, for each resource.
    return address;
  }
}
