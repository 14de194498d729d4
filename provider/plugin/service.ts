/** What the engine may ask the plugin: the methods of the protocol, over the handlers of each resource type. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import {
  CheckFailure,
  type CheckRequest,
  CheckResponse,
  type ConfigureRequest,
  ConfigureResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  DiffResponse,
  GetSchemaResponse,
  type InvokeRequest,
  InvokeResponse,
  PropertyDiff,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from '@pulumi/pulumi/proto/provider_pb';
import { suggestion } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { settings } from '../account';
import { kindOf } from '../bindings';
import { ProviderError } from '../failures';
import { readFunctions } from '../functions';
import { links } from '../links';
import { oauthClients } from '../oauth-clients';
import { isSetType, type ResourceType, resourceTypes } from '../resource-types';
import type { Difference, Handlers, Session } from '../session';
import { sets } from '../sets';
import { importedMark, type Props } from '../state';
import { answering, Empty, propsOf, structOf } from './wire';

const { version } = require('../../../package.json') as { readonly version: string };

interface Handled {
  readonly type: ResourceType;
  readonly handlers: Handlers;
}

/** The service that grpc serves; methods that it lacks are answered as unimplemented. */
export function pluginService(session: Session) {
  const byKind = new Map<string, Handled>(
    resourceTypes.map((type) => [type.kind, { type, handlers: handlersOf(session, type) }]),
  );
  const of = (request: { getUrn(): string }): Handled => {
    const found = byKind.get(kindOf(request.getUrn()));
    if (found === undefined) throw new ProviderError(`there is no resource type ${kindOf(request.getUrn())}`);
    return found;
  };
  /** As the engine keeps it, with the secrets that were last given. */
  const oldsOf = (request: DiffRequest | UpdateRequest): Props => {
    const { fields } = of(request).type;
    const inputs = Object.entries(propsOf(request.getOldInputs()));
    const secrets = inputs.filter(([name]) => fields[name]?.writeOnly);
    return { ...propsOf(request.getOlds()), ...Object.fromEntries(secrets) };
  };
  /** Nobody but the old inputs says that no `up` has had it yet. */
  const markOf = (request: DiffRequest | DeleteRequest): Props => {
    return { [importedMark]: propsOf(request.getOldInputs())[importedMark] };
  };
  const typeOf = (request: { getUrn(): string }) => of(request).type;

  return {
    getPluginInfo: answering(() => new PluginInfo().setVersion(version)),
    getSchema: answering(() =>
      new GetSchemaResponse().setSchema(
        readFileSync(join(__dirname, '../../../schemas/pulumi.schema.json'), 'utf8'),
      ),
    ),
    checkConfig: answering((request: CheckRequest) => {
      const given = propsOf(request.getNews());
      const failures = Object.keys(given).flatMap((name) => {
        if ([...settings, 'version', 'pluginDownloadURL'].includes(name)) return [];
        return `tether:${name}: there is no such setting (one of the program's own needs another namespace than tether)${suggestion(name, settings, 'the settings')}`;
      });
      return checked(given, failures, { fields: { token: secretField } });
    }),
    configure: answering((request: ConfigureRequest) => {
      if (!request.hasUrn()) throw new ProviderError('tether needs a newer Pulumi: install 3.216 or later');
      compareVersions(propsOf(request.getArgs()).version, session.around.say);
      const variables = request.getVariablesMap();
      const given = settings.map((name) => [name, variables.get(`tether:config:${name}`) || undefined]);
      // The engine's name for the provider that no program made: with the version of the classes, if they say it.
      const explicit = !/::default(?:_\d+_\d+_\d+(?:_[^:]*)?)?$/u.test(request.getUrn() ?? '');
      session.configure({ ...Object.fromEntries(given), explicit });
      return new ConfigureResponse();
    }),
    check: answering(async (request: CheckRequest) => {
      const { type, handlers } = of(request);
      const olds = propsOf(request.getOlds());
      const { inputs, failures } = await handlers.check(request.getUrn(), olds, propsOf(request.getNews()));
      return checked(
        inputs,
        failures.map(({ reason }) => reason),
        type,
      );
    }),
    diff: answering(async (request: DiffRequest) => {
      const olds = { ...oldsOf(request), ...markOf(request) };
      const news = propsOf(request.getNews());
      return diffed(
        olds,
        news,
        await of(request).handlers.diff(request.getUrn(), request.getId(), olds, news),
      );
    }),
    create: answering(async (request: CreateRequest) => {
      const { type, handlers } = of(request);
      const { id, outs } = await handlers.create(request.getUrn(), propsOf(request.getProperties()));
      return new CreateResponse().setId(id).setProperties(structOf(outs, type));
    }, typeOf),
    read: answering(async (request: ReadRequest) => {
      const { type, handlers } = of(request);
      const state = propsOf(request.getProperties());
      const inputs = propsOf(request.getInputs());
      const read = await handlers.read(request.getUrn(), request.getId(), state, inputs);
      const response = new ReadResponse().setId(read.id ?? '');
      if (read.props !== undefined) response.setProperties(structOf(read.props, type));
      if (read.inputs !== undefined) response.setInputs(structOf(read.inputs, type));
      return response;
    }),
    update: answering(async (request: UpdateRequest) => {
      const { type, handlers } = of(request);
      const news = propsOf(request.getNews());
      const { outs } = await handlers.update(request.getUrn(), request.getId(), oldsOf(request), news);
      return new UpdateResponse().setProperties(structOf(outs, type));
    }, typeOf),
    delete: answering(async (request: DeleteRequest) => {
      const props = { ...propsOf(request.getProperties()), ...markOf(request) };
      await of(request).handlers.delete(request.getUrn(), request.getId(), props);
      return new Empty();
    }),
    invoke: answering(async (request: InvokeRequest) => {
      const name = request.getTok().split(':').at(-1) ?? '';
      const read = readFunctions.find((one) => one.name === name);
      if (read === undefined) throw new ProviderError(`there is no function ${name}`);
      const found = await read.call(session, propsOf(request.getArgs()));
      return new InvokeResponse().setReturn(structOf(found, { fields: {} }));
    }),
    cancel: answering(() => {
      session.cancel();
      return new Empty();
    }),
  };
}

