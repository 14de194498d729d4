/** The lines under `approved:`: what may be destroyed or replaced, by its id, and how much at once, by the serial of the ledger. */
import { idViolation } from '../resources/violations';
import { readAddress } from './address';
import type { Approval, LimitApproval, ObjectApproval } from './desired';
import type { Scoped } from './field-value';
import type { MapEntry, Node } from './node';
import { refuseLink } from './orders';
import { readCount, readList, readMap, readMembers, readText, tellViolation } from './reading';

/** What a line may approve, each with what it is bound to. */
const bindings = { destroy: 'id', replace: 'id', deletes: 'serial', missing: 'serial' } as const;
const actions = ['destroy', 'replace', 'deletes', 'missing'] as const;
const keys = [...actions, 'id', 'serial'];

const notApproved =
  'needs no approval: it is a link, and goes with its line. Approvals are for destroying or replacing an OAuth client, which unlinks workspaces from their repositories. Remove this one';

/** Reads `approved:`; each line names one action and what it is good for. */
export function readApproved(reading: Scoped, node: Node | undefined): Approval[] {
  const example = '{ destroy: OAuthClient/old, id: oc-… }';
  const items = node && readList(reading, node, 'approved', example)?.items;
  return (items ?? []).flatMap((item, index) => {
    const path = `approved[${index}]`;
    const map = readMap(reading, item, path, example);
    if (map === undefined) return [];
    const members = readMembers(reading, map, keys, path);
    const [action] = actions.filter((one) => members.has(one));
    const what = members.get(action ?? '');
    const binding = members.get(bindings[action ?? 'destroy']);
    if (action === undefined || what === undefined || binding === undefined || members.size > 2) {
      if (members.size === map.entries.length) {
        const message = `\`${path}\` needs one of \`destroy\` and \`replace\` with the \`id\` it is good for, or one of \`deletes\` and \`missing\` with the \`serial\` of the ledger it is good for`;
        reading.findings.error('bad-approval', { at: map.at, path }, message);
      }
      return [];
    }
    const line =
      action === 'destroy' || action === 'replace'
        ? readObject(reading, action, what, binding, path)
        : readLimit(reading, action, what, binding, path);
    return line === undefined ? [] : [{ ...line, at: map.at }];
  });
}

function readObject(
  reading: Scoped,
  action: ObjectApproval['action'],
  what: MapEntry,
  id: MapEntry,
  path: string,
): ObjectApproval | undefined {
  if (refuseLink(reading, what.value, `${path}.${action}`, 'bad-approval', notApproved)) return undefined;
  const read = readAddress(reading, what.value, `${path}.${action}`);
  const text = readText(reading, id.value, `${path}.id`);
  if (read === undefined || text === undefined) return undefined;
  const violation = idViolation(read.definition.kind, text, reading.kinds);
  if (violation === undefined) return { action, address: read.address, id: text };
  tellViolation(reading, violation, text, { at: id.value.at, path: `${path}.id` });
  return undefined;
}

function readLimit(
  reading: Scoped,
  action: LimitApproval['action'],
  what: MapEntry,
  binding: MapEntry,
  path: string,
): LimitApproval | undefined {
  const count = readCount(reading, what.value, `${path}.${action}`, 1);
  const serial = readCount(reading, binding.value, `${path}.serial`, 0);
  return count === undefined || serial === undefined ? undefined : { action, count, serial };
}
