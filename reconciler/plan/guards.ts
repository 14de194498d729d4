/** Limits that stop an apply before its first write when a plan takes away more than anybody meant. Pure. */
import type { Context } from './context';
import type { Draft } from './draft';
import type { Stop } from './plan';

/** Deletes and detaches of one organization, foreign ones in exact sets counted, against max(5, 30 %). */
export function deleteGuard(context: Context, draft: Draft): readonly Stop[] {
  const deletes = draft.steps.filter((step) => step.action === 'delete');
  if (deletes.length === 0) return [];
  const foreign = deletes.filter((step) => step.foreign).length;
  const objects = Object.keys(context.ledger.objects).length + foreign;
  const allowed = context.options.maxDeletes ?? Math.max(5, Math.floor(objects * 0.3));
  if (deletes.length > allowed) {
    return [
      {
        code: 'too-many-deletes',
        message: `${deletes.length} deletes in ${context.organization}, and ${allowed} are allowed: if all of them are meant, give --max-deletes ${deletes.length}`,
      },
    ];
  }
  draft.notes.push({
    address: '',
    code: 'deletes',
    text: `${deletes.length} ${deletes.length === 1 ? 'delete' : 'deletes'}${foreign === 0 ? '' : ` (${foreign} foreign)`}, and ${allowed} are allowed`,
  });
  return [];
}

/** Wanted objects that vanished at once, against max(3, 10 %): a wrong organization or a restored service looks like this. */
export function missingGuard(context: Context, draft: Draft): readonly Stop[] {
  const wanted = draft.inLedger.length;
  const allowed = context.options.acceptMissing ?? Math.max(3, Math.floor(wanted * 0.1));
  if (draft.vanished.length <= allowed) return [];
  return [
    {
      code: 'too-many-missing',
      message: `${draft.vanished.length} of ${wanted} wanted objects of ${context.organization} vanished at once (${shortList(draft.vanished)}): if they were removed on purpose and are to be made again, give --accept-missing ${draft.vanished.length}`,
    },
  ];
}

function shortList(addresses: readonly string[]): string {
  return addresses.length <= 5 ? addresses.join(', ') : `${addresses.slice(0, 5).join(', ')}, …`;
}
