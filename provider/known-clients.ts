/** What a run of the engine has shown of the OAuth clients it declares: how a replacement is told from a new client. */
import type { FieldValues } from '../resources/kind';
import { type Props, textOf } from './props';

/** One declared client. The engine shows the parts one by one, and for a replacement that somebody asked for only some. */
export interface KnownClient {
  /** The inputs of this run. */
  readonly inputs?: Props;
  /** The inputs in the state; absent for a client that is new, tainted or named by `--replace`. */
  readonly before?: Props;
  /** The object that the resource had when a diff or a refresh of this run looked at it. */
  readonly seen?: { readonly id: string; readonly olds: Props };
  /** What an object had that this run has destroyed to make room for its successor. */
  readonly removed?: FieldValues;
}

/** By the key of a create, which a resource keeps over all runs. */
export class KnownClients {
  private readonly byKey = new Map<string, KnownClient>();

  /** All that is known; empty for props without a key. */
  of(props: Props): KnownClient {
    return this.byKey.get(textOf(props, 'createKey') ?? '') ?? {};
  }

  /** Adds to what is known; props without a key are of no resource that could be replaced. */
  note(props: Props, part: KnownClient): void {
    const key = textOf(props, 'createKey');
    if (key !== undefined) this.byKey.set(key, { ...this.byKey.get(key), ...part });
  }
}
