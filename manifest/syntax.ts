/** Says in our words what is wrong with the syntax of YAML. The package's own words may quote a secret. */
import type { Document } from 'yaml';

/** Why a text is no manifest. */
export class Refused extends Error {
  constructor(
    readonly offset: number,
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

export function refusedSyntax(offset: number, message: string): Refused {
  return new Refused(offset, 'yaml-syntax', `not valid YAML: ${message}`);
}

export const aliasMessage =
  'a YAML alias (`*name`) for which there is no anchor (`&name`) above it; quote a string that begins with `*`';
export const tagMessage =
  'a YAML tag (`!name`) has no meaning here: remove it, or quote a string that begins with `!`';

const tab = 'a tab cannot indent YAML: use spaces';
const indentation = 'the indentation does not fit the lines above';
const bracket = 'a closing bracket is missing above, or this line must be indented more';
const elsewhere = 'this does not belong here: check the indentation, quotes and brackets above';

/** By code and message of the package; the first that matches counts. */
const messages: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^TAB_AS_INDENT/, tab],
  [/^(?:TAG|MULTIPLE_TAGS)/, tagMessage],
  [/^BAD_ALIAS/, aliasMessage],
  [/ANCHORS|^ALIAS_PROPS/, 'a value can have one anchor (`&name`), and an alias (`*name`) none'],
  [/^BAD_INDENT.*Flow|must end with/, bracket],
  [/^BAD_INDENT/, indentation],
  [/^MULTILINE/, 'a key must stand on one line, followed by a colon'],
  [/^MISSING_CHAR.*map values/, 'a key must be followed by a colon'],
  [/^MISSING_CHAR.*closing/, 'a closing quote is missing'],
  [/^MISSING_CHAR.*between/, 'a comma or a colon is missing before this'],
  [/^MISSING_CHAR/, 'a space, a colon or a dash is missing here'],
  [/^KEY_OVER/, 'a key may have at most 1024 characters'],
  [
    /^BLOCK_AS/,
    'a key and its value must not be followed by another colon: use quotes, or a line of its own',
  ],
  [/^BLOCK_IN_FLOW/, 'what stands in brackets is separated by commas, not by lines'],
  [/^BAD_SCALAR_START/, 'a string cannot begin with this character: quote it'],
  [/^BAD_DQ_ESCAPE/, 'an escape that YAML does not know: write `\\\\` for a backslash, or use single quotes'],
  [/flow-(?:map|seq)-end/, 'this bracket closes nothing'],
];

/** The first mistake of a document, which often spoils all lines below it. */
export function syntaxError(text: string, { errors, warnings }: Document.Parsed): Refused | undefined {
  const [first] = [...errors, ...warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')].sort(
    (one, other) => one.pos[0] - other.pos[0],
  );
  if (first === undefined) return undefined;
  const [offset] = first.pos;
  const deeper = errors.some(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === offset)
    ? deeperLine(text, offset)
    : undefined;
  if (deeper !== undefined) return refusedSyntax(deeper, indentation);
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1);
  if (first.code === 'BAD_INDENT' && /^ *\t/.test(line)) return refusedSyntax(offset, tab);
  const about = `${first.code} ${first.message}`;
  return refusedSyntax(offset, messages.find(([pattern]) => pattern.test(about))?.[1] ?? elsewhere);
}

/** Where the next line begins, if it goes on deeper than the line of this place. */
function deeperLine(text: string, offset: number): number | undefined {
  const line = text.lastIndexOf('\n', offset - 1) + 1;
  const [, indent = '', rest = ''] = /^( *)([^\n]*)/.exec(text.slice(line)) ?? [];
  const next = line + indent.length + rest.length + 1;
  const [deeper = ''] = /^ */.exec(text.slice(next)) ?? [];
  return deeper.length > indent.length ? next + deeper.length : undefined;
}
