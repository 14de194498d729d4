// Reads a seed from a file, a text or an object, and refuses one with mistakes before anything is changed.

import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import { messageOf } from '../failure';
import { explainMistakes, type Locate, type Mistake, PositionedError, readPositioned } from '../positioned';
import { type SeedObject, seedSchema } from './seed';

/** A seed that cannot be used, with the position of every mistake. */
export class SeedError extends PositionedError {
  override readonly name = 'SeedError';
}

/** A seed of the right form, and how to find a path of it in its text. */
export interface ReadSeed {
  readonly seed: SeedObject;
  readonly locate: Locate;
  /** The file it came from, or a word for what was given in its place. */
  readonly source: string;
}

const validateSeed = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true }).compile<SeedObject>(
  seedSchema,
);

/** Reads a seed file (YAML or JSON). Throws a SeedError. */
export function readSeedFile(file: string): ReadSeed {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = messageOf(error);
    throw new SeedError(file, [{ path: '', message: `cannot be read: ${why}` }]);
  }
  return readSeedText(text, file);
}

/** Reads a seed from YAML or JSON text. Throws a SeedError that calls the text by `source`. */
export function readSeedText(text: string, source: string): ReadSeed {
  const { value, mistakes, locate } = readPositioned(text);
  if (mistakes.length > 0) throw new SeedError(source, mistakes);
  return checkForm(value ?? {}, locate, source);
}

/** Takes a seed that is already an object. Throws a SeedError. */
export function readSeedObject(value: unknown): ReadSeed {
  return checkForm(value, () => undefined, 'seed');
}

function checkForm(value: unknown, locate: Locate, source: string): ReadSeed {
  if (validateSeed(value)) return { seed: value, locate, source };
  throw new SeedError(source, explainMistakes(validateSeed.errors ?? [], locate).map(withoutToken));
}

/** The mistake without the token in its path: tokens are keys of a seed, and errors are printed. */
export function withoutToken(mistake: Mistake): Mistake {
  const [, top, token, ...rest] = mistake.path.split('/');
  if (top !== 'tokens' || token === undefined) return mistake;
  return { ...mistake, path: ['', 'tokens', '(token)', ...rest].join('/') };
}
