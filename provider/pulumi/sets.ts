/** The resource classes of sets of run triggers. */
import { all, type CustomResourceOptions, type Input, output } from '@pulumi/pulumi';
import { setInputs } from '../own-inputs';
import { inboundSet, outboundSet, type SetKind, setFields } from '../set-kinds';
import { claimsOfRun } from './claims';
import { accountOf, propertiesOf, typeOf } from './declare';
import {
  type InboundRunTriggersArgs,
  InboundRunTriggersProperties,
  type OutboundRunTriggersArgs,
  OutboundRunTriggersProperties,
} from './properties';

/** Exactly these workspaces trigger runs in the target workspace. */
export class InboundRunTriggers extends InboundRunTriggersProperties {
  constructor(name: string, args: InboundRunTriggersArgs, opts: CustomResourceOptions = {}) {
    const ends = claimed(inboundSet, name, args.workspaceId, args.sourceableIds);
    const inputs = { ...args, workspaceId: ends.fixed, sourceableIds: ends.members };
    super(
      typeOf('InboundRunTriggers'),
      name,
      {
        ...propertiesOf('inboundRunTriggers', { fields: setFields(inboundSet) }, setInputs, inputs),
        ...accountOf('InboundRunTriggers', opts),
      },
      opts,
    );
  }
}

/** Exactly these workspaces are triggered by runs of the source workspace. */
export class OutboundRunTriggers extends OutboundRunTriggersProperties {
  constructor(name: string, args: OutboundRunTriggersArgs, opts: CustomResourceOptions = {}) {
    const ends = claimed(outboundSet, name, args.sourceableId, args.workspaceIds);
    const inputs = { ...args, sourceableId: ends.fixed, workspaceIds: ends.members };
    super(
      typeOf('OutboundRunTriggers'),
      name,
      {
        ...propertiesOf('outboundRunTriggers', { fields: setFields(outboundSet) }, setInputs, inputs),
        ...accountOf('OutboundRunTriggers', opts),
      },
      opts,
    );
  }
}

/** Both ends, refused where another resource of this program decides on the same triggers. */
function claimed(
  kind: SetKind,
  name: string,
  fixedEnd: Input<string>,
  memberEnds: Input<readonly Input<string>[]>,
) {
  const claims = claimsOfRun();
  const owner = `${kind.kind} "${name}"`;
  const way = kind.direction === 'inbound' ? 'into' : 'from';
  const because = `a set means exactly these ${kind.noun}`;
  const fixed = output(fixedEnd).apply((id) => {
    claims.takeWhole(`triggers ${way} ${id}`, `a trigger ${way} ${id}`, owner, because);
    return id;
  });
  const members = all([fixed, output(memberEnds)]).apply(([id, ids]) => {
    claims.meet(kind.direction, id, ids, owner);
    return ids;
  });
  return { fixed, members };
}
