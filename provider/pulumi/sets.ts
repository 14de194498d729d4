/** The resource classes of sets of run triggers. */
import { type CustomResourceOptions, type Input, output } from '@pulumi/pulumi';
import { setInputs } from '../own-inputs';
import { inboundSet, outboundSet, type SetKind, setFields } from '../set-kinds';
import { bind } from './bindings';
import { explicitMark, propertiesOf, providerOf, typeOf } from './declare';
import {
  type InboundRunTriggersArgs,
  InboundRunTriggersProperties,
  type OutboundRunTriggersArgs,
  OutboundRunTriggersProperties,
} from './properties';

/** Exactly these workspaces trigger runs in the target workspace. */
export class InboundRunTriggers extends InboundRunTriggersProperties {
  constructor(name: string, args: InboundRunTriggersArgs, opts: CustomResourceOptions = {}) {
    bindSet(inboundSet, name, opts, args.workspaceId, args.sourceableIds);
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
  constructor(name: string, args: OutboundRunTriggersArgs, opts: CustomResourceOptions = {}) {
    bindSet(outboundSet, name, opts, args.sourceableId, args.workspaceIds);
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
