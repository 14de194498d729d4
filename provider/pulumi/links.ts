/** The resource classes of single links. */
import { all, type CustomResourceOptions, type ID, type Input, output, RunError } from '@pulumi/pulumi';
import { definitionOf } from '../../resources';
import { claimsOfRun } from './claims';
import { accountOf, propertiesOf, typeOf } from './declare';
import { OAuthClient } from './oauth-client';
import {
  type ProjectAttachmentArgs,
  ProjectAttachmentProperties,
  type RunTriggerArgs,
  RunTriggerProperties,
} from './properties';

const attachment = definitionOf('ProjectAttachment');
const trigger = definitionOf('RunTrigger');

/** One project that an OAuth client is offered to. Goes with its client, unless that one is retained or only read, or `deletedWith` says otherwise. */
export class ProjectAttachment extends ProjectAttachmentProperties {
  /** Reads an existing attachment by its id (`oc-…/prj-…`), without managing it. */
  static get(name: string, id: Input<ID>, opts?: CustomResourceOptions): ProjectAttachment {
    return new ProjectAttachment(name, {} as ProjectAttachmentArgs, { ...opts, id });
  }

  constructor(name: string, args: ProjectAttachmentArgs, opts: CustomResourceOptions = {}) {
    const isRead = opts.id !== undefined;
    const owner = `ProjectAttachment "${name}"`;
    const clients = isRead ? [] : clientsBehind(args.oauthClientId);
    for (const client of clients) {
      if (!client.managesProjects) continue;
      throw new RunError(
        `${owner} and the OAuthClient it is for would undo each other's work: projectIds of the client means exactly these. Keep one of them`,
      );
    }
    const claims = claimsOfRun();
    const oauthClientId = isRead
      ? undefined
      : output(args.oauthClientId).apply((id) => {
          const because = 'projectIds of the client means exactly these';
          claims.touch(`a project of ${id}`, `projects of ${id}`, owner, because);
          return id;
        });
    if (!isRead) claimPair(owner, 'attachment', args.projectId, args.oauthClientId);
    const [client, ...others] = clients;
    // A client that stays takes nothing along: its attachments are then detached one by one.
    const goesAlong = client !== undefined && others.length === 0 && !client.isRetained;
    super(
      typeOf('ProjectAttachment'),
      name,
      {
        ...propertiesOf('projectAttachment', attachment, {}, isRead ? {} : { ...args, oauthClientId }),
        organization: undefined,
        ...accountOf('ProjectAttachment', opts),
      },
      { ...(goesAlong ? { deletedWith: client } : {}), ...opts },
    );
  }
}

/** The OAuthClient resources that an input comes from. */
function clientsBehind(input: unknown): readonly OAuthClient[] {
  if (typeof input !== 'object' || input === null || !('resources' in input)) return [];
  const { resources } = input;
  if (typeof resources !== 'function') return [];
  const found: unknown = resources.call(input);
  return found instanceof Set ? [...found].filter(OAuthClient.isInstance) : [];
}

/** Runs of the source workspace create runs in the target workspace. */
export class RunTrigger extends RunTriggerProperties {
  /** Reads an existing trigger by its id (`rt-…`), without managing it. */
  static get(name: string, id: Input<ID>, opts?: CustomResourceOptions): RunTrigger {
    return new RunTrigger(name, {} as RunTriggerArgs, { ...opts, id });
  }

  constructor(name: string, args: RunTriggerArgs, opts: CustomResourceOptions = {}) {
    const inputs = opts.id === undefined ? claimed(`RunTrigger "${name}"`, args) : {};
    super(
      typeOf('RunTrigger'),
      name,
      { ...propertiesOf('runTrigger', trigger, {}, inputs), ...accountOf('RunTrigger', opts) },
      opts,
    );
  }
}

/** The ends of a trigger, each refused where a set decides on it. */
function claimed(owner: string, args: RunTriggerArgs): RunTriggerArgs {
  const claims = claimsOfRun();
  const workspaceId = output(args.workspaceId).apply((id) => {
    claims.touch(`a trigger into ${id}`, `triggers into ${id}`, owner, 'an inbound set means exactly these');
    return id;
  });
  const sourceableId = output(args.sourceableId).apply((id) => {
    claims.touch(`a trigger from ${id}`, `triggers from ${id}`, owner, 'an outbound set means exactly these');
    return id;
  });
  claimPair(owner, 'trigger', args.sourceableId, args.workspaceId);
  return { workspaceId, sourceableId };
}

/** A link is its pair: of two resources for one, the first to go would take it from the other. */
function claimPair(owner: string, noun: string, fromEnd: Input<string>, toEnd: Input<string>): void {
  const claims = claimsOfRun();
  all([fromEnd, toEnd]).apply(([from, to]) => {
    const link = `the ${noun} of ${from} to ${to}`;
    claims.take(link, owner, `both are ${link}`);
  });
}
