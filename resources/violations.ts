/** Whether a string may be the value of a field: the one rule for manifests and for Pulumi programs. */
import { type Field, kindNamed, type Profile, type Registry } from './kind';
import {
  badCharacter,
  externalKind,
  isId,
  kindOfId,
  organizationPattern,
  suggestion,
  withArticle,
} from './names';
import { profileWithProvider } from './profile';

/** What is wrong with a string. */
export interface Violation {
  readonly rule: string;
  /** What the sentence is about: the field, or its value. Only a value that is called the subject may be shown. */
  readonly subject: 'field' | 'value';
  /** The rest of the sentence: `must be a URL that begins with https:// or http://`. */
  readonly problem: string;
}

/** The violation of a string that is neither a reference nor a secret; undefined when there is none. Without a profile, what it would say is left out. */
export function stringViolation(field: Field, text: string, profile: Profile | null): Violation | undefined {
  return (
    characterViolation(text, field.format === 'text') ??
    (field.valuesFrom === undefined || profile === null
      ? undefined
      : valueViolation(field.valuesFrom, text, profile)) ??
    (field.format === 'url' ? urlViolation(text) : undefined)
  );
}

/** A character that cannot be seen; `manyLines` allows line breaks and tabs. */
export function characterViolation(text: string, manyLines = false): Violation | undefined {
  const bad = badCharacter(text, manyLines);
  if (bad === undefined) return undefined;
  const problem = `holds the invisible character ${bad}: remove it`;
  return { rule: 'control-character', subject: 'field', problem };
}

/** A text that is not the id of such a thing, or not the name of an organization. */
export function idViolation(refersTo: string, text: string, kinds: Registry): Violation | undefined {
  if (refersTo === 'organization') return organizationViolation(text);
  const external = externalKind(refersTo);
  const prefix = external?.prefix ?? kindNamed(refersTo, kinds).idPrefix ?? '';
  if (isId(text, prefix)) return undefined;
  const looks = kindOfId(text, kinds);
  const wanted = `the id of ${withArticle(external?.noun ?? refersTo)} (\`${prefix}-…\`) belongs here`;
  return {
    rule: looks === undefined ? 'bad-id' : 'wrong-id-kind',
    subject: 'value',
    problem: `is ${looks === undefined ? 'not an id' : `the id of ${looks}`}; ${wanted}`,
  };
}

function organizationViolation(text: string): Violation | undefined {
  const reserved = text === '__proto__' || text in Object.prototype;
  if (new RegExp(organizationPattern).test(text) && !reserved) return undefined;
  const problem = 'is not the name of an organization: use letters, digits, dashes and underscores';
  return { rule: 'bad-name', subject: 'value', problem };
}

function valueViolation(source: 'serviceProviders', text: string, profile: Profile): Violation | undefined {
  if (Object.hasOwn(profile[source], text)) return undefined;
  const values = Object.keys(profile[source]);
  const near = suggestion(text, values, 'the values');
  const all = near.includes('did you mean') ? ` The values are ${values.join(', ')}` : '';
  const elsewhere = profileWithProvider(text);
  const hint =
    elsewhere === undefined
      ? `${near}${all}`
      : `: profile \`${elsewhere}\` has it; write \`profile: ${elsewhere}\` if that is your service`;
  const problem = `is not a serviceProvider of profile \`${profile.name}\`${hint}`;
  return { rule: 'unknown-value', subject: 'value', problem };
}

function urlViolation(text: string): Violation | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    const problem = 'holds a user name or password: a URL must not carry secrets';
    return { rule: 'literal-secret', subject: 'field', problem };
  }
  if (url !== undefined && /^https?:$/.test(url.protocol) && !/\s/.test(text)) return undefined;
  return { rule: 'bad-url', subject: 'field', problem: 'must be a URL that begins with https:// or http://' };
}
