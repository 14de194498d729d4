// The switches for what the API text leaves open: their names, values and defaults.

/** A mistake in what somebody asked the service to do, with every complaint. */
export class BehaviourError extends Error {
  override readonly name = 'BehaviourError';

  constructor(readonly complaints: readonly string[]) {
    super(complaints.join('\n'));
  }
}

/** How the service behaves; names as people type them, numbers already read. */
export interface Behaviours {
  readonly 'duplicate-trigger': '422' | '409' | 'accept';
  readonly 'attach-again': '204' | '422';
  readonly 'page-size-max': number;
  readonly 'page-size-over': 'clamp' | '422';
  readonly 'patch-without-agent-pool': 'keep' | 'clear';
  readonly 'list-order': 'created' | 'random';
  readonly 'lists-hide-unreadable': 'no' | 'yes';
  readonly 'delete-visible-ms': number;
  readonly 'create-hidden-ms': number;
  readonly 'trigger-lock': 'off' | '409' | '422';
  readonly 'rate-limit': 'off' | 'token-bucket' | 'fixed-window' | 'sliding-window';
  readonly rate: number;
  readonly 'max-sources': 'off' | number;
  readonly 'latency-ms': number;
}

type Reader<Value> = (text: string) => Value | undefined;

function oneOf<Value extends string>(...values: Value[]): { values: string; read: Reader<Value> } {
  return { values: values.join(', '), read: (text) => values.find((value) => value === text) };
}

function wholeNumber(least: number): { values: string; read: Reader<number> } {
  return {
    values: `a whole number from ${least}`,
    read: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
  };
}

const maxSources: { values: string; read: Reader<'off' | number> } = {
  values: 'off, a whole number from 1',
  read: (text) => (text === 'off' ? 'off' : wholeNumber(1).read(text)),
};

const switches: { readonly [Name in keyof Behaviours]: { values: string; read: Reader<Behaviours[Name]> } } =
  {
    'duplicate-trigger': oneOf('422', '409', 'accept'),
    'attach-again': oneOf('204', '422'),
    'page-size-max': wholeNumber(1),
    'page-size-over': oneOf('clamp', '422'),
    'patch-without-agent-pool': oneOf('keep', 'clear'),
    'list-order': oneOf('created', 'random'),
    'lists-hide-unreadable': oneOf('no', 'yes'),
    'delete-visible-ms': wholeNumber(0),
    'create-hidden-ms': wholeNumber(0),
    'trigger-lock': oneOf('off', '409', '422'),
    'rate-limit': oneOf('off', 'token-bucket', 'fixed-window', 'sliding-window'),
    rate: wholeNumber(1),
    'max-sources': maxSources,
    'latency-ms': wholeNumber(0),
  };

// When nobody says anything, before a profile has its say.
const defaults: Behaviours = {
  'duplicate-trigger': '422',
  'attach-again': '204',
  'page-size-max': 100,
  'page-size-over': 'clamp',
  'patch-without-agent-pool': 'keep',
  'list-order': 'created',
  'lists-hide-unreadable': 'no',
  'delete-visible-ms': 0,
  'create-hidden-ms': 0,
  'trigger-lock': 'off',
  'rate-limit': 'off',
  rate: 30,
  'max-sources': 'off',
  'latency-ms': 0,
};

/** Every switch with the values it takes, for help texts and documentation. */
export const behaviourValues: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(switches).map(([name, { values }]) => [name, values]),
);

/**
 * Reads behaviours from name and text; what is not named takes the value of `base`.
 * Throws a BehaviourError that lists every unknown name and wrong value.
 */
export function readBehaviours(
  texts: Readonly<Record<string, string>>,
  base: Partial<Behaviours> = {},
): Behaviours {
  const complaints: string[] = [];
  const chosen: [string, unknown][] = [];
  for (const [name, text] of Object.entries(texts)) {
    const known = Object.entries(switches).find(([candidate]) => candidate === name)?.[1];
    const value = known?.read(text);
    if (!known)
      complaints.push(`There is no behaviour "${name}". There are: ${Object.keys(switches).join(', ')}.`);
    else if (value === undefined)
      complaints.push(`"${text}" is no value of ${name}. It takes: ${known.values}.`);
    else chosen.push([name, value]);
  }
  if (complaints.length > 0) throw new BehaviourError(complaints);
  return { ...defaults, ...base, ...Object.fromEntries(chosen) };
}
