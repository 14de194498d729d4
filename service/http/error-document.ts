// Writes refusals as JSON API error documents.

import type { Complaint, RefusalStatus } from '../rules/problem';

const titles: Record<RefusalStatus | 500, string> = {
  400: 'bad request',
  401: 'unauthorized',
  404: 'not found',
  405: 'method not allowed',
  408: 'request timeout',
  409: 'conflict',
  413: 'payload too large',
  415: 'unsupported media type',
  422: 'unprocessable entity',
  429: 'too many requests',
  431: 'request header fields too large',
  500: 'internal server error',
};

/** The error document of a status: one entry per complaint, or one that says the status alone. */
export function errorDocument(status: RefusalStatus | 500, complaints: readonly Complaint[]) {
  const head = { status: String(status), title: titles[status] };
  if (complaints.length === 0) return { errors: [head] };
  return { errors: complaints.map((complaint) => ({ ...head, ...complaint })) };
}
