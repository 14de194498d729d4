/** Project attachments and run triggers under Pulumi. A link that exists is adopted. */
import type { Found, Key, ResourceDefinition } from '../resources/kind';
import { maxLinks } from '../resources/violations';
import { type Props, ResourceProvider, readString } from './resource-provider';
import { linkName, type Session } from './session';

/** When this process, and so the run, started. An existing link that is younger may come from another resource of this run. */
const startedAt = performance.now();

export class LinkProvider extends ResourceProvider {
  override async diff(id: string, olds: Props, news: Props) {
    // If targets have a limit on sources, the old trigger is deleted before the new one is created.
    const isLimited = maxLinks(this.definition.edge, this.session.profile) !== null;
    const deleteBeforeReplace = isLimited && olds.workspaceId === news.workspaceId;
    return { ...(await super.diff(id, olds, news)), deleteBeforeReplace };
  }

  async create(inputs: Props) {
    const key = await this.readKey(inputs);
    const { id, values, outputs } = await addLink(this.session, this.definition, key);
    return { id, outs: this.toState(inputs, { ...values, ...key }, outputs) };
  }

  async read(id: string, state: Props = {}) {
    return this.readObject(id, await this.readKey(state), state);
  }

  /** A change of any field replaces the link, so there is nothing to write. */
  async update(_id: string, olds: Props, news: Props) {
    return { outs: { ...olds, ...news } };
  }

  async delete(id: string, state: Props) {
    await removeLink(this.session, this.definition, await this.readKey(state), [id]);
  }

  /** Returns the ends of a link. An attachment also needs its organization, whose list of clients shows it. */
  private async readKey(props: Props): Promise<Key> {
    const { pair, shownBy } = this.definition;
    const ends = Object.fromEntries(pair.map((end) => [end, readString(props, end)]));
    if (shownBy === undefined) return ends;
    const { organization = await this.session.readOrganization(readString(props, shownBy)) } = props;
    return { ...ends, organization: String(organization) };
  }
}

/** Creates or adopts a link, also a member of a set. The list is shared, because creates of other pairs do not change the answer. */
export function addLink(session: Session, definition: ResourceDefinition, key: Key): Promise<Found> {
  return session.queue(definition.queue(key), async () => {
    const { api, lists } = session.connect();
    // Attaching twice has the same effect as once, so only triggers, which have no batch, are looked for.
    const [existingLink] = definition.batch === undefined ? await lists.find(definition, key) : [];
    if (existingLink === undefined) return session.create(definition, key, key, []);
    const ageMs = api.serviceNow() - Date.parse(String(existingLink.outputs.createdAt));
    if (ageMs >= performance.now() - startedAt) {
      const name = `${existingLink.id} (${definition.pair.map((end) => key[end]).join(', ')})`;
      session.print(`${name} existed, and is managed here now: \`pulumi destroy\` deletes it`);
    }
    return existingLink;
  });
}

/** Deletes the links of one pair. Returns false if there are none, or if another resource has them, such as a renamed one or a set. */
export async function removeLink(session: Session, definition: ResourceDefinition, key: Key, ids: string[]) {
  if (ids.length === 0 || session.keeps(linkName(definition, key), ids.join(', '))) return false;
  await session.queue(definition.queue(key), async () => {
    for (const id of ids) await definition.delete(session.api, id, key);
    session.connect().lists.forget(...definition.listedIn(key));
  });
  return true;
}
