/**
 * The fixture of `probe.ts`, whose rows each ask the service one question that the API text leaves open. It makes clients and triggers of this
 * run, and describes answers without words of the service, which may name something.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceResponse, triggerBody } from '../support/api-caller';
import type { Places } from './places';
import { patchBody, type Requests, toResource } from './requests';
import { type OwnName, type Scope, toLetters } from './scope';
import { Refused, type Settings, type Vcs } from './settings';
import { clientsPath, type SeenClient, toClient, toTrigger, triggersPath } from './sight';

/** The service did not do what a row needs before it can observe anything. */
export class NotObservable extends Error {}

export interface ProbeAnswer {
  /** Compared with what the profile assumes. */
  readonly answer: string;
  /** Pointers and shapes. */
  readonly detail?: string;
}

const patienceMs = { loopback: 5000, elsewhere: 30_000 };
const pauseMs = { loopback: 10, elsewhere: 500 };

export class ProbeStage {
  readonly settings: Settings;
  readonly vcs: Vcs;
  readonly places: Places;
  readonly requests: Requests;
  readonly #scope: Scope;
  #clients = 0;
  #client: Promise<string> | undefined;

  constructor({
    settings,
    vcs,
    places,
    requests,
    scope,
  }: {
    readonly settings: Settings;
    readonly vcs: Vcs;
    readonly places: Places;
    readonly requests: Requests;
    readonly scope: Scope;
  }) {
    this.settings = settings;
    this.vcs = vcs;
    this.places = places;
    this.requests = requests;
    this.#scope = scope;
  }

  get clientsPath(): string {
    return clientsPath(this.settings.organization);
  }

  /** Returns a name of this run that no other client has. */
  newName(): OwnName {
    this.#clients += 1;
    return `${this.#scope.prefix}probe-${toLetters(this.#clients)}`;
  }

  createClient(
    name = this.newName(),
    { attributes = {}, relationships = {} }: { attributes?: object; relationships?: object } = {},
  ): Promise<ServiceResponse> {
    const { serviceProvider, httpUrl, apiUrl, token } = this.vcs;
    const all = {
      name,
      'service-provider': serviceProvider,
      'http-url': httpUrl,
      'api-url': apiUrl,
      'oauth-token-string': token,
      'organization-scoped': false,
      ...attributes,
    };
    return this.requests.send('POST', this.clientsPath, { body: patchBody(all, relationships) });
  }

  /** Creates a client and returns its id. */
  async newClient(more: Parameters<ProbeStage['createClient']>[1] = {}): Promise<string> {
    const answer = await this.createClient(this.newName(), more);
    const id = await this.readClientId(answer);
    if (id === undefined) throw new NotObservable(`a create answered ${answer.status}`);
    return id;
  }

  /** Returns the id of a new client. Throws `Refused` if the answer names a client that is not this run's. */
  async readClientId(answer: ServiceResponse): Promise<string | undefined> {
    if (answer.status !== 201) return undefined;
    const id = answer.textAt('/data/id');
    if (!this.#scope.ownsClient(await this.readClient(id))) {
      throw new Refused(['The answer to a create names a client that is not of this run.']);
    }
    return id;
  }

  /** Returns the id of a new trigger. Throws `Refused` if the answer names a trigger that is not this run's. */
  async readTriggerId(answer: ServiceResponse): Promise<string | undefined> {
    if (answer.status !== 201) return undefined;
    const id = answer.textAt('/data/id');
    const shown = await this.requests.read(`/run-triggers/${id}`);
    if (shown.status !== 200) throw new NotObservable(`a trigger's own page answered ${shown.status}`);
    if (!this.#scope.ownsTrigger(toTrigger(toResource(shown.at('/data'))))) {
      throw new Refused(['The answer to a create names a trigger that is not of this run.']);
    }
    return id;
  }

  /** Returns the id of a client that rows share. It has no project. */
  client(): Promise<string> {
    this.#client ??= this.newClient();
    return this.#client;
  }

  async readClient(id: string): Promise<SeenClient> {
    const answer = await this.requests.read(`/oauth-clients/${id}`);
    if (answer.status !== 200) throw new NotObservable(`a client's own page answered ${answer.status}`);
    return toClient(toResource(answer.at('/data')));
  }

