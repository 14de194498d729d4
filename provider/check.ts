/** `check` of every kind: the inputs in one form, and every mistake in them. */
import type { dynamic } from '@pulumi/pulumi';
import type { ResourceDefinition } from '../resources/kind';
import { missingForCreate } from '../resources/oauth-client';
import { type Profile, ProfileError } from '../resources/profile';
import { judge, type Shape } from './judge';
import { normalise } from './normalise';
import { messageOf } from './one-line';
import { isUnknown, type Props } from './props';
import type { Session } from './session';
import { valuesOf } from './state';

/** Further rules of a kind, over inputs in their one form. */
export type Rules = (inputs: Props, profile: Profile, creating: boolean) => readonly string[];

/** Judges the inputs. Failures carry no property: the engine would print its value, a secret too. */
export async function check(
  session: Session,
  shape: Shape,
  rules: Rules,
  olds: Props,
  news: Props,
): Promise<dynamic.CheckResult> {
  const inputs = normalise(shape.fields, olds, news);
  const creating = Object.keys(olds).length === 0;
  let profile: Profile;
  try {
    profile = session.profile;
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    return { inputs, failures: [{ property: '', reason: messageOf(error) }] };
  }
  const mistakes = [...judge(shape, inputs, profile), ...rules(inputs, profile, creating)];
  return { inputs, failures: mistakes.map((reason) => ({ property: '', reason })) };
}

/** The rules across fields that the definition has; what is unknown yet counts as given. */
export function definitionRules(definition: ResourceDefinition): Rules {
  return (inputs, profile, creating) => {
    const known = Object.fromEntries(Object.entries(inputs).filter(([, value]) => !isUnknown(value)));
    const values = valuesOf(definition, known);
    const given = new Set(Object.keys(inputs).filter((name) => Object.hasOwn(definition.fields, name)));
    const across = definition.check?.(values, given, profile) ?? [];
    const missing =
      creating && inputs.adoptId === undefined && definition.pair.length === 0
        ? missingForCreate(values, given, profile)
        : [];
    return [
      ...across.map(({ path, message }) => `${path}: ${message}`),
      ...missing.map((name) => `${name}: ${String(values.serviceProvider)} needs it to be created`),
    ];
  };
}
