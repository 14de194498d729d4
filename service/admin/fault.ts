// What can be broken, for which requests, and how often.

/** The ways in which a request can go wrong. */
export const faultKinds = [
  'reset-before',
  'reset-after',
  'delay-apply',
  'truncate',
  'garbage',
  'status',
  'slow',
] as const;

/** One way in which a request can go wrong. */
export type FaultKind = (typeof faultKinds)[number];

/** A fault to inject. Without `nth` and `probability` it hits every request that matches. */
export interface FaultSpec {
  readonly how: FaultKind;
  /** Method to match; any when left out. */
  readonly method?: string;
  /** Path template to match, such as `/oauth-clients/:id`; any when left out. */
  readonly route?: string;
  /** Hits only the nth matching request after the injection, counted from 1. */
  readonly nth?: number;
  /** Hits each matching request with this probability, from 0 to 1. */
  readonly probability?: number;
  /** Makes the probability's choices repeatable; 1 when left out. */
  readonly seed?: number;
  /** Most hits; without end when left out. */
  readonly times?: number;
  /** For `delay-apply` and `slow`: how long, in milliseconds; 100 when left out. */
  readonly ms?: number;
  /** For `status`: the status to answer with; 500 when left out. */
  readonly status?: number;
  /** For `status`: headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For `status`: the body of the answer; an error document when left out. */
  readonly body?: string;
  /** For `status`: whether the request is carried out all the same; not when left out. */
  readonly applied?: boolean;
}

/** The JSON Schema of a list of faults. */
export const faultListSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['how'],
    properties: {
      how: { enum: faultKinds },
      method: { enum: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] },
      route: { type: 'string', pattern: '^/' },
      nth: { type: 'integer', minimum: 1 },
      probability: { type: 'number', minimum: 0, maximum: 1 },
      seed: { type: 'integer' },
      times: { type: 'integer', minimum: 1 },
      ms: { type: 'integer', minimum: 0, maximum: 3_600_000 },
      status: { type: 'integer', minimum: 200, maximum: 599 },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: { type: 'string' },
      applied: { type: 'boolean' },
    },
  },
};
