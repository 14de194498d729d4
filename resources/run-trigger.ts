/** RunTrigger: runs of one workspace create runs in another. */
import type { Api, RunTriggerDocument, TriggerDirection } from '../client/api';
import { AnswerLost, Conflict, Invalid, NotFound } from '../client/errors';
import {
  type Attempt,
  byAge,
  type Created,
  endField,
  type FieldsIssue,
  type FieldValues,
  type Found,
  type Key,
  type ListRef,
  type ResourceDefinition,
  readPart,
} from './kind';
import { idPrefixes } from './names';
import {
  createAttempts,
  deleteUnlessGone,
  lookAfter,
  lookPatiently,
  provedGone,
  UnexpectedAnswer,
} from './safe-calls';

const pair = ['workspaceId', 'sourceableId'] as const;

function check({ workspaceId: target, sourceableId: source }: FieldValues): readonly FieldsIssue[] {
  if (target === undefined || target !== source) return [];
  const message = `${String(target)} cannot trigger itself: source and target must be two workspaces`;
  return [{ rule: 'self-trigger', path: 'sourceableId', message }];
}

function toFound({ id, workspaceId, sourceableId, ...outputs }: RunTriggerDocument): Found {
  return { id, values: { workspaceId, sourceableId }, outputs };
}

function find(triggers: readonly RunTriggerDocument[], key: Key): readonly Found[] {
  const isOfPair = (trigger: RunTriggerDocument): boolean =>
    pair.every((end) => key[end] === undefined || key[end] === trigger[end]);
  return triggers.filter(isOfPair).map(toFound).sort(byAge);
}

/** Creates a trigger. If the answer does not prove success, a read of the pair decides. */
async function create(api: Api, key: Key, _inputs: FieldValues, attempt: Attempt): Promise<Created> {
  const workspaceId = readPart(key, 'workspaceId');
  const sourceableId = readPart(key, 'sourceableId');
  const findExisting = async () => {
    const existing = find(await api.runTriggers.list(workspaceId, 'inbound'), key);
    return existing.filter(({ id }) => !attempt.isOther(id));
  };
  const send = async () => {
    const created = await api.runTriggers.create(workspaceId, sourceableId);
    if (pair.every((end) => created[end] === key[end]) && !attempt.isOther(created.id)) {
      return toFound(created);
    }
    throw new UnexpectedAnswer(
      `the service answered the create of ${workspaceId} from ${sourceableId} with ${created.id}, ${created.workspaceId} from ${created.sourceableId}, which is another trigger. Nothing was recorded. Run the same command again`,
    );
  };
  let lostAnswer: AnswerLost | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const isLost = error instanceof AnswerLost;
      if (isLost) lostAnswer ??= error;
      // After a lost answer the trigger may exist, whatever a later attempt ends with.
      const failure = lostAnswer ?? error;
      if (!isLost && !inconclusiveErrors.some((type) => error instanceof type)) throw failure;
      const search = isLost ? () => lookPatiently(api, findExisting) : findExisting;
      const [existing] = await lookAfter(failure, search);
      if (existing !== undefined) return lostAnswer ? { ...existing, takenOver: true } : existing;
      if (!isLost || tries >= createAttempts) throw failure;
    }
  }
}

/** After these errors the trigger may exist all the same, such as one that somebody else has made meanwhile. */
const inconclusiveErrors = [Conflict, Invalid, NotFound, UnexpectedAnswer] as const;

const listType = 'run-triggers';

/** Inbound triggers create runs in the workspace. */
export function toTriggerList(workspaceId: string, direction: TriggerDirection): ListRef<RunTriggerDocument> {
  return {
    name: `run triggers of ${workspaceId} (${direction})`,
    owner: `workspace ${workspaceId}`,
    type: listType,
    read: (api) => api.runTriggers.list(workspaceId, direction),
    readItem: (api, id) => api.runTriggers.read(id),
  };
}

export const runTrigger: ResourceDefinition = {
  kind: 'RunTrigger',
  title: 'Run triggers',
  doc: 'Runs of the source workspace create runs in the target workspace.',
  idPrefix: idPrefixes.RunTrigger,
  section: {
    name: 'runTriggers',
    form: 'links',
    ends: [
      { field: 'workspaceId', singular: 'target', plural: 'targets' },
      { field: 'sourceableId', singular: 'source', plural: 'sources' },
    ],
  },
  fields: {
    workspaceId: endField('workspace', 'target', 'Target workspace: the one in which runs are created.'),
    sourceableId: endField('workspace', 'source', 'Source workspace: the one whose runs create them.'),
  },
  outputs: {
    createdAt: { type: 'string', doc: 'The time of creation in ISO 8601 with milliseconds.' },
    workspaceName: { type: 'string', nullable: true, doc: 'Name of the target workspace.' },
    sourceableName: { type: 'string', nullable: true, doc: 'Name of the source workspace.' },
  },
  pair,
  edge: { from: 'sourceableId', to: 'workspaceId', limit: 'maxSources' },
  listType,
  listedIn: ({ workspaceId, sourceableId }) => [
    ...(workspaceId === undefined ? [] : [toTriggerList(workspaceId, 'inbound')]),
    ...(sourceableId === undefined ? [] : [toTriggerList(sourceableId, 'outbound')]),
  ],
  find,
  read: async (api, id) => toFound(await api.runTriggers.read(id)),
  check,
  create,
  delete: (api, id, key) =>
    deleteUnlessGone(api.runTriggers.delete(id), () => provedGone(api, runTrigger, id, key)),
  queue: (key) => `triggers of ${readPart(key, 'workspaceId')}`,
};
