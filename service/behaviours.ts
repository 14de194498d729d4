/** The names, values and defaults of the behaviours that the API text leaves open. */
import { ServiceError } from './machine';
import type { Profile } from './profile';

/** The first value is the default. */
const choices = {
  'duplicate-trigger': ['422', '409', 'accept'],
  'attach-again': ['204', '422'],
  'page-size-over': ['clamp', '422'],
  'patch-without-agent-pool': ['keep', 'clear'],
  'list-order': ['created', 'random'],
  'lists-hide-unreadable': ['no', 'yes'],
  'trigger-lock': ['off', '409', '422'],
  'rate-limit': ['off', 'token-bucket', 'fixed-window', 'sliding-window'],
} as const;

/** The smallest allowed value and the default value, of which `off` is allowed too. The profile replaces the last two defaults. */
const numbers = {
  'page-size-max': [1, 100],
  'delete-visible-ms': [0, 0],
  'create-hidden-ms': [0, 0],
  'latency-ms': [0, 0],
  rate: [1, 30],
  'max-sources': [1, 'off'],
} as const;

type Choices = { readonly [Name in keyof typeof choices]: (typeof choices)[Name][number] };
type Numbers = {
  readonly [Name in keyof typeof numbers]: number | Extract<(typeof numbers)[Name][1], 'off'>;
};

export type Behaviours = Choices & Numbers;

/** Throws a ServiceError with every mistake. */
export function readBehaviours(explicit: Readonly<Record<string, string>>, { limits }: Profile): Behaviours {
  const values = new Map<string, unknown>();
  for (const [name, [defaultValue]] of Object.entries(choices)) values.set(name, defaultValue);
  for (const [name, [, defaultValue]] of Object.entries(numbers)) values.set(name, defaultValue);
  values.set('max-sources', limits.maxSources ?? 'off').set('rate', limits.requestsPerSecond);
  const mistakes: string[] = [];
  for (const [name, text] of Object.entries(explicit)) {
    const [minimum = 0, defaultNumber] = Reflect.get(numbers, name) ?? [];
    const texts: readonly string[] = Reflect.get(choices, name) ?? (defaultNumber === 'off' ? ['off'] : []);
    const isNumber = name in numbers && /^\d{1,9}$/.test(text) && Number(text) >= minimum;
    const accepted = [...texts, ...(name in numbers ? [`a whole number from ${minimum}`] : [])].join(', ');
    if (!values.has(name)) {
      mistakes.push(`There is no behaviour "${name}". There are: ${[...values.keys()].join(', ')}.`);
    } else if (!isNumber && !texts.includes(text)) {
      mistakes.push(`"${text}" is not a value of ${name}. It takes: ${accepted}.`);
    } else values.set(name, isNumber ? Number(text) : text);
  }
  if (mistakes.length > 0) throw new ServiceError(mistakes.join('\n'));
  return Object.fromEntries(values) as Behaviours;
}
