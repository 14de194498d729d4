/** The ledger as an object on S3. Conditional writes keep two runs apart, so a server without them is refused. */
import { Agent } from 'node:https';
import type * as Sdk from '@aws-sdk/client-s3';
import { isLoopback } from '../../client/address';
import { systemCode } from '../../client/errors';
import { describeNoResponse } from '../../client/outcome';
import { oneLine, type Redact, redactor } from '../../client/text';
import type { LedgerPlace } from '../../manifest/ledger-place';
import { ledgerSecrets } from './credentials';
import { Home, homeTimes, maxBytes, type Stored, wayOut } from './home';
import { LedgerError, type LockHolder, LockLost, parseLock, renderLock, type StoreContext } from './store';

const settings = {
  address: '`ledger:`, AWS_REGION, AWS_ENDPOINT_URL_S3',
  credentials: 'the AWS credentials and what they may do',
};

export class S3Store extends Home {
  override readonly saveEveryMs = 10_000;
  readonly #sdk = loadSdk();
  readonly #redact: Redact;
  readonly #profile: string | undefined;
  /** The host of the last request. */
  #origin = '';
  readonly #client: Sdk.S3Client;
  readonly #target: { readonly Bucket: string; readonly Key: string };
  readonly #lockTarget: { readonly Bucket: string; readonly Key: string };

