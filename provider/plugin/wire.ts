/** The engine's protocol as the SDK ships it: values and failures on their way in and out. */
import { createRequire } from 'node:module';
import { type CheckRequest, ErrorResourceInitFailed } from '@pulumi/pulumi/proto/provider_pb';
import { Status } from '@pulumi/pulumi/proto/status_pb';
import { messageOf, Unfinished } from '../failures';
import type { ResourceType } from '../resource-types';
import type { Props } from '../state';

/** Packages of the SDK, which are no dependencies of ours. */
export const fromSdk = createRequire(require.resolve('@pulumi/pulumi/package.json'));

type Struct = NonNullable<ReturnType<CheckRequest['getNews']>>;

const { Struct: Structs } = fromSdk('google-protobuf/google/protobuf/struct_pb') as {
  readonly Struct: { fromJavaScript(value: object): Struct };
};
const { Any } = fromSdk('google-protobuf/google/protobuf/any_pb') as {
  readonly Any: new () => Parameters<Status['addDetails']>[0] & {
    pack(bytes: Uint8Array, name: string): void;
  };
};
export const { Empty } = fromSdk('google-protobuf/google/protobuf/empty_pb') as {
  readonly Empty: new () => object;
};
/** What is used of grpc, by a server and by a client of the engine. */
interface Grpc {
  readonly Server: new (
    options?: object,
  ) => {
    addService(service: object, handlers: object): void;
    bindAsync(address: string, credentials: object, bound: (error: Error | null, port: number) => void): void;
    forceShutdown(): void;
  };
  readonly Metadata: new () => {
    add(name: string, value: Buffer): void;
    get(name: string): readonly (string | Buffer)[];
  };
  readonly ServerCredentials: { createInsecure(): object };
  readonly credentials: { createInsecure(): never };
  readonly status: { readonly UNKNOWN: number };
  readonly connectivityState: { readonly READY: number };
}
export const grpc = fromSdk('@grpc/grpc-js') as Grpc;

/** How the engine marks a secret. */
const secretMark = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' };

/** What dynamic resources of earlier releases kept besides. */
const oldMarks = new Set(['__provider', 'createKey', 'explicit', 'managed']);

/** Empty for none. */
export function propsOf(struct: Struct | undefined): Props {
  const members = Object.entries(struct?.toJavaScript() ?? {});
  return Object.fromEntries(members.filter(([name]) => !oldMarks.has(name)));
}

/** With every secret of the type as one, however the program gave it. */
export function structOf(props: Props, { fields }: Pick<ResourceType, 'fields'>): Struct {
  const members = Object.entries(props).filter(([, value]) => value !== undefined);
  return Structs.fromJavaScript(
    Object.fromEntries(
      members.map(([name, value]) => {
        const isSecret = fields[name]?.writeOnly && value !== null;
        return [name, isSecret ? { ...secretMark, value } : value];
      }),
    ),
  );
}

export interface Failure {
  readonly code: number;
  readonly details: string;
  readonly metadata?: InstanceType<typeof grpc.Metadata>;
}

type Unary<Request, Answer> = (
  call: { readonly request: Request },
  done: (failure: Failure | null, answer?: Answer) => void,
) => Promise<void>;

/** A method of the protocol. A failure is one line, and an unfinished object goes with it. */
export function answering<Request, Answer>(
  work: (request: Request) => Answer | Promise<Answer>,
  typeOf?: (request: Request) => ResourceType,
): Unary<Request, Answer> {
  return async ({ request }, done) => {
    try {
      done(null, await work(request));
    } catch (error) {
      const failure: Failure = { code: grpc.status.UNKNOWN, details: messageOf(error) };
      const type = typeOf?.(request);
      done(error instanceof Unfinished && type ? { ...failure, metadata: detailsOf(error, type) } : failure);
    }
  };
}

function detailsOf(error: Unfinished, type: ResourceType) {
  const message = messageOf(error);
  const detail = new ErrorResourceInitFailed()
    .setId(error.id)
    .setProperties(structOf(error.properties, type))
    .setReasonsList([message]);
  const any = new Any();
  any.pack(detail.serializeBinary(), 'pulumirpc.ErrorResourceInitFailed');
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(message);
  status.addDetails(any);
  const metadata = new grpc.Metadata();
  metadata.add('grpc-status-details-bin', Buffer.from(status.serializeBinary()));
  return metadata;
}
