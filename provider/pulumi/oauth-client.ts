/** The resource class of OAuth clients. */
import { all, type CustomResourceOptions, type ID, type Input, output } from '@pulumi/pulumi';
import { definitionOf } from '../../resources';
import { clientInputs } from '../own-inputs';
import { claimsOfRun } from './claims';
import { accountOf, createKeyOf, propertiesOf, secretsOf, typeOf } from './declare';
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
  readonly managesProjects: boolean;
  /** True where the client outlives its resource: with `retainOnDelete`, and when it was only read. */
  readonly isRetained: boolean;

  constructor(name: string, args: OAuthClientArgs, opts: CustomResourceOptions = {}) {
    const isRead = opts.id !== undefined;
    const key = isRead ? {} : { createKey: createKeyOf('OAuthClient', name, opts) };
    super(
      typeOf('OAuthClient'),
      name,
      {
        ...propertiesOf('oauthClient', definition, clientInputs, args),
        ...accountOf('OAuthClient', opts),
        ...key,
      },
      {
        ...opts,
        additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secretsOf(definition)],
      },
    );
    this.managesProjects = !isRead && args.projectIds !== undefined && args.projectIds !== null;
    this.isRetained = isRead || opts.retainOnDelete === true;
    if (!isRead) claim(this, `OAuthClient "${name}"`, args.adoptId);
  }
}

/** The id is only known once the engine has the resource; attachments given its output are refused before that. */
function claim(client: OAuthClient, owner: string, adoptId: Input<string | undefined>): void {
  const claims = claimsOfRun();
  const take = (id: string): void => claims.take(id, owner, `both are the OAuth client ${id}`);
  const adopted = output(adoptId).apply((id) => {
    if (id) take(id);
    return id;
  });
  all([client.id, adopted]).apply(([id, known]) => {
    if (id !== known) take(id);
    if (!client.managesProjects) return;
    const because = 'projectIds of the client means exactly these';
    claims.takeWhole(`projects of ${id}`, `a project of ${id}`, owner, because);
  });
}
