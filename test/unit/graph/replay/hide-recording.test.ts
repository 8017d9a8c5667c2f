import { describe, expect, test } from 'vitest';
import { startRun } from '../../../../src/graph/advance/begin-run.ts';
import type { RunIdentity } from '../../../../src/graph/advance/begin-run.ts';
import type { GraphDefinition, NodeDefinition } from '../../../../src/graph/definition/definition.ts';
import { findRedaction } from '../../../../src/graph/redaction/find-redaction.ts';
import { hideEvent } from '../../../../src/graph/redaction/hide.ts';
import { hideRecording, replayRecording } from '../../../../src/graph/replay/recording.ts';
import type { Recording } from '../../../../src/graph/replay/recording.ts';
import type { RecordedAnswer } from '../../../../src/graph/replay/replay-log.ts';
import { isLocalCall } from '../../../../src/graph/run/call.ts';
import type { CallEffect, CallReply } from '../../../../src/graph/run/effect.ts';
import type { Occurrence, OccurrenceBody } from '../../../../src/graph/run/occurrence.ts';
import type { Run } from '../../../../src/graph/run/run.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { runShuffled, STARTED_AT } from '../../../support/readers/shuffled-run.ts';

/*
 * Wherever a run carries a redacted value, its redacted recording does not contain the value, and can still be
 * replayed.
 */

const CANARY = 'canary-4711';
const NUMBER = 47_114_711;

const catalog = aCatalog({
  tools: {
    work: { description: '', parameters: {}, effect: 'keyed' },
    undo: { description: '', parameters: {}, effect: 'keyed' },
    ask: { description: '', parameters: {}, effect: 'unsafe', onFailure: 'intervene' },
    look: { description: '', parameters: {}, effect: 'idempotent', timeout: '1s', execution: 'local' },
  },
  functions: { find: { effect: 'idempotent', timeout: '1s' } },
});

interface Course {
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly over?: Partial<GraphDefinition>;
  readonly answer?: (call: CallEffect) => Json | Error | CallReply;
  /** Returns the signal to send when the run first waits. */
  readonly signal?: (run: Run) => { readonly name: string; readonly payload: JsonObject };
}

const by = { sub: 'ada', roles: ['approver'] };
const usage = { inputTokens: 1, outputTokens: 1 };
const said = (text: string, args?: Json, name = 'work'): CallReply => ({
  kind: 'model',
  text,
  toolCalls: args === undefined ? [] : [{ id: 'c1', name, args }],
  finishReason: 'stop',
  usage,
  providerParts: { provider: 'p', parts: [{ quote: CANARY }] },
});
const lost = new Error(`It has failed for ${CANARY}`);

function play({ nodes, over = {}, answer = () => CANARY, signal }: Course): Recording {
  const channels = { secret: { redact: true }, log: { reducer: 'append' } } as const;
  const definition = aDefinition({ channels, nodes, ...over });
  const input = { secret: { text: CANARY, number: NUMBER } };
  const identities: RunIdentity[] = [];
  let isSent = signal === undefined;
  const { steps, occurrences } = runShuffled({
    definition,
    catalog,
    choose: () => 0,
    begin: (graph, identity) => {
      identities.push(identity);
      return startRun(graph, identity, { input, startedAt: STARTED_AT });
    },
    answer: (call) => toOccurrence(call, answer(call)),
    interject: (run) => {
      if (isSent || !signal || run.phase.kind === 'running') return null;
      isSent = true;
      return { body: { kind: 'signal', ...signal(run) }, check: () => undefined };
    },
  });
  const [identity] = identities;
  if (!identity) throw new Error('The run was not begun');
  return {
    identity,
    definition,
    catalog,
    redaction: findRedaction({ definition, catalog }),
    begin: { kind: 'input', input },
    events: steps.flatMap(({ events }) => events),
    occurrences: steps.flatMap((step) => step.occurrences),
    answers: Object.fromEntries(occurrences.flatMap(answerIn)),
  };
}