  /** Throws `LedgerError` if the SDK is not installed. */
  constructor({ bucket, key }: Extract<LedgerPlace, { home: 's3' }>, context: StoreContext) {
    super(`s3://${bucket}/${key}`, context);
    const { env = {} } = context;
    this.#profile = env.AWS_PROFILE;
    this.#redact = redactor(ledgerSecrets(env));
    this.#target = { Bucket: bucket, Key: key };
    this.#lockTarget = { Bucket: bucket, Key: `${key}.lock` };
    // The SDK reads these variables too. Servers other than Amazon's have no host name for each bucket.
    const isElsewhere = Boolean(env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL);
    this.#client = new this.#sdk.S3Client({
      ...(isElsewhere && { forcePathStyle: true, region: env.AWS_REGION || 'us-east-1' }),
      // NODE_TLS_REJECT_UNAUTHORIZED=0 must not switch the verification off.
      requestHandler: { httpsAgent: new Agent({ keepAlive: true, rejectUnauthorized: true }) },
    });
    // AWS reads endpoints from variables and files, so each request is checked.
    this.#client.middlewareStack.add(
      (next) => (args) => {
        this.#refusePlain(args.request as URL);
        return next(args);
      },
      { step: 'build' },
    );
  }

  /** Throws `LedgerError` if the request would not be encrypted. Loopback may use http. */
  #refusePlain({ protocol, hostname, port }: Pick<URL, 'protocol' | 'hostname' | 'port'>): void {
    this.#origin = `${protocol}//${hostname}${port ? `:${port}` : ''}`;
    if (protocol === 'https:' || isLoopback(hostname)) return;
    const advice = 'set AWS_ENDPOINT_URL_S3 to https:// (http is for this machine only)';
    throw new LedgerError(`${this.place} would be sent to ${this.#origin}: ${advice}`);
  }

  protected override async load(target = this.#target): Promise<Stored | null> {
    try {
      const { Body, ETag: tag } = await this.#client.send(new this.#sdk.GetObjectCommand(target), limit());
      if (!tag) throw this.#unfit('the answer to a read had no ETag');
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of Body as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        if (size > maxBytes) throw this.tooLarge();
        chunks.push(chunk);
      }
      return { text: Buffer.concat(chunks).toString(), tag };
    } catch (error) {
      // A missing bucket is a different error with the status 404.
      if (error instanceof this.#sdk.NoSuchKey) return null;
      throw this.#failure('read', error);
    }
  }

  #unfit(reason: string): LedgerError {
    return new LedgerError(`${this.place} cannot hold a ledger: ${reason}: check ${settings.address}`);
  }

  /** Returns null when the text was written. The SDK repeats a lost request, and its own first write may refuse the second. */
  async #write(target: Sdk.PutObjectRequest, text: string): Promise<LedgerError | 'refused' | null> {
    const body = { Body: text, ContentType: 'application/json' };
    try {
      const { ETag: tag } = await this.#client.send(
        new this.#sdk.PutObjectCommand({ ...target, ...body }),
        limit(),
      );
      // A proxy or a login page may answer in place of the server.
      return tag ? null : this.#unfit('the answer to a write had no ETag');
    } catch (error) {
      // S3 answers 409 while it still executes another write of the object.
      return [409, 412].includes(readStatus(error) ?? 0) ? 'refused' : this.#failure('write', error);
    }
  }

  protected override async store(
    text: string,
    before: Stored | null,
    lock: LockHolder,
  ): Promise<string | null> {
    const holder = await this.holder();
    if (holder?.id !== lock.id) throw new LockLost(this.place, holder);
    const condition = before === null ? { IfNoneMatch: '*' } : { IfMatch: before.tag };
    const failure = await this.#write({ ...this.#target, ...condition }, text);
    return failure === 'refused' ? 'somebody else wrote it' : (failure?.message ?? null);
  }

  override async holder(): Promise<LockHolder | null> {
    return parseLock((await this.load(this.#lockTarget))?.text ?? '');
  }

  protected override async takeLock(lock: LockHolder): Promise<LockHolder | null> {
    const write = () => this.#write({ ...this.#lockTarget, IfNoneMatch: '*' }, renderLock(lock));
    const failure = await write();
    const holder = failure === null ? lock : await this.holder();
    if (holder === null && failure instanceof LedgerError) throw failure;
    if (holder?.id !== lock.id) return holder;
    const second = await write();
    if (second === 'refused') return lock;
    if (second !== null) throw second;
    throw this.#unfit('its server did not answer 412 to a second lock (`If-None-Match: *`)');
  }

  protected override async removeLock(id: string): Promise<void> {
    if ((await this.holder())?.id !== id) return;
    try {
      await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#lockTarget), limit());
    } catch (error) {
      throw this.#failure('unlock', error);
    }
  }

  #failure(verb: string, error: unknown): LedgerError {
    if (error instanceof LedgerError) return error;
    // S3 answers so for a missing object if that permission is lacking.
    const isUnlisted = verb === 'read' && Object(error).name === 'AccessDenied';
    const advice = isUnlisted ? ' (it also needs s3:ListBucket)' : '';
    const why = oneLine(this.#redact(this.#describe(error)), 300);
    const status = readStatus(error) ?? (systemCode(error) === 'unknown error' ? 400 : 0);
    return this.refusal(verb, status, `${why}${advice}`);
  }

  /** Says in one sentence what the SDK says in many ways. */
  #describe(error: unknown): string {
    const { name = '', message = '', $response } = Object(error) as Partial<Sdk.S3ServiceException>;
    const [status, code] = [readStatus(error), systemCode(error)];
    const isLate = name === 'AbortError' || name === 'TimeoutError' || message === 'aborted';
    if (isLate) return `no answer in time: check ${settings.address}`;
    if (/Invalid URL|valid URI/.test(message))
      return 'the endpoint is not a URL: set AWS_ENDPOINT_URL_S3 to https://…';
    if (status !== undefined) {
      const { location, 'x-amz-bucket-region': region } = $response?.headers ?? {};
      const target = region === undefined ? location : `the region ${region}`;
      // The SDK says no more about an answer that is not S3's.
      const isForeign = message === 'UnknownError' || message.includes('Deserialization error');
      const detail = isForeign ? '' : `, ${name} (${message.replace(/\.$/, '')})`;
      return `the answer was ${status}${detail}: ${wayOut(status, target, settings)}`;
    }
    if (code !== 'unknown error') {
      return describeNoResponse({ kind: 'none', sent: true, code }, this.#origin, null, settings.address);
    }
    const profile = this.#profile ? `AWS_PROFILE (${this.#profile})` : 'the AWS credentials';
    return `${message}: check ${profile} and AWS_REGION`;
  }
}

/** Limits a call with all its retries, until the last byte of its answer. */
function limit(): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(homeTimes.request) };
}

function readStatus(error: unknown): number | undefined {
  return (Object(error) as Partial<Sdk.S3ServiceException>).$metadata?.httpStatusCode;
}

/** Only users with a ledger on S3 need the SDK. */
function loadSdk(): typeof Sdk {
  try {
    return require('@aws-sdk/client-s3') as typeof Sdk;
  } catch (error) {
    if (systemCode(error) !== 'MODULE_NOT_FOUND') throw error;
    throw new LedgerError('a ledger on S3 needs the AWS SDK: npm install @aws-sdk/client-s3');
  }
}
