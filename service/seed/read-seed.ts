// Reads a seed from a file, a text or an object, and refuses one with mistakes before anything is changed.

import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import { whyUnread } from '../failure';
import {
  explainMistakes,
  inOrder,
  type Locate,
  type Mistake,
  PositionedError,
  readPositioned,
} from '../positioned';
import { type SeedObject, seedSchema } from './seed';
import { soundPart } from './sound-part';

/** A seed that cannot be used, with the position of every mistake. */
export class SeedError extends PositionedError {
  override readonly name = 'SeedError';
}

/** A seed as it was read, and how to find a path of it in its text. */
export interface ReadSeed {
  /** The part of the right form; null when what is left says nothing about the whole. */
  readonly seed: SeedObject | null;
  /** What is wrong with the form of the rest. With any, nothing of the seed is taken. */
  readonly mistakes: readonly Mistake[];
  readonly locate: Locate;
  /** The file it came from, or a word for what was given in its place. */
  readonly source: string;
}

const validateSeed = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true }).compile<SeedObject>(
  seedSchema,
);

/** Reads a seed file (YAML or JSON). Throws a SeedError when it cannot be read at all. */
export function readSeedFile(file: string): ReadSeed {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SeedError(file, [{ path: '', message: `cannot be read: ${whyUnread(error)}` }]);
  }
  return readSeedText(text, file);
}

/** Reads a seed from YAML or JSON text. Throws a SeedError that calls the text by `source` when it is neither. */
export function readSeedText(text: string, source: string): ReadSeed {
  const { value, mistakes, locate } = readPositioned(text);
  if (mistakes.length > 0) throw new SeedError(source, mistakes);
  return checkForm(value ?? {}, locate, source);
}

/** Takes a seed that is already an object. */
export function readSeedObject(value: unknown): ReadSeed {
  return checkForm(value, () => undefined, 'seed');
}

function checkForm(value: unknown, locate: Locate, source: string): ReadSeed {
  if (validateSeed(value)) return { seed: value, mistakes: [], locate, source };
  const errors = validateSeed.errors ?? [];
  const sound = soundPart(value, errors);
  const seed = validateSeed(sound) ? sound : null;
  return { seed, mistakes: explainMistakes(errors, locate), locate, source };
}

/** Throws a SeedError with all mistakes, in the order of the text, when there are any. */
export function refuseMistakes({ source }: ReadSeed, mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new SeedError(source, inOrder(mistakes).map(withoutToken));
}

/** The mistake without the token in its path: tokens are keys of a seed, and errors are printed. */
function withoutToken(mistake: Mistake): Mistake {
  const [, top, token, ...rest] = mistake.path.split('/');
  if (top !== 'tokens' || token === undefined) return mistake;
  return { ...mistake, path: ['', 'tokens', '(token)', ...rest].join('/') };
}
