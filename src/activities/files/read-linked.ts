import { CallError } from '../calls/call-error.ts';
import { fromStatus, REFUSED } from '../calls/classify-failure.ts';
import { followRedirects } from '../http/follow-redirects.ts';
import type { GuardedRequest } from '../http/guarded-request.ts';
import type { ReadBytes } from './check-media-type.ts';

/** A file at an address that a message names. */
export interface LinkedRequest {
  readonly url: string;
  /** As errors name it. */
  readonly name: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A file that takes longer is not waited for. */
const FETCH_MS = 30_000;

/**
 * Reads a file from an address, through redirects, from behind a guard.
 * @returns `null` if it is larger than wanted
 * @throws CallError `BLOCKED_URL` for an address that the guard refuses; `MODEL_FAILED` when it can't be read
 */
export async function readLinked(
  request: GuardedRequest,
  { url, name, maxBytes, signal }: LinkedRequest,
): Promise<ReadBytes | null> {
  if (!URL.canParse(url)) throw new CallError('BLOCKED_URL', `${name} can't be read`, REFUSED);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const wanted = { url: new URL(url), method: 'GET', headers: { accept: '*/*' }, body: null, signal: limited };
  try {
    return await followRedirects(request, wanted, async (answer) => {
      const { status, headers } = answer;
      if (status < 200 || status > 299) {
        answer.discard();
        throw fromStatus({
          code: 'MODEL_FAILED',
          callee: 'tool',
          status,
          headers,
          message: `${name} was not given: ${status}`,
        });
      }
      return { bytes: await answer.readBytes(maxBytes), contentType: headers.get('content-type') };
    });
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown;
    if (thrown.code === 'PAYLOAD_TOO_LARGE') return null;
    throw thrown.code === 'TOOL_FAILED' ? asModelFailure(name, thrown) : thrown;
  }
}

/** Redirects and connections fail as those of tools do. No model was asked. */
function asModelFailure(name: string, { message, retryable }: CallError): CallError {
  return new CallError('MODEL_FAILED', `${name} can't be read: ${message}`, { retryable, done: 'no' });
}
