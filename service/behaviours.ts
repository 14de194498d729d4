// The switches for what the API text leaves open: their names, values and defaults.

import { ServiceError } from './machine';
import type { Profile } from './profile';

interface Switch<Value> {
  /** The values in words, for messages. */
  values: string;
  normally: Value;
  /** Undefined for a text that is no value. */
  read: (text: string) => Value | undefined;
}

/** The first value is the default. */
function oneOf<Value extends string>(normally: Value, ...others: Value[]): Switch<Value> {
  const values = [normally, ...others];
  return { values: values.join(', '), normally, read: (text) => values.find((value) => value === text) };
}

function wholeNumber(least: number, normally = least): Switch<number> {
  const read = (text: string) => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined);
  return { values: `a whole number from ${least}`, normally, read };
}

function offOr({ values, read }: Switch<number>): Switch<'off' | number> {
  return { values: `off, ${values}`, normally: 'off', read: (text) => (text === 'off' ? text : read(text)) };
}

const switches = {
  'duplicate-trigger': oneOf('422', '409', 'accept'),
  'attach-again': oneOf('204', '422'),
  'page-size-max': wholeNumber(1, 100),
  'page-size-over': oneOf('clamp', '422'),
  'patch-without-agent-pool': oneOf('keep', 'clear'),
  'list-order': oneOf('created', 'random'),
  'lists-hide-unreadable': oneOf('no', 'yes'),
  'delete-visible-ms': wholeNumber(0),
  'create-hidden-ms': wholeNumber(0),
  'trigger-lock': oneOf('off', '409', '422'),
  'rate-limit': oneOf('off', 'token-bucket', 'fixed-window', 'sliding-window'),
  rate: wholeNumber(1, 30),
  'max-sources': offOr(wholeNumber(1)),
  'latency-ms': wholeNumber(0),
};

export type Behaviours = {
  readonly [Name in keyof typeof switches]: (typeof switches)[Name]['normally'];
};

/** Reads the chosen values; the profile gives two of the defaults. Throws a ServiceError with every mistake. */
export function readBehaviours(chosen: Readonly<Record<string, string>>, { limits }: Profile): Behaviours {
  const known = new Map<string, Switch<unknown>>(Object.entries(switches));
  const values = new Map<string, unknown>([...known].map(([name, { normally }]) => [name, normally]));
  values.set('max-sources', limits.maxSources ?? 'off').set('rate', limits.requestsPerSecond);
  const mistakes: string[] = [];
  for (const [name, text] of Object.entries(chosen)) {
    const found = known.get(name);
    const value = found?.read(text);
    if (!found) mistakes.push(`There is no behaviour "${name}". There are: ${[...known.keys()].join(', ')}.`);
    else if (value !== undefined) values.set(name, value);
    else mistakes.push(`"${text}" is not a value of ${name}. It takes: ${found.values}.`);
  }
  if (mistakes.length > 0) throw new ServiceError(mistakes.join('\n'));
  return Object.fromEntries(values) as Behaviours;
}
