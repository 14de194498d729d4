/** The resource classes of sets of run triggers. */
import { type CustomResourceOptions, type ID, type Input, output } from '@pulumi/pulumi';
import { setInputs } from '../own-inputs';
import { inboundSet, outboundSet, type SetKind, setFields } from '../set-kinds';
import { bind } from './bindings';
import { explicitMark, isOfKind, propertiesOf, providerOf, typeOf } from './declare';
import {
  type InboundRunTriggersArgs,
  InboundRunTriggersProperties,
  type OutboundRunTriggersArgs,
  OutboundRunTriggersProperties,
} from './properties';

/** What a `get` may be told; its id says it as well. */
export type InboundRunTriggersState = Partial<Pick<InboundRunTriggersArgs, 'workspaceId'>>;
/** What a `get` may be told; its id says it as well. */
export type OutboundRunTriggersState = Partial<Pick<OutboundRunTriggersArgs, 'sourceableId'>>;

/** Exactly these workspaces trigger runs in the target workspace. */
export class InboundRunTriggers extends InboundRunTriggersProperties {
  /** Reads all triggers that are there, by the id of the set (`ws-…/inbound`), without managing them. */
  static get(
    name: string,
    id: Input<ID>,
    state: InboundRunTriggersState = {},
    opts?: CustomResourceOptions,
  ): InboundRunTriggers {
    return new InboundRunTriggers(name, state as InboundRunTriggersArgs, { ...opts, id });
  }

  /** True for an InboundRunTriggers of any copy of this package. */
  static override isInstance(value: unknown): value is InboundRunTriggers {
    return isOfKind('InboundRunTriggers', value);
  }

  constructor(name: string, args: InboundRunTriggersArgs, opts: CustomResourceOptions = {}) {
    if (opts.id === undefined) bindSet(inboundSet, name, opts, args.workspaceId, args.sourceableIds);
    super(
      typeOf('InboundRunTriggers'),
      name,
      {
        ...propertiesOf('inboundRunTriggers', { fields: setFields(inboundSet) }, setInputs, args),
        ...explicitMark(opts),
      },
      opts,
    );
  }
}

/** Exactly these workspaces are triggered by runs of the source workspace. */
export class OutboundRunTriggers extends OutboundRunTriggersProperties {
  /** Reads all triggers that are there, by the id of the set (`ws-…/outbound`), without managing them. */
  static get(
    name: string,
    id: Input<ID>,
    state: OutboundRunTriggersState = {},
    opts?: CustomResourceOptions,
  ): OutboundRunTriggers {
    return new OutboundRunTriggers(name, state as OutboundRunTriggersArgs, { ...opts, id });
  }

  /** True for an OutboundRunTriggers of any copy of this package. */
  static override isInstance(value: unknown): value is OutboundRunTriggers {
    return isOfKind('OutboundRunTriggers', value);
  }

  constructor(name: string, args: OutboundRunTriggersArgs, opts: CustomResourceOptions = {}) {
    if (opts.id === undefined) bindSet(outboundSet, name, opts, args.sourceableId, args.workspaceIds);
    super(
      typeOf('OutboundRunTriggers'),
      name,
      {
        ...propertiesOf('outboundRunTriggers', { fields: setFields(outboundSet) }, setInputs, args),
        ...explicitMark(opts),
      },
      opts,
    );
  }
}

/** Refuses the set where another resource of this program decides on the same triggers. */
function bindSet(
  kind: SetKind,
  name: string,
  opts: CustomResourceOptions,
  fixed: Input<string>,
  members: Input<readonly Input<string>[]>,
): void {
  const owner = `${kind.kind} "${name}"`;
  const inbound = kind.direction === 'inbound';
  const provider = providerOf(opts);
  bind(provider, [fixed], (bindings, [id]) => {
    bindings.whole(
      `triggers ${inbound ? 'into' : 'from'} ${id}`,
      owner,
      `a set means exactly these ${kind.noun}`,
    );
  });
  // Each by itself: one that is not known yet hides no other.
  const bindMembers = (all: readonly Input<string>[]): void => {
    for (const member of all) {
      bind(provider, inbound ? [member, fixed] : [fixed, member], (bindings, [source, target]) => {
        bindings.part(
          inbound ? `triggers from ${source}` : `triggers into ${target}`,
          owner,
          `both decide whether ${source} triggers ${target}`,
        );
      });
    }
  };
  if (Array.isArray(members)) bindMembers(members);
  else output(members).apply(bindMembers);
}
