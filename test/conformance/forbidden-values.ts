/** Values that no manifest may hold in a field, made from the field's own description. */
import type { Field } from '../../resources/kind';
import { externalKinds } from '../../resources/names';

export interface ForbiddenValue {
  readonly what: string;
  readonly value: unknown;
  /** The rule that must name it; left out where several would do. */
  readonly rule?: string;
}

/** At least one for each way in which a value of such a field can be wrong. */
export function forbiddenValues(field: Field): readonly ForbiddenValue[] {
  return [...ofType(field), ...ofForm(field)];
}

function ofType(field: Field): ForbiddenValue[] {
  if (field.writeOnly) {
    return [
      { what: 'a literal secret', value: 'canary-literal', rule: 'literal-secret' },
      { what: 'null', value: null },
      { what: 'an empty variable name', value: { fromEnv: '' } },
      { what: 'two sources at once', value: { fromEnv: 'A', fromFile: 'b' } },
      { what: 'an unknown source', value: { fromVault: 'canary-path' } },
    ];
  }
  const nothing: ForbiddenValue[] = field.nullable ? [] : [{ what: 'null', value: null }];
  const map = { what: 'a map', value: { a: 1 } };
  if (field.type === 'boolean')
    return [...nothing, map, { what: 'a text', value: 'yes' }, { what: 'a number', value: 1 }];
  if (field.type === 'set')
    return [...nothing, map, { what: 'a text', value: 'x' }, { what: 'a list of maps', value: [{ a: 1 }] }];
  return [
    ...nothing,
    map,
    { what: 'a number', value: 42 },
    { what: 'a boolean', value: true },
    { what: 'a list of lists', value: [['x']] },
  ];
}

function ofForm(field: Field): ForbiddenValue[] {
  if (field.writeOnly) return [];
  const forms: ForbiddenValue[] = [];
  const one = (text: string): unknown => (field.type === 'set' ? [text] : text);
  if (field.format === 'url')
    forms.push(
      { what: 'what is no URL', value: 'not a url' },
      { what: 'a URL of another scheme', value: 'file:///etc/passwd' },
    );
  if (field.format === 'line')
    forms.push(
      { what: 'a control character', value: 'bell\u0007' },
      { what: 'two lines', value: 'one\ntwo' },
    );
  if (field.valuesFrom !== undefined) forms.push({ what: 'an unknown value', value: 'provider_z' });
  if (field.refersTo !== undefined) {
    const other = field.refersTo === 'workspace' ? 'prj-x' : 'ws-x';
    forms.push(
      { what: 'an id of another kind', value: one(other) },
      // What is no alias may be a name there, which only a plan shows.
      field.refersTo in externalKinds
        ? { what: 'an empty name', value: one('') }
        : { what: 'an unknown address', value: one('nobody-has-this-name') },
    );
  }
  return forms;
}