function toOccurrence(call: CallEffect, given: Json | Error | CallReply): OccurrenceBody {
  const { key } = call;
  const local = isLocalCall(call) ? { isLocal: true as const } : {};
  if (given instanceof Error)
    return {
      kind: 'call.failed',
      key,
      ...local,
      failure: { callFailed: true, error: { code: 'TOOL_FAILED', message: given.message } },
    };
  const reply: CallReply = isReply(given) ? given : { kind: 'value', value: given };
  return { kind: 'call.completed', key, reply, attempts: 1, durationMs: 1, ...local };
}

function isReply(given: Json | CallReply): given is CallReply {
  return typeof given === 'object' && given !== null && 'kind' in given;
}

/** Returns the ledger entry of an occurrence. The ledger has none for local calls. */
function answerIn(occurrence: Occurrence): [string, RecordedAnswer][] {
  if ('isLocal' in occurrence) return [];
  if (occurrence.kind === 'call.completed')
    return [[occurrence.key, { result: toJson(occurrence.reply), failure: null, failures: 0 }]];
  if (occurrence.kind !== 'call.failed') return [];
  return [[occurrence.key, { result: null, failure: occurrence.failure, failures: 1 }]];
}

const picture = (name: string) => ({ type: 'image', blob: `${CANARY}-${name}`, mediaType: 'image/png' }) as const;

const approvalOf = (run: Run): string => Object.keys(run.approvals)[0] ?? '';