const secretField = { type: 'string', doc: '', onChange: 'update', writeOnly: true } as const;

function handlersOf(session: Session, type: ResourceType): Handlers {
  if (isSetType(type)) return sets(session, type);
  if (type.definition.pair.length > 0) return links(session, type);
  if (type.definition === oauthClient) return oauthClients(session);
  throw new Error(`there are no handlers for ${type.kind}`);
}

/** The program's classes may be newer than the plugin that the engine found. A state may be older. */
function compareVersions(asked: unknown, say: Session['around']['say']): void {
  if (typeof asked !== 'string') return;
  const [wanted = '', own = ''] = [asked, version].map((one) => one.replace(/[-+].*$/u, ''));
  const order = wanted.localeCompare(own, 'en', { numeric: true });
  if (order < 0) say(`resources of tether-iac ${asked} are served by the plugin of ${version}`);
  if (order <= 0) return;
  throw new ProviderError(
    `the program uses tether-iac ${asked}, and this plugin is ${version}: let plugins.providers of Pulumi.yaml, or PATH, lead to the plugin of the program's own tether-iac`,
  );
}

/** Without the property of a failure: the engine would print its value, a secret too. */
function checked(inputs: Props, failures: readonly string[], type: Pick<ResourceType, 'fields'>) {
  return new CheckResponse()
    .setInputs(structOf(inputs, type))
    .setFailuresList(failures.map((reason) => new CheckFailure().setReason(reason)));
}

function diffed(olds: Props, news: Props, { update, replace, deleteBeforeReplace = false }: Difference) {
  const names = [...update, ...replace];
  const response = new DiffResponse()
    .setChanges(DiffResponse.DiffChanges[names.length > 0 ? 'DIFF_SOME' : 'DIFF_NONE'])
    .setDiffsList(names)
    .setReplacesList([...replace])
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  const detailed = response.getDetaileddiffMap();
  for (const name of names) {
    for (const [path, kind] of changesIn(name, olds[name] ?? null, news[name] ?? null)) {
      const whole = replace.includes(name) ? (`${kind}_REPLACE` as const) : kind;
      detailed.set(path, new PropertyDiff().setKind(PropertyDiff.Kind[whole]));
    }
  }
  return response;
}

/** Of a set each member that comes or goes, at its place in the new or the old list. */
function changesIn(name: string, before: unknown, after: unknown) {
  const changes = new Map<string, 'ADD' | 'DELETE' | 'UPDATE'>();
  if (Array.isArray(before) && Array.isArray(after)) {
    for (const [index, one] of before.entries()) {
      if (!after.includes(one)) changes.set(`${name}[${index}]`, 'DELETE');
    }
    for (const [index, one] of after.entries()) {
      const path = `${name}[${index}]`;
      if (!before.includes(one)) changes.set(path, changes.has(path) ? 'UPDATE' : 'ADD');
    }
  } else changes.set(name, before === null ? 'ADD' : after === null ? 'DELETE' : 'UPDATE');
  return changes;
}
