/** The error object of an answer, in all the forms that services of this API have been seen to use. */
import { isRecord } from './document';
import type { ErrorDetail } from './errors';
import { oneLine, type Redact } from './redact';

const MOST = 20;
/** Characters of one text that are looked at. */
const LONGEST = 4000;

/** The members of `errors`: objects (status a string or a number) or plain texts; anything else gives none. */
export function readErrorDetails(document: unknown, redact: Redact): ErrorDetail[] {
  if (!isRecord(document)) return [];
  const errors = Array.isArray(document.errors) ? document.errors : [document.errors];
  const clean = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number'
      ? oneLine(redact(String(value).slice(0, LONGEST)))
      : undefined;
  return errors.slice(0, MOST).flatMap((error: unknown) => {
    if (typeof error === 'string') return [{ detail: clean(error) ?? '' }];
    if (!isRecord(error)) return [];
    const source = isRecord(error.source) ? error.source : {};
    const members = {
      status: clean(error.status),
      title: clean(error.title),
      detail: clean(error.detail),
      pointer: clean(source.pointer),
      parameter: clean(source.parameter),
    };
    const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0 ? [] : [Object.fromEntries(given) as ErrorDetail];
  });
}

/** `title: detail (pointer)` of each, joined, at most 1,000 characters; empty when the service said nothing. */
export function describeDetails(details: readonly ErrorDetail[]): string {
  const texts = details
    .map((error) => {
      const text = [error.title, error.detail].filter((part) => part !== undefined).join(': ');
      const place = error.pointer ?? error.parameter;
      return place === undefined ? text : `${text} (${place})`;
    })
    .filter((text) => text !== '');
  const joined = texts.join('; ');
  return joined.length > 1000 ? `${joined.slice(0, 999)}…` : joined;
}
