import type { GuardedFetch } from '../../network/guarded-request.ts';
import { limitBytes } from '../../network/read-body.ts';
import { rewriteEventStream, rewriteWholeAnswer } from './wire/read-answer.ts';
import type { WireFormat } from './wire/wire-format.ts';

/** The connection of one call to its provider. */
export interface ProviderTransport {
  /** The `fetch` for adapters, whose bodies are always text. */
  readonly fetch: typeof globalThis.fetch;
  /** The status of the last response; `null` without one. */
  lastStatus(): number | null;
  /** Makes a successful response of the other form fail with an `OtherFormError`. */
  expect(form: AnswerForm): void;
}

/** The forms of an answer: a stream of events, or a complete one. */
export type AnswerForm = 'stream' | 'whole';

/**
 * The server answered in another form than requested. The next `fetch` returns this answer without a request.
 */
export class OtherFormError extends Error {
  readonly form: AnswerForm;

  constructor(form: AnswerForm) {
    super(form === 'whole' ? 'The answer is no stream' : 'The answer is a stream');
    this.name = 'OtherFormError';
    this.form = form;
  }
}

/** A streamed answer takes many times the bytes of its text. */
const MAX_STREAMED_BYTES = 64_000_000;

/**
 * Gives an adapter the guarded `fetch`, limits its responses, and rewrites successful ones.
 * @param format the form of the provider's answers; `null` to leave them as they are
 */
export function openProviderTransport(fetch: GuardedFetch, format: WireFormat | null): ProviderTransport {
  let expected: AnswerForm = 'whole';
  let lastStatus: number | null = null;
  let kept: Response | null = null;
  const rewrite = async (response: Response): Promise<Response> => {
    if (!format || !response.ok) return response;
    return expected === 'whole' ? await rewriteWhole(response, format) : rewriteStream(response, format);
  };
  return {
    lastStatus: () => lastStatus,
    expect(form) {
      expected = form;
    },
    fetch: async (input, init = {}) => {
      if (kept) return await rewrite(kept);
      const url = new URL(input instanceof Request ? input.url : input);
      const { method = 'GET', headers, body, signal } = init;
      lastStatus = null;
      const response = await fetch(url, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body: typeof body === 'string' ? body : null,
        signal: signal ?? null,
      });
      lastStatus = response.status;
      const limited = limitBody(response);
      const form = answerFormOf(limited, expected);
      if (form === expected) return await rewrite(limited);
      kept = limited;
      throw new OtherFormError(form);
    },
  };
}

type FetchedResponse = Awaited<ReturnType<GuardedFetch>>;

function limitBody({ body, status, statusText, headers }: FetchedResponse): Response {
  const limited = body?.pipeThrough(limitBytes(MAX_STREAMED_BYTES)) ?? null;
  return new Response(limited, { status, statusText, headers: Object.fromEntries(headers) });
}

async function rewriteWhole(response: Response, format: WireFormat): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = rewriteWholeAnswer(await response.text(), format);
  return new Response(text, { status, statusText, headers });
}

function rewriteStream({ body, status, statusText, headers }: Response, format: WireFormat): Response {
  const events = body?.pipeThrough(rewriteEventStream(format)) ?? null;
  return new Response(events, { status, statusText, headers });
}

/** Some servers ignore whether a stream was requested. */
function answerFormOf({ ok, headers }: Response, expected: AnswerForm): AnswerForm {
  const type = headers.get('content-type') ?? '';
  if (!ok) return expected;
  if (type.startsWith('text/event-stream')) return 'stream';
  return /^$|\bjson\b/.test(type) ? 'whole' : expected;
}
