/** The resource class of OAuth clients. */
import { type CustomResourceOptions, type ID, type Input, output } from '@pulumi/pulumi';
import { definitionOf } from '../../resources/registry';
import { clientInputs } from '../own-inputs';
import { type Bindings, bind } from './bindings';
import { createKeyOf, explicitMark, isOfKind, propertiesOf, providerOf, secretsOf, typeOf } from './declare';
import { type OAuthClientArgs, OAuthClientProperties } from './properties';

const definition = definitionOf('OAuthClient');

/** What a `get` may be told: with the organization its list is read, once for all clients. */
export type OAuthClientState = Partial<Pick<OAuthClientArgs, 'organization'>>;

/** The connection between an organization and a VCS provider; protected from destruction unless told otherwise. */
export class OAuthClient extends OAuthClientProperties {
  /** Reads an existing client by its id, without managing it. Fails when there is none. */
  static get(
    name: string,
    id: Input<ID>,
    state: OAuthClientState = {},
    opts?: CustomResourceOptions,
  ): OAuthClient {
    return new OAuthClient(name, state as OAuthClientArgs, { ...opts, id });
  }

  /** True for an OAuthClient of any copy of this package. */
  static override isInstance(value: unknown): value is OAuthClient {
    return isOfKind('OAuthClient', value);
  }

  /** True where `projectIds` was given, so that this resource alone decides on the projects. */
  declare readonly managesProjects: boolean;

  constructor(name: string, args: OAuthClientArgs, opts: CustomResourceOptions = {}) {
    const isRead = opts.id !== undefined;
    const owner = `OAuthClient "${name}"`;
    const provider = providerOf(opts);
    const { adoptId = '' } = args;
    const adopts = typeof adoptId === 'string' ? adoptId : output(adoptId).apply((id) => id ?? '');
    if (!isRead) bind(provider, [adopts], (bindings, [id]) => bindClient(bindings, owner, id));
    super(
      typeOf('OAuthClient'),
      name,
      {
        ...propertiesOf('oauthClient', definition, clientInputs, args),
        ...explicitMark(opts),
        ...(isRead ? {} : { createKey: createKeyOf('OAuthClient', name, opts) }),
      },
      {
        ...opts,
        additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secretsOf(definition)],
      },
    );
    const managesProjects = !isRead && args.projectIds !== undefined && args.projectIds !== null;
    // Not enumerable: a program may export the whole resource as an output.
    Object.defineProperty(this, 'managesProjects', { value: managesProjects });
    if (isRead) return;
    // The id is only known once the engine has the resource; attachments given its output are refused before that.
    bind(provider, [this.id, adopts], (bindings, [id, adopted]) => {
      if (id !== adopted) bindClient(bindings, owner, id);
      if (!managesProjects) return;
      bindings.whole(`projects of ${id}`, owner, 'projectIds of the client means exactly these');
    });
  }
}

function bindClient(bindings: Bindings, owner: string, id: string | undefined): void {
  if (id) bindings.whole(`the OAuth client ${id}`, owner, `both are the OAuth client ${id}`);
}
