/** The words in which the oracle and a plan are compared: subjects, and what a plan says of each. */

/** An object is `nothing`, `unknown` or `problem` in a plan, or has an action. For a client, the id says which object is meant. */
export type Outcome =
  | 'nothing'
  | 'unknown'
  | 'problem'
  | 'create'
  | 'update'
  | 'forget'
  | 'adopt'
  | 'move'
  | 'delete'
  | `${'adopt' | 'move' | 'delete' | 'replace'} ${string}`;

/** The first word of an outcome. */
export type OutcomeAction = Outcome extends infer Text
  ? Text extends `${infer Word} ${string}`
    ? Word
    : Text
  : never;

/** The acceptable outcomes of each subject. An absent subject has `nothing`. */
export type Outcomes = Map<string, Set<Outcome>>;

/** Returns the outcomes only if a condition holds. */
export const outcomesIf = (condition: boolean, ...outcomes: readonly Outcome[]): readonly Outcome[] =>
  condition ? outcomes : [];

/** The outcomes of an object that is left alone. */
export const leftAlone: readonly Outcome[] = ['nothing', 'unknown', 'problem'];

export const isUnknownOrProblem = (outcome: string | undefined): boolean =>
  outcome === 'unknown' || outcome === 'problem';

const retiringEnd = ' and keep';

/** The outcome of a replace whose old client waits under `retiring`. */
export const keepOldClient = (replace: Outcome): Outcome => `${replace}${retiringEnd}` as Outcome;
export const keepsOldClient = (outcome: string | undefined): boolean =>
  outcome?.endsWith(retiringEnd) === true;

/** The action of an outcome, and the object that it names. Of several steps of a plan, it is that of the first one. */
export function readOutcome(outcome: string): { readonly action: OutcomeAction; readonly id: string } {
  const [action, id = ''] = outcome.split(' ');
  return { action: action as OutcomeAction, id };
}

/**
 * A subject is an address by ids, such as `RunTrigger/ws-1/ws-2`. Where several objects stand at one address, those that the declaration
 * does not mean are subjects of their own: the predecessor of a client, with its attachments, and each trigger of a pair that may be deleted.
 */
export const toObjectSubject = (address: string, id: string): string => `${address}#${id}`;
export const addressIn = (subject: string): string => subject.replace(/#.*$/u, '');
/** The id of a subject that is one of several objects at its address. */
export const objectIdIn = (subject: string): string | undefined => subject.split('#')[1];
