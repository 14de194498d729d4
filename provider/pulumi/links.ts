/** The resource classes of single links. */
import type { CustomResourceOptions, ID, Input } from '@pulumi/pulumi';
import { definitionOf } from '../../resources/registry';
import { bind } from './bindings';
import { explicitMark, isOfKind, propertiesOf, providerOf, typeOf } from './declare';
import { OAuthClient } from './oauth-client';
import {
  type ProjectAttachmentArgs,
  ProjectAttachmentProperties,
  type RunTriggerArgs,
  RunTriggerProperties,
} from './properties';
import { refusal } from './refusal';

const attachment = definitionOf('ProjectAttachment');
const trigger = definitionOf('RunTrigger');

/** What a `get` may be told. */
export type ProjectAttachmentState = Partial<ProjectAttachmentArgs>;
/** What a `get` may be told: with both ends their lists are read, once for many triggers. */
export type RunTriggerState = Partial<RunTriggerArgs>;

/** One project that an OAuth client is offered to. */
export class ProjectAttachment extends ProjectAttachmentProperties {
  /** Reads an existing attachment by its id (`oc-…/prj-…`), without managing it. */
  static get(
    name: string,
    id: Input<ID>,
    state: ProjectAttachmentState = {},
    opts?: CustomResourceOptions,
  ): ProjectAttachment {
    return new ProjectAttachment(name, state as ProjectAttachmentArgs, { ...opts, id });
  }

  /** True for a ProjectAttachment of any copy of this package. */
  static override isInstance(value: unknown): value is ProjectAttachment {
    return isOfKind('ProjectAttachment', value);
  }

  constructor(name: string, args: ProjectAttachmentArgs, opts: CustomResourceOptions = {}) {
    const isRead = opts.id !== undefined;
    const owner = `ProjectAttachment "${name}"`;
    const clients = isRead ? [] : clientsBehind(args.oauthClientId);
    if (clients.some((client) => client.managesProjects)) {
      throw refusal(
        `${owner} and the OAuthClient it is for would undo each other's work: projectIds of the client means exactly these. Keep one of them`,
      );
    }
    if (!isRead) {
      bind(providerOf(opts), [args.oauthClientId, args.projectId], (bindings, [client, project]) => {
        bindings.part(`projects of ${client}`, owner, 'projectIds of the client means exactly these');
        const link = `the attachment of ${project} to ${client}`;
        bindings.whole(link, owner, `both are ${link}`);
      });
    }
    super(
      typeOf('ProjectAttachment'),
      name,
      {
        ...propertiesOf('projectAttachment', attachment, {}, args),
        organization: undefined,
        ...explicitMark(opts),
      },
      opts,
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
  static get(
    name: string,
    id: Input<ID>,
    state: RunTriggerState = {},
    opts?: CustomResourceOptions,
  ): RunTrigger {
    return new RunTrigger(name, state as RunTriggerArgs, { ...opts, id });
  }

  /** True for a RunTrigger of any copy of this package. */
  static override isInstance(value: unknown): value is RunTrigger {
    return isOfKind('RunTrigger', value);
  }

  constructor(name: string, args: RunTriggerArgs, opts: CustomResourceOptions = {}) {
    const isRead = opts.id !== undefined;
    if (!isRead) {
      const owner = `RunTrigger "${name}"`;
      bind(providerOf(opts), [args.sourceableId, args.workspaceId], (bindings, [source, target]) => {
        bindings.part(`triggers into ${target}`, owner, 'an inbound set means exactly these');
        bindings.part(`triggers from ${source}`, owner, 'an outbound set means exactly these');
        const link = `the trigger of ${source} to ${target}`;
        bindings.whole(link, owner, `both are ${link}`);
      });
    }
    super(
      typeOf('RunTrigger'),
      name,
      { ...propertiesOf('runTrigger', trigger, {}, args), ...explicitMark(opts) },
      opts,
    );
  }
}
