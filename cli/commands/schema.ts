/** `tether schema`: the JSON Schema of manifests, for editors. */
import { manifestSchema } from '../../manifest';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import type { OutputFlags } from '../flags';

/** Prints the schema itself, with and without `--json`. */
export async function schema(call: Call<OutputFlags>): Promise<number> {
  call.voice.print(manifestSchema(registry));
  return 0;
}
