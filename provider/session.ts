/** The state that all resources of one provider process share. Each member says who fills it and who reads it. */
import type { SettingSource } from '../client/account';
import { type FieldValues, type Found, type Key, type ResourceDefinition, readPart } from '../resources/kind';
import { Account } from './account';
import { ProviderError } from './errors';

export class Session extends Account {
  /** The first `check` sets it, and `diff` reads it. A refresh compares without a check, also what the program dropped. */
  isProgram = false;
  /**
   * The ids of clients and the names of links that the program has. `check`, `diff`, `create` and `update` add them. A delete, also
   * that of a member of a set, leaves them alone, because another resource has them. `check`, `create` and an adoption refuse a second one of a client.
   */
  readonly wantedNames = new Set<string>();
  /** The ids of clients that new resources adopt. `check` adds them, and `diff` of the resources that have these clients reads them. */
  readonly adoptions = new Set<string>();
  /** The clients that this run replaces, by the identity of their successors. `diff` adds them, and `create` reads them. */
  readonly replacedClients = new Map<string, { readonly id: string; readonly adoptId: unknown }>();
  /** The organizations of clients, by id. `diff` and `create` of clients and `readOrganization` add them, and the latter reads them. */
  readonly organizations = new Map<string, string>();
  private readonly tails = new Map<string, Promise<unknown>>();

  /** `print` shows one line to the user. */
  constructor(
    environment: SettingSource,
    readonly print: (line: string) => void,
  ) {
    super(environment);
  }

  /** Creates an object that is none of these, and says so if the answer was lost. */
  async create(definition: ResourceDefinition, key: Key, values: FieldValues, others: readonly Found[]) {
    const isOther = (id: string) => others.some((object) => object.id === id);
    const attempt = { attemptedAt: this.api.serviceNow(), isOther };
    const object = await definition.create(this.api, key, values, attempt);
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

  /** True for the client or the link of this name if a resource of the program has it. Then it stays, which the user is told. */
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
