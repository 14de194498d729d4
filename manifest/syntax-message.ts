/** Mistakes of YAML syntax in our words: the parser's own messages quote the text, which may be a secret. */
import type { ErrorCode } from 'yaml';

const messages: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS:
    'a YAML alias (`*name`) for which there is no anchor (`&name`) above it; quote a text that begins with `*`',
  BAD_DQ_ESCAPE: 'an escape that YAML does not know: write `\\\\` for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_SCALAR_START: 'a text cannot begin with this character: put it in quotes',
  BAD_DIRECTIVE: 'a YAML directive is not right here',
  BLOCK_AS_IMPLICIT_KEY:
    'a key and its value must not be followed by another colon on the same line: use quotes, or a line of its own',
  BLOCK_IN_FLOW: 'this form is not possible between brackets',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR:
    'a character is missing: a closing quote or bracket, a comma, a colon, or the space after one',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line, followed by a colon',
  NON_STRING_KEY: 'a key must be a text',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  TAB_AS_INDENT: 'a tab cannot indent YAML: use spaces',
  TAG_RESOLVE_FAILED:
    'a YAML tag (`!name`) has no meaning here: remove it, or quote a text that begins with `!`',
  UNEXPECTED_TOKEN: 'this does not belong here: check the indentation, quotes and brackets above',
};

/** One sentence without any of the text. */
export function syntaxMessage(code: ErrorCode): string {
  return `not valid YAML: ${messages[code] ?? 'it cannot be understood from here on'}`;
}
