/** What the workspaces, projects or agent pools of an organization are called, where a profile has lists of them. */
import type { ReadApi } from '../client/api';
import { createPageReader, mostPages, mostPasses } from '../client/pages';
import type { ExternalKind } from '../resources/names';

export type NameList = ReturnType<typeof nameList>;

/** One list, read as far as somebody needs it. A change while it is paged can still hide a name. */
export function nameList(api: ReadApi, organization: string, external: ExternalKind) {
  /** By id. */
  const names = new Map<string, string>();
  const readPage = createPageReader(api.perform);
  // The JSON:API type: `agent-pools`.
  const type = `${external.noun.replace(' ', '-')}s`;
  const path = ['organizations', organization, type];
  let requests = 0;
  const take = async (number: number, query: Readonly<Record<string, string>> = {}) => {
    requests += 1;
    const page = await readPage(
      { path, query, type, item: ({ id, attributes }) => ({ id, attributes }) },
      number,
    );
    for (const { id, attributes } of page.items) names.set(id, String(attributes.name ?? ''));
    return page;
  };
  let [isWhole, reads, next] = [false, 0, 1];
  /** All pages, again while some slip by; not past one that says that more than `most` follow. */
  const read = async (most = Number.POSITIVE_INFINITY) => {
    for (let follow = 0; !isWhole && follow <= most && reads < mostPages; ) {
      const { items, totalCount, last } = await take(next);
      reads += 1;
      follow = Math.ceil(totalCount / Math.max(1, items.length)) - next;
      const isEnd = last || items.length === 0;
      isWhole = isEnd && (names.size >= totalCount || reads >= mostPasses * next);
      next = isEnd ? 1 : next + 1;
    }
    return names;
  };
  /** From the fewest calls: a search for each, or the whole list, of which page 1 says how long it is; all of it while not `isClear`. */
  const find = async (wanted: ReadonlySet<string>, isClear: () => boolean) => {
    if (wanted.size > 1 && reads === 0) await read(wanted.size);
    for (const name of isWhole ? [] : wanted) {
      // A search that goes on may be as long as the list.
      if (!(await take(1, { [external.search]: name })).last) return read();
    }
    return isClear() ? names : read();
  };
  const idsOf = (name: string) => [...names].flatMap(([id, one]) => (one === name ? id : []));
  return { external, names, idsOf, read, find, requests: () => requests };
}