const COURSES: readonly (readonly [string, Course])[] = [
  ['only the input', { nodes: { a: { type: 'set', write: { log: 'a' } } } }],
  [
    'the result of a tool',
    {
      nodes: { t: { type: 'tool', tool: 'work', args: {}, write: 'secret' } },
      answer: () => ({ account: CANARY, n: NUMBER }),
    },
  ],
  [
    'the arguments of a tool',
    {
      nodes: { t: { type: 'tool', tool: 'work', args: { of: '{{ state.secret }}' }, write: 'log' } },
      answer: () => 'ok',
    },
  ],
  [
    'the result of a local tool',
    { nodes: { t: { type: 'tool', tool: 'look', args: {}, write: 'secret' } }, answer: () => ({ account: CANARY }) },
  ],
  [
    'the result of a local function',
    {
      nodes: { f: { type: 'function', function: 'find', args: {}, execution: 'local', write: 'secret' } },
      answer: () => ({ account: CANARY, n: NUMBER }),
    },
  ],
  ['the text of a model', { nodes: { m: { type: 'llm', prompt: 'p', write: 'secret' } }, answer: () => said(CANARY) }],
  [
    'the calls of an agent that has read the value',
    {
      nodes: {
        m: { type: 'agent', prompt: 'p {{ state.secret }}', tools: ['work'], write: { log: '{{ result.text }}' } },
      },
      answer: ({ request }) => {
        if (request.kind !== 'model') return { found: CANARY };
        return request.messages.length === 1 ? said('', { of: CANARY }) : said(`It is ${CANARY}`);
      },
    },
  ],
  [
    'files that the tool of an agent has answered',
    {
      nodes: { m: { type: 'agent', messages: 'talk', prompt: '{{ state.secret }}', tools: ['work'] } },
      over: { channels: { secret: { redact: true }, talk: { reducer: 'messages', redact: true } } },
      answer: ({ request }) => {
        if (request.kind !== 'model') return { kind: 'value', value: [picture('in')], files: [picture('beside')] };
        return request.messages.some(({ role }) => role === 'tool') ? said('Seen') : said('', {});
      },
    },
  ],
  [
    'files that the local tool of an agent has answered',
    {
      nodes: {
        m: { type: 'agent', messages: 'talk', prompt: '{{ state.secret }}', tools: ['look'] },
      },
      over: { channels: { secret: { redact: true }, talk: { reducer: 'messages', redact: true } } },
      answer: ({ request }) => {
        if (request.kind !== 'model') return { kind: 'value', value: { n: 1 }, files: [picture('beside')] };
        return request.messages.some(({ role }) => role === 'tool') ? said('Seen') : said('', {}, 'look');
      },
    },
  ],
  [
    'the failure of a tool with the value in its arguments',
    {
      nodes: {
        t: {
          type: 'tool',
          tool: 'work',
          args: { of: '{{ state.secret }}' },
          onError: { to: 'b', write: { log: '{{ error.message }}' } },
        },
        b: { type: 'set', write: { log: 'b' } },
      },
      answer: () => lost,
    },
  ],
  [
    'a decision with other arguments and values',
    {
      nodes: {
        q: {
          type: 'approval',
          title: 'Sure, {{ state.secret }}?',
          args: '{{ state.secret }}',
          write: { secret: '{{ result.values }}' },
        },
      },
      signal: (run) => ({
        name: 'approve',
        payload: { approvalId: approvalOf(run), args: { text: CANARY }, values: { note: CANARY }, by },
      }),
    },
  ],
  [
    'an event',
    {
      nodes: { w: { type: 'wait', event: 'go', write: 'secret' } },
      signal: () => ({ name: 'event', payload: { event: 'go', payload: { text: CANARY }, by } }),
    },
  ],
  [
    'the output of a skipped node',
    {
      nodes: { t: { type: 'tool', tool: 'work', args: {}, onError: 'intervene', write: 'secret' } },
      answer: () => new Error('no'),
      signal: () => ({ name: 'skip', payload: { node: 't', output: CANARY, by } }),
    },
  ],
  [
    'an edit of a paused run',
    {
      nodes: { a: { type: 'set', write: { log: 'a' } } },
      over: { interruptBefore: ['a'] },
      signal: () => ({ name: 'resume', payload: { values: { secret: CANARY, log: 'open' }, by } }),
    },
  ],
  [
    'a graph inside',
    {
      nodes: {
        s: {
          type: 'subgraph',
          graph: aDefinition({
            name: 'inner',
            channels: { own: { redact: true }, log: {} },
            nodes: { t: { type: 'tool', tool: 'work', args: {}, write: 'own' } },
          }),
        },
      },
    },
  ],
  [
    'a compensation',
    {
      nodes: {
        t: {
          type: 'tool',
          tool: 'work',
          args: {},
          write: 'secret',
          compensate: { tool: 'undo', args: { id: '{{ result }}' } },
        },
        f: { type: 'tool', tool: 'work', args: { no: 1 } },
      },
      answer: ({ node }) => (node === 'f' ? new Error('no') : CANARY),
    },
  ],
];

describe.each(COURSES)('a recording with a redacted value in %s', (_what, course) => {
  const whole = play(course);
  const hidden = hideRecording(whole);

  test('a recording with a redacted value contained the value before its redaction, and not afterwards', () => {
    expect(JSON.stringify(whole)).toMatch(/canary|47114711/);
    expect(JSON.stringify(hidden)).not.toMatch(/canary|47114711/);
  });

  test('a recording replays with the same events', () => {
    expect(replayRecording(whole, { view: (event) => event }).divergence).toBeNull();
  });

  test('a recording with a redacted value replays with the same visible events', () => {
    const view = (event: Recording['events'][number]) => hideEvent(event, whole.redaction);
    expect(hidden && replayRecording(hidden, { view }).divergence).toBeNull();
  });
});

test('a recording without redacted values stays unchanged by redaction', () => {
  const whole = play({ nodes: { a: { type: 'set', write: {} } }, over: { channels: { secret: {}, log: {} } } });
  expect(hideRecording(whole)).toBe(whole);
});

test('a fork of a run with redacted values has no visible recording for replays', () => {
  const whole = play({ nodes: { a: { type: 'set', write: {} } } });
  const begin = { kind: 'reopen', run: { format: 1 }, name: 'retry', payload: {} } as const;
  expect(hideRecording({ ...whole, begin })).toBeNull();
});
