/** Lists the objects that links refer to. The API text has no such lists, so a profile says where they exist. */
import type { NamedType, Perform, ReadApi } from './api';
import { readDocument } from './json-api';
import { createListReader } from './pages';

const searchParameters: Readonly<Record<NamedType, string>> = {
  workspaces: 'search[name]',
  projects: 'q',
  'agent-pools': 'q',
};

export function nameReads(perform: Perform): ReadApi['names'] {
  const readList = createListReader(perform);
  const read = (organization: string, type: NamedType, query: Readonly<Record<string, string>>) =>
    readList({
      path: ['organizations', organization, type],
      query,
      type,
      item: (resource) => readDocument(resource, { name: { wire: 'name', response: 'string' } } as const),
    });
  return {
    list: (organization, type) => read(organization, type, {}),
    search: (organization, type, name) => read(organization, type, { [searchParameters[type]]: name }),
  };
}
