/** Which resource of one program run manages what: two that manage the same would fight for ever. */
import { RunError } from '@pulumi/pulumi';
import { getStackResource } from '@pulumi/pulumi/runtime';

type Stack = NonNullable<ReturnType<typeof getStackResource>>;

interface MetSet {
  readonly owner: string;
  readonly fixed: string;
  readonly members: readonly string[];
}

/** What the resources of one run have said so far, by what they manage. */
export class Claims {
  private readonly owners = new Map<string, string>();
  private readonly inbound: MetSet[] = [];
  private readonly outbound: MetSet[] = [];

  /** Takes a thing that only one resource may manage; throws and names both when it is taken. */
  take(thing: string, owner: string, because: string): void {
    const first = this.owners.get(thing);
    if (first !== undefined) throw conflict(first, owner, because);
    this.owners.set(thing, owner);
  }

  /** Notes a thing that several may touch, unless somebody manages the whole of it. */
  touch(part: string, whole: string, owner: string, because: string): void {
    const first = this.owners.get(whole);
    if (first !== undefined) throw conflict(first, owner, because);
    if (!this.owners.has(part)) this.owners.set(part, owner);
  }

  /** Takes the whole of a thing; throws when somebody touches a part of it. */
  takeWhole(whole: string, part: string, owner: string, because: string): void {
    const first = this.owners.get(part);
    if (first !== undefined) throw conflict(first, owner, because);
    this.take(whole, owner, because);
  }

  /** Sets that meet in a pair: one of them would always undo the other, or both count the same trigger. */
  meet(direction: 'inbound' | 'outbound', fixed: string, members: readonly string[], owner: string): void {
    const others = direction === 'inbound' ? this.outbound : this.inbound;
    const own = direction === 'inbound' ? this.inbound : this.outbound;
    for (const other of others) {
      if (!members.includes(other.fixed) && !other.members.includes(fixed)) continue;
      throw conflict(
        other.owner,
        owner,
        `both decide whether ${direction === 'inbound' ? other.fixed : fixed} triggers ${direction === 'inbound' ? fixed : other.fixed}`,
      );
    }
    own.push({ owner, fixed, members });
  }
}

function conflict(first: string, second: string, because: string): RunError {
  return new RunError(`${first} and ${second} would undo each other's work: ${because}. Keep one of them`);
}

const byRun = new WeakMap<Stack, Claims>();

/** The claims of the program run that is under way. */
export function claimsOfRun(): Claims {
  const stack = getStackResource();
  // Under the SDK's mocks there is no run: tests may declare the same again and again.
  if (stack === undefined) return new Claims();
  const known = byRun.get(stack) ?? new Claims();
  byRun.set(stack, known);
  return known;
}
