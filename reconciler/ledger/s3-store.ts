/** The ledger as an object on S3. Conditional writes keep two runs apart, so a server without them is refused. */
import type * as Sdk from '@aws-sdk/client-s3';
import { systemCode } from '../../client/errors';
import { oneLine, type Redact, redactor } from '../../client/text';
import type { LedgerPlace } from '../../manifest/ledger-place';
import { ledgerSecrets } from './credentials';
import { Home, homeTimes, mostBytes, parseLock, renderLock, type Stored } from './home';
import { LedgerError, type LockHolder, LockLost, type StoreContext } from './store';

export class S3Store extends Home {
  override readonly saveEveryMs = 10_000;
  readonly #sdk = loadSdk();
  readonly #redact: Redact;
  readonly #client: Sdk.S3Client;
  readonly #target: { readonly Bucket: string; readonly Key: string };
  readonly #lockTarget: { readonly Bucket: string; readonly Key: string };

  /** Throws `LedgerError` if the SDK is not installed. */
  constructor(
    { bucket, key }: Extract<LedgerPlace, { home: 's3' }>,
    { organization, env = {} }: Pick<StoreContext, 'organization' | 'env'>,
  ) {
    super(`s3://${bucket}/${key}`, organization);
    this.#redact = redactor(ledgerSecrets(env));
    this.#target = { Bucket: bucket, Key: key };
    this.#lockTarget = { Bucket: bucket, Key: `${key}.lock` };
    // The SDK reads these variables too. Servers other than Amazon's have no host name for each bucket.
    const isElsewhere = Boolean(env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL);
    this.#client = new this.#sdk.S3Client({
      ...(isElsewhere && { forcePathStyle: true, region: env.AWS_REGION || 'us-east-1' }),
      // Not all servers know the checksums that the SDK would add.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  protected override async load(target = this.#target): Promise<Stored | null> {
    try {
      const answer = await this.#client.send(new this.#sdk.GetObjectCommand(target), limit());
      if (Number(answer.ContentLength) > mostBytes) throw new Error(`more than ${mostBytes} bytes`);
      return { text: (await answer.Body?.transformToString()) ?? '', tag: answer.ETag ?? '' };
    } catch (error) {
      // A missing bucket is a different error with the status 404.
      if (error instanceof this.#sdk.NoSuchKey) return null;
      throw this.#failure('read', error);
    }
  }

  /** Returns null when the text was written. The SDK repeats a lost request, and its own first write may refuse the second. */
  async #write(target: Sdk.PutObjectRequest, text: string): Promise<LedgerError | 'refused' | null> {
    const body = { Body: text, ContentType: 'application/json' };
    try {
      await this.#client.send(new this.#sdk.PutObjectCommand({ ...target, ...body }), limit());
      return null;
    } catch (error) {
      return statusOf(error) === 412 ? 'refused' : this.#failure('write', error);
    }
  }

  protected override async store(
    text: string,
    before: Stored | null,
    lock: LockHolder,
  ): Promise<string | null> {
    const holder = await this.#holder();
    if (holder?.id !== lock.id) throw new LockLost(this.place, holder);
    const condition = before === null ? { IfNoneMatch: '*' } : { IfMatch: before.tag };
    const failure = await this.#write({ ...this.#target, ...condition }, text);
    return failure === 'refused' ? 'somebody else wrote it' : (failure?.message ?? null);
  }

  async #holder(): Promise<LockHolder | null> {
    return parseLock((await this.load(this.#lockTarget))?.text ?? '');
  }

  protected override async takeLock(lock: LockHolder): Promise<LockHolder | null> {
    const write = () => this.#write({ ...this.#lockTarget, IfNoneMatch: '*' }, renderLock(lock));
    const failure = await write();
    const holder = failure === null ? lock : await this.#holder();
    if (holder === null && failure instanceof LedgerError) throw failure;
    if (holder?.id !== lock.id) return holder;
    const second = await write();
    if (second === 'refused') return lock;
    if (second !== null) throw second;
    const reason = 'its server did not answer 412 to a second lock (`If-None-Match: *`)';
    throw new LedgerError(`${this.place} cannot hold a ledger: ${reason}`);
  }

  protected override async removeLock(id: string): Promise<void> {
    if ((await this.#holder())?.id !== id) return;
    try {
      await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#lockTarget), limit());
    } catch (error) {
      throw this.#failure('unlock', error);
    }
  }

  #failure(verb: string, error: unknown): LedgerError {
    const { name, message } = Object(error) as Partial<Error>;
    const what = [name, statusOf(error)].filter(Boolean).join(' ');
    const why =
      name === 'AbortError' ? 'no answer in time' : oneLine(this.#redact(`${what}: ${message}`), 200);
    // S3 answers so for a missing object if that permission is lacking.
    const isUnlisted = verb === 'read' && name === 'AccessDenied';
    const advice = isUnlisted ? ' (it also needs s3:ListBucket)' : '';
    return new LedgerError(`could not ${verb} ${this.place}: ${why}${advice}`);
  }
}

/** Limits a call with all its retries, until the last byte of its answer. */
function limit(): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(homeTimes.request) };
}

function statusOf(error: unknown): number | undefined {
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
