/** Gives each run of an inline program connections of its own, so that none meets what an earlier one left. */
import assert from 'node:assert/strict';
import * as runtime from '@pulumi/pulumi/runtime';

/**
 * Call it before the first run of a process. The SDK's connections outlive their run and are shared by address: when an
 * engine gets the port of an earlier one, the program finds it "unavailable", and the run may still be called a success.
 */
export function ownConnections(): void {
  const options: unknown = Reflect.get(runtime, 'grpcClientOptions');
  assert.ok(
    typeof options === 'object' && options !== null,
    'the SDK keeps its connection options elsewhere',
  );
  Object.assign(options, { 'grpc.use_local_subchannel_pool': 1 });
}
