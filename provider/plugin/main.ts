#!/usr/bin/env node
/** The plugin process: serves its engine, and ends with it. */
import { EngineClient } from '@pulumi/pulumi/proto/engine_grpc_pb';
import { LogRequest, LogSeverity } from '@pulumi/pulumi/proto/engine_pb';
import { ResourceProviderService } from '@pulumi/pulumi/proto/provider_grpc_pb';
import { processSurroundings } from '../account';
import { Session } from '../session';
import { pluginService } from './service';
import { grpc } from './wire';

/** The engine gives its address last; without one it attached itself to a plugin that somebody started. */
const address = process.argv.at(-1) ?? '';
const unlimited = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };
const engine = /:\d+$/u.test(address)
  ? new EngineClient(address, grpc.credentials.createInsecure(), {
      'grpc.client_idle_timeout_ms': 2 ** 31 - 1,
    })
  : undefined;

const session = new Session({
  ...processSurroundings,
  say: (line, urn = '') => {
    const request = new LogRequest().setSeverity(LogSeverity.INFO).setMessage(line).setUrn(urn);
    engine?.log(request, () => undefined);
  },
});

const server = new grpc.Server(unlimited);
server.addService(ResourceProviderService, pluginService(session));
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`);
  if (engine !== undefined) endWith(engine);
});

/** An engine that was killed can record nothing any more: what this process would still do is lost. */
function endWith(client: EngineClient): void {
  const channel = client.getChannel();
  const { READY } = grpc.connectivityState;
  let wasReady = false;
  const watch = (): void => {
    const state = channel.getConnectivityState(true);
    wasReady ||= state === READY;
    if (wasReady && state !== READY) process.exit(1);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, watch);
  };
  watch();
}