  /** Changes the projects of a client. */
  changeProjects(
    method: 'POST' | 'DELETE',
    id: string,
    ...projectIds: readonly string[]
  ): Promise<ServiceResponse> {
    const body = { data: projectIds.map((project) => ({ id: project, type: 'projects' })) };
    return this.requests.send(method, `/oauth-clients/${id}/relationships/projects`, { body });
  }

  deleteClient(id: string): Promise<ServiceResponse> {
    return this.requests.send('DELETE', `/oauth-clients/${id}`);
  }

  createTrigger(targetId: string, sourceId: string): Promise<ServiceResponse> {
    return this.requests.send('POST', `/workspaces/${targetId}/run-triggers`, {
      body: triggerBody(sourceId),
    });
  }

  deleteTrigger(id: string): Promise<ServiceResponse> {
    return this.requests.send('DELETE', `/run-triggers/${id}`);
  }

  /** Lets the first workspace trigger the second for the time of the work. */
  async withTrigger<Result>(work: (id: string) => Promise<Result>): Promise<Result> {
    const [first, second] = this.places.workspaceIds;
    const answer = await this.createTrigger(second, first);
    const id = await this.readTriggerId(answer);
    if (id === undefined) throw new NotObservable(`a create answered ${answer.status}`);
    try {
      return await work(id);
    } finally {
      await this.deleteTrigger(id);
    }
  }

  async listedClientIds(): Promise<readonly string[]> {
    return (await this.requests.list(this.clientsPath)).resources.map(({ id }) => id);
  }

  async listedTriggerIds(): Promise<readonly string[]> {
    const [, second] = this.places.workspaceIds;
    return (await this.requests.list(triggersPath(second, 'inbound'))).resources.map(({ id }) => id);
  }

  /** Says whether the first look has the wanted result, or how long it took. */
  async measureDelay(isReached: () => Promise<boolean>): Promise<ProbeAnswer> {
    if (await isReached()) return { answer: 'at once' };
    const place = this.settings.isLoopback ? 'loopback' : 'elsewhere';
    const started = Date.now();
    while (Date.now() - started < patienceMs[place]) {
      await sleep(pauseMs[place]);
      if (!(await isReached())) continue;
      return { answer: 'later', detail: `within ${Math.ceil((Date.now() - started) / 1000)} s` };
    }
    return { answer: 'later', detail: `not within ${patienceMs[place] / 1000} s` };
  }
}

/** Words of the API text. Other words of the service never reach the table, because they may name something. */
const apiWords = new Set(
  `data id type attributes relationships links meta errors status title detail source pointer parameter code header
  organization projects oauth-tokens agent-pool workspace sourceable name key secret private-key rsa-public-key http-url api-url
  service-provider oauth-token-string organization-scoped filter[run-trigger][type] page[size] page[number] include`.split(
    /\s+/,
  ),
);

/** Returns a pointer or parameter with `…` for each part that is no word of the API. */
export function inApiWords(text: string): string {
  const parts = text
    .split('/')
    .map((part) => (part === '' || /^\d{1,3}$/.test(part) || apiWords.has(part) ? part : '…'));
  return parts.join('/');
}

/** Returns the pointers and parameters of a refusal. */
export function placesInErrors(answer: ServiceResponse): string {
  const places = answer
    .sources()
    .filter((text) => text !== '')
    .map(inApiWords);
  return [...new Set(places)].sort().join(' ');
}

export function describeStatus(answer: ServiceResponse): ProbeAnswer {
  return { answer: String(answer.status), detail: placesInErrors(answer) };
}

/** Describes the members of the first error, and those that are not text. */
export function describeErrors(answer: ServiceResponse): string {
  if (answer.text === '') return 'no JSON';
  const [first, ...others] = answer.listAt('/errors');
  if (first === undefined) return 'no errors';
  if (typeof first === 'string') return 'errors are texts';
  const members = Object.entries(Object(first) as object).flatMap(([name, value]) => {
    const word = inApiWords(name.replaceAll('/', '-'));
    if (name === 'source') return Object.keys(Object(value)).map((part) => `source.${inApiWords(part)}`);
    return [typeof value === 'string' ? word : `${word} (${value === null ? 'null' : typeof value})`];
  });
  const count = others.length > 0 ? ', several errors' : '';
  return `${[...new Set(members)].sort().join(', ')}${count}`;
}
