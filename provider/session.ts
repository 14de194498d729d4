/** The state that all resources of one provider process share. Each member says who fills it and who reads it. */
import type { SettingSource } from '../client/account';
import { type FieldValues, type Found, type Key, type ResourceDefinition, readPart } from '../resources/kind';
import { createUnrecorded } from '../resources/safe-calls';
import { Account } from './account';
import { ProviderError } from './errors';

export class Session extends Account {
  /** `check` sets it. Without it, `diff` remembers nothing: a refresh compares without `check` (not with `--run-program`), even what the program dropped. */
  isProgram = false;
  /**
   * It holds what this program's resources have: clients by id, links by `linkName`. `check` adds links. `diff`, `update`, `createNew` and `adopt`
   * add clients and their `projectIds`. `keeps` spares all these from deletes. `check`, `adopt` and `refuseMatches` see who has a client.
   */
  readonly wantedNames = new Set<string>();
  /** The ids that new resources give as `adoptId`. `check` adds them. `diff` throws for a resource that has such a client already. */
  readonly adoptions = new Set<string>();
  /** The clients that this run replaces, by `successorKey`. `diff` adds them. `create` reads them, so that a successor is not refused. */
  readonly replacedClients = new Map<string, { readonly id: string; readonly adoptId: unknown }>();
  /** The organizations of clients, by id. `diff` and `create` of clients fill it, so that `readOrganization` asks the service less. */
  readonly organizations = new Map<string, string>();
  /** The last work of each queue, by the name of the queue. */
  private readonly tails = new Map<string, Promise<unknown>>();

  /** `print` shows one line to the user. */
  constructor(
    environment: SettingSource,
    readonly print: (line: string) => void,
  ) {
    super(environment);
  }

  /** Creates an object, and prints if it was found after a lost answer. The `others` existed before, so it is none of them. */
  async create(definition: ResourceDefinition, key: Key, values: FieldValues, others: readonly Found[]) {
    const object = await createUnrecorded(this.api, definition, key, values, others);
    if (object.takenOver) this.print(`${object.id} was adopted after a lost answer`);
    return object;
  }

  /** Starts the work when everything queued under this name has ended, even if it failed. */
  queue<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const result = Promise.allSettled([this.tails.get(name)]).then(work);
    this.tails.set(name, result);
    return result;
  }

  /** Returns the organization of a client, and asks for it once. Throws when the service does not tell it. */
  readOrganization(clientId: string): Promise<string> {
    return this.queue(`organization of ${clientId}`, async () => {
      const organization =
        this.organizations.get(clientId) ?? (await this.api.oauthClients.read(clientId)).organization;
      if (!organization) throw new ProviderError(`the service does not tell who owns ${clientId}`);
      this.organizations.set(clientId, organization);
      return organization;
    });
  }

  /** Refuses a resource of another service. The engine shows no change when a program gives it another provider. */
  refuseOtherAddress(id: string, ownAddress: unknown): void {
    const { address = ownAddress } = this;
    if (ownAddress === undefined || ownAddress === address) return;
    throw new ProviderError(
      `${id} belongs to ${String(ownAddress)}, and this provider is configured for ${String(address)}`,
      'a resource cannot move to another account: give it the provider it was made with, or declare a new resource',
    );
  }

  /** True if a resource of this program has the client or link of this name. Then a delete must spare it, and the user is told. */
  keeps(name: string, ids = name): boolean {
    const isWanted = this.wantedNames.has(name);
    if (isWanted) this.print(`${ids} was not deleted, because a resource of this program has it`);
    return isWanted;
  }
}

/** Returns the name of a link in `wantedNames`. */
export function linkName({ kind, pair }: ResourceDefinition, key: Key): string {
  return [kind, ...pair.map((end) => readPart(key, end))].join(' ');
}
