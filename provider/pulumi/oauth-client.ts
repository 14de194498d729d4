/** The resource class of OAuth clients. */
import type { CustomResourceOptions, ID, Input } from '@pulumi/pulumi';
import { definitionOf } from '../../resources';
import { clientInputs } from '../own-inputs';
import { type Bindings, bind } from './bindings';
import { createKeyOf, explicitMark, propertiesOf, providerOf, secretsOf, typeOf } from './declare';
import { type OAuthClientArgs, OAuthClientProperties } from './properties';

const definition = definitionOf('OAuthClient');

/** The connection between an organization and a VCS provider; protected from destruction unless told otherwise. */
export class OAuthClient extends OAuthClientProperties {
  /** Reads an existing client by its id, without managing it. Fails when there is none. */
  static get(name: string, id: Input<ID>, opts?: CustomResourceOptions): OAuthClient {
    return new OAuthClient(name, {} as OAuthClientArgs, { ...opts, id });
  }

  /** True for an OAuthClient of any copy of this package. */
  static override isInstance(value: unknown): value is OAuthClient {
    return typeof value === 'object' && value !== null && '__pulumiType' in value
      ? value.__pulumiType === typeOf('OAuthClient')
      : false;
  }

  /** True where `projectIds` was given, so that this resource alone decides on the projects. */
  declare readonly managesProjects: boolean;

  constructor(name: string, args: OAuthClientArgs, opts: CustomResourceOptions = {}) {
    const isRead = opts.id !== undefined;
    const owner = `OAuthClient "${name}"`;
    const provider = providerOf(opts);
    const { adoptId } = args;
    if (!isRead && adoptId !== undefined) {
      bind(provider, [adoptId], (bindings, [id]) => bindClient(bindings, owner, id));
    }
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
    bind(provider, [this.id, adoptId ?? ''], (bindings, [id, adopted]) => {
      if (id !== adopted) bindClient(bindings, owner, id);
      if (!managesProjects) return;
      bindings.whole(`projects of ${id}`, owner, 'projectIds of the client means exactly these');
    });
  }
}

function bindClient(bindings: Bindings, owner: string, id: string | undefined): void {
  if (id) bindings.whole(`the OAuth client ${id}`, owner, `both are the OAuth client ${id}`);
}
