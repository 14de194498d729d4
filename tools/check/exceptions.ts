/** What is excused from a house rule, each with its reason. An excuse that excuses nothing is itself an error. */

/** `path` is one file, or a folder when it ends with `/`. */
export interface Exception {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    rule: 'long-file',
    path: 'manifest/names.ts',
    reason: 'One thought, what a name means: each of its questions leads to the next.',
  },
  {
    rule: 'long-file',
    path: 'resources/kind.ts',
    reason: 'The words that a definition is made of, each with its doc comment.',
  },
  {
    rule: 'process-in-cli',
    path: 'reconciler/ledger/lock.ts',
    reason: 'A lock goes when its process ends, however it ends.',
  },
  {
    rule: 'long-file',
    path: 'reconciler/ledger/lock.ts',
    reason: 'One protocol and what it rests on: who its holder is, and whether that one still lives.',
  },
  {
    rule: 'process-in-cli',
    path: 'provider/account.ts',
    reason:
      'The engine starts the provider process, so that nobody can hand it its variables: this one file takes them.',
  },
  {
    rule: 'process-in-cli',
    path: 'provider/plugin/main.ts',
    reason:
      'The plugin is a program: it is told its engine by an argument, tells its port, and ends with its engine.',
  },
  {
    rule: 'long-file',
    path: 'test/manifest/bad-input.test.ts',
    reason:
      'One table of every mistake with its place and its message; split, nobody could see what is missing.',
  },
  { rule: 'small-file', path: 'cli/commands/', reason: 'One file for commands that share their code.' },
  { rule: 'small-file', path: 'client/run-triggers.ts', reason: 'The endpoints of each kind in one file.' },
];
