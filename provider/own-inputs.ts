/** Inputs that are no fields of the API: what they are, and what each does. */

/** One input of ours. */
export interface OwnInput {
  readonly type: 'string' | 'boolean';
  readonly doc: string;
  /** Absent from the typed arguments: the resource classes set it. */
  readonly hidden?: true;
  /** A change of it alone is worth recording in the state; without this it is ignored by the diff. */
  readonly recorded?: true;
}

/** Of every kind. */
export const everyInputs: Readonly<Record<string, OwnInput>> = {
  explicit: {
    type: 'boolean',
    doc: 'The program gave the resource a provider of its own, whose settings win over the environment.',
    hidden: true,
    recorded: true,
  },
};

/** Of OAuth clients. */
export const clientInputs: Readonly<Record<string, OwnInput>> = {
  ...everyInputs,
  adoptId: {
    type: 'string',
    doc: 'Id of an existing client (`oc-…`) to take over instead of creating one. Dropping the resource later deletes it: set `retainOnDelete` to keep it.',
  },
  allowDuplicate: {
    type: 'boolean',
    doc: 'Create although another client with the same name, provider and URLs exists.',
  },
  deletionProtection: {
    type: 'boolean',
    doc: 'Whether destroying and replacing the client is refused, since it unlinks every workspace that uses it. True when left out.',
    recorded: true,
  },
  createKey: {
    type: 'string',
    doc: 'What the temporary name of an unfinished create is made from, so that the next run finds it.',
    hidden: true,
  },
};

/** Of sets of run triggers. */
export const setInputs: Readonly<Record<string, OwnInput>> = {
  ...everyInputs,
  removeForeign: {
    type: 'boolean',
    doc: 'Create the set although triggers that it does not list exist, and delete those.',
  },
};
