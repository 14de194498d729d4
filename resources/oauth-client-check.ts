/** Rules across the fields of an OAuth client: what its service provider needs, forbids, or takes only together. */
import type { Issue } from './issue';
import type { Profile, ServiceProvider } from './profile';
import type { FieldValues } from './values';

type Finding = Pick<Issue, 'rule' | 'message' | 'path'>;

/** Everything wrong with these fields under the profile; an unknown provider is judged by the field check, not here. */
export function checkOAuthClient(
  inputs: FieldValues,
  given: ReadonlySet<string>,
  profile: Profile,
): readonly Finding[] {
  const name = inputs.serviceProvider;
  const provider = typeof name === 'string' ? profile.serviceProviders[name] : undefined;
  if (typeof name !== 'string' || provider === undefined) return [];
  return [
    ...forbidden(name, provider, given),
    ...emptied(name, provider, inputs),
    ...halves(name, provider, given),
  ];
}

/** Fields a create cannot do without, which an adopted or existing client may lack. */
export function missingForCreate(
  inputs: FieldValues,
  given: ReadonlySet<string>,
  profile: Profile,
): readonly string[] {
  const name = inputs.serviceProvider;
  const provider = typeof name === 'string' ? profile.serviceProviders[name] : undefined;
  return (provider?.needs ?? []).filter((field) => !given.has(field));
}

function forbidden(name: string, provider: ServiceProvider, given: ReadonlySet<string>): Finding[] {
  return (provider.forbids ?? [])
    .filter((field) => given.has(field))
    .map((field) => ({
      rule: 'field-not-taken',
      path: field,
      message: `${name} does not take \`${field}\`: remove it, or choose another serviceProvider`,
    }));
}

function emptied(name: string, provider: ServiceProvider, inputs: FieldValues): Finding[] {
  return (provider.neverEmpty ?? [])
    .filter((field) => inputs[field] === '')
    .map((field) => ({
      rule: 'never-empty',
      path: field,
      message: `${name} does not accept an empty \`${field}\`: give a value, or leave the field out`,
    }));
}

function halves(name: string, provider: ServiceProvider, given: ReadonlySet<string>): Finding[] {
  return (provider.together ?? []).flatMap((group) => {
    const missing = group.filter((field) => !given.has(field));
    if (missing.length === 0 || missing.length === group.length) return [];
    const present = group.filter((field) => given.has(field));
    return [
      {
        rule: 'fields-together',
        path: present[0] ?? '',
        message: `${name} takes ${quoted(group)} together: add ${quoted(missing)}`,
      },
    ];
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' and ');
}
