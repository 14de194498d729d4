/** Which links this apply itself made or removed since the plan looked at the objects that show them, so that they are not taken for somebody else's change. */
import { type FieldValues, type Key, partOf, type ResourceDefinition } from '../../resources/kind';

interface Members {
  readonly added: Set<string>;
  readonly removed: Set<string>;
}

export class OwnWrites {
  /** By object id, then set field. A plan writes the other fields of an object in one step at most. */
  private readonly writes = new Map<string, Map<string, Members>>();

  constructor(private readonly definitions: ReadonlyMap<string, ResourceDefinition>) {}

  /** A link that we made or removed: it shows in a set of the object at its other end. */
  linked(definition: ResourceDefinition, key: Key, there: boolean): void {
    for (const end of this.endsShowing(definition)) {
      const { added, removed } = this.membersOf(partOf(key, end.field), end.shownIn);
      const member = partOf(key, end.other);
      (there ? added : removed).add(member);
      (there ? removed : added).delete(member);
    }
  }

  /** The objects whose fields show this link: `OAuthClient oc-1`. */
  shownBy(definition: ResourceDefinition, key: Key): readonly string[] {
    return this.endsShowing(definition).map((end) => objectQueue(end.kind, partOf(key, end.field)));
  }

  /** What the object should look like now, had nobody else touched it since it was observed. */
  expected(id: string, observed: FieldValues): FieldValues {
    const expected: Record<string, FieldValues[string]> = { ...observed };
    for (const [field, { added, removed }] of this.writes.get(id) ?? []) {
      const before = expected[field];
      if (!Array.isArray(before)) continue;
      expected[field] = [...new Set([...before, ...added])].filter((member) => !removed.has(member));
    }
    return expected;
  }

  private endsShowing(
    definition: ResourceDefinition,
  ): readonly { field: string; other: string; kind: string; shownIn: string }[] {
    return definition.pair.flatMap((field) => {
      const kind = definition.fields[field]?.refersTo;
      const owner = kind === undefined ? undefined : this.definitions.get(kind);
      const other = definition.pair.find((one) => one !== field);
      if (owner === undefined || other === undefined) return [];
      return Object.entries(owner.fields)
        .filter(([, shown]) => shown.exactSetOf === definition.kind)
        .map(([shownIn]) => ({ field, other, kind: owner.kind, shownIn }));
    });
  }

  private membersOf(id: string, field: string): Members {
    const members = this.writes.get(id) ?? new Map<string, Members>();
    this.writes.set(id, members);
    const known = members.get(field) ?? { added: new Set<string>(), removed: new Set<string>() };
    members.set(field, known);
    return known;
  }
}

/** Steps that touch the same object run one after the other: the name of that queue. */
export function objectQueue(kind: string, id: string): string {
  return `${kind} ${id}`;
}
