import { describe, expect, test } from 'vitest';
import { PROVIDERS, askModel, dataEvents, failureOf } from '../../../support/doubles/asked-model.ts';
import { answer, json } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

const text = (body: string, type = 'text/event-stream', status = 200): Answer =>
  answer(status, { 'content-type': type }, body);
const OVERFLOW = 'The prompt is too long for this model';

/** Errors in place of an answer, or within one. */
const ERRORS: readonly (readonly [string, Answer, { retryable: boolean; reason?: string | null }])[] = [
  ['a text', dataEvents({ error: 'Out of memory', error_type: 'generation' }), { retryable: true }],
  ['a text after an event', dataEvents({ type: 'later' }, { error: 'Out of memory' }), { retryable: true }],
  ['a text with a type of wrong requests', dataEvents({ error: 'No', error_type: 'validation' }), { retryable: false }],
  [
    'a text about the context',
    dataEvents({ error: OVERFLOW }),
    { retryable: false, reason: 'context_length_exceeded' },
  ],
  [
    'a text about credit',
    dataEvents({ error: 'Insufficient balance' }),
    { retryable: false, reason: 'insufficient_quota' },
  ],
  [
    'error_message',
    dataEvents({ choices: null, error_type: 'server_error', error_message: 'busy' }),
    { retryable: true },
  ],
  ['true', dataEvents({ error: true, message: 'busy' }), { retryable: true }],
  ['a member of Groq', dataEvents({ choices: [], x_groq: { error: 'busy' } }), { retryable: true }],
  [
    'an error of a server behind another',
    json({ error: { code: 400, message: 'Provider returned error', metadata: { raw: OVERFLOW } } }, 400),
    { retryable: false, reason: 'context_length_exceeded' },
  ],
  [
    'a choice',
    dataEvents({ choices: [{ error: { code: 502, message: 'busy' }, finish_reason: 'error' }] }),
    { retryable: true },
  ],
  [
    'an object of vLLM',
    dataEvents({ object: 'error', message: 'No', type: 'BadRequestError', code: 400 }),
    { retryable: false },
  ],
  ['a type', dataEvents({ type: 'server_error', message: 'busy' }), { retryable: true }],
  ['a status of MiniMax', dataEvents({ base_resp: { status_code: 1002, status_msg: 'busy' } }), { retryable: true }],
  ['a detail', json({ detail: 'busy' }), { retryable: true }],
  ['a list', json([{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }]), { retryable: true }],
  ['an object with a code', json({ error: { code: '429', message: 'slow down' } }), { retryable: true }],
  ['an object with a wrong key', json({ error: { code: 'invalid_api_key', message: 'No' } }), { retryable: false }],
  ['an event with text', text('event: error\ndata: upstream died\n\n'), { retryable: true }],
  ['a line that is no event', text('{"error":"upstream died"}\n'), { retryable: true }],
  ['an event that is no JSON', text('data: upstream died\n\n'), { retryable: true }],
  ['nothing', text(''), { retryable: true }],
  ['nothing as JSON', text('', 'application/json'), { retryable: true }],
  ['status 204', answer(204), { retryable: true }],
  ['a page', text('<html>Bad gateway</html>', 'text/html'), { retryable: true }],
  ['cut JSON', text('{"choices":[{"mess', 'application/json'), { retryable: true }],
  ['text with status 400', text(OVERFLOW, 'text/plain', 400), { retryable: false, reason: 'context_length_exceeded' }],
  ['text with status 503', text('busy', 'text/plain', 503), { retryable: true }],
  [
    'a detail with status 400',
    json({ detail: [{ msg: OVERFLOW }] }, 400),
    { retryable: false, reason: 'context_length_exceeded' },
  ],
  [
    'a call that the model failed to write',
    json({ error: { code: 'tool_use_failed', message: 'No' } }, 400),
    { retryable: true },
  ],
  [
    'an object that the model failed to write',
    json({ error: { message: 'Failed to validate JSON. Please adjust' } }, 400),
    { retryable: true },
  ],
];

describe('an error is classified whatever its form', () => {
  const CASES = ERRORS.flatMap(([what, given, verdict]) =>
    PROVIDERS.flatMap((provider) => [true, false].map((isStream) => ({ what, given, verdict, provider, isStream }))),
  );

  test.each(CASES)(
    'a provider error is classified whatever its form: $what ($provider, stream: $isStream)',
    async ({ given, verdict, provider, isStream }) => {
      server.answers(given);
      const failure = await failureOf(askModel(server, provider, { stream: isStream }));
      expect(failure).toMatchObject({ code: 'MODEL_FAILED', reason: null, ...verdict });
      expect(server.requests).toHaveLength(1);
    },
  );
});
