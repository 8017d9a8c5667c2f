import { ulid } from 'ulid';
import type { JsonObject } from '../../graph/values/index.ts';
import type { MessageKey } from '../../store/hooks/hook-messages.ts';
import type { ApiDeps } from '../deps.ts';
import { contentHash } from '../http/content-hash.ts';
import { ApiError } from '../http/errors.ts';
import { actOnMessage } from './act-on-message.ts';
import type { WantedAct } from './act-on-message.ts';
import { authenticateHook } from './authenticate-hook.ts';
import { readMessage } from './read-message.ts';
import { SCHEMES } from './schemes.ts';
import type { SignedRequest } from './signed-request.ts';

/** What a message is answered with. */
export interface Received {
  /** 202: it has done something. 200: it had done it before, or wants nothing. */
  readonly status: 200 | 202;
  readonly body: JsonObject;
}

/**
 * Takes a signed message of another system: it does what its hook says, once.
 * @throws ApiError 401 unless it is signed; 409 while it is worked on; else as what it does. Sent again, it is tried again
 */
export async function receiveMessage(deps: ApiDeps, address: string, request: SignedRequest): Promise<Received> {
  const hook = await authenticateHook(deps, address, request);
  const scheme = SCHEMES[hook.scheme];
  const message = readMessage(request, scheme);
  const greeting = scheme.greetingOf(request, message.body);
  if (greeting) return { status: 200, body: greeting };
  const at = { hook, message: contentHash(scheme.messageIdOf(request, message.body)) };
  const id = ulid();
  const claim = await deps.store.hookMessages.claim(at, id);
  switch (claim.kind) {
    case 'done':
      return { status: 200, body: { ...claim.answer } };
    case 'in-progress':
      throw new ApiError('REQUEST_IN_PROGRESS', 'This message is still being worked on', {
        headers: { 'retry-after': '1' },
      });
    case 'mine':
      return await act(deps, { hook, message, attempt: { id: claim.workId, isRepetition: claim.workId !== id } }, at);
  }
}

async function act(deps: ApiDeps, wanted: WantedAct, at: MessageKey): Promise<Received> {
  const { hookMessages } = deps.store;
  try {
    const answer = await actOnMessage(deps, wanted);
    await hookMessages.finish(at, answer);
    return { status: 202, body: { ...answer } };
  } catch (error) {
    await hookMessages.release(at).catch(() => undefined);
    throw error;
  }
}
