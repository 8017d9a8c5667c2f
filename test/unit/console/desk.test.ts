import type { Approval, Call } from 'holdfast/client';
import { describe, expect, test } from 'vitest';
import { argumentChanges, notesOnFields, mainArguments } from '../../../console/src/pages/inbox/arguments.ts';
import { findCall, takeLatest, readConversation } from '../../../console/src/pages/inbox/conversation.ts';
import { findProblems, readSearch, describeSearch } from '../../../console/src/pages/runs/run-query.ts';
import { RETURN_PATH, toReturnPath } from '../../../console/src/session/return-path.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';

describe('the address that the console opens', () => {
  const ORIGIN = 'https://holdfast.example';
  const HOME = '/console/';

  test.each([
    [`${ORIGIN}/console/inbox/a1?view=mine#part`, '/console/inbox/a1?view=mine#part'],
    ['/console/runs', '/console/runs'],
    ['/console/a/../runs', '/console/runs'],
    [null, HOME],
    ['', HOME],
    [`${ORIGIN}/console/../api/runs`, HOME],
    [`${ORIGIN}/console/%2e%2e/api/runs`, HOME],
    [`${ORIGIN}/consoles`, HOME],
    [`${ORIGIN}${RETURN_PATH}?code=c&state=s`, HOME],
    ['https://evil.example/console/inbox', HOME],
    ['//evil.example/console/inbox', HOME],
    [String.raw`/\evil.example/console/inbox`, HOME],
    ['https://holdfast.example@evil.example/console/', HOME],
    ['https://holdfast.example.evil.example/console/', HOME],
    ['http://holdfast.example/console/', HOME],
    ['javascript:alert(1)//console/', HOME],
    ['data:text/html,/console/', HOME],
    ['https://[', HOME],
  ])('the path that the console opens after a sign-in from %j is %s', (asked, expected) => {
    expect(toReturnPath(asked, ORIGIN)).toBe(expected);
  });
});

describe('a search for runs', () => {
  const METADATA = { metadata: expect.any(String) };

  test.each([
    ['', {}],
    ['metadata=customer=acme', {}],
    ['metadata=customer:acme+order="A+1"', {}],
    ['metadata=++', {}],
    ['status=waiting,failed&graph=a&thread=t&parent=p', {}],
    ['metadata=acme', METADATA],
    ['metadata=customer=acme+other', METADATA],
    ['metadata=customer=', METADATA],
    ['metadata==acme', METADATA],
    ['metadata=customer+=+acme', METADATA],
    ['metadata=customer="acme', METADATA],
    ['metadata=customer="a"b', METADATA],
    ['metadata=a=1+a=2', METADATA],
    [`metadata=${Array.from({ length: 11 }, (_, n) => `a${n}=1`).join('+')}`, METADATA],
    ['status=nice', { status: expect.any(String) }],
    ['status=waiting,', { status: expect.any(String) }],
    ['status=Waiting', { status: expect.any(String) }],
    ['customer=acme', { address: expect.any(String) }],
    ['graph=a&graph=b', { address: expect.any(String) }],
    ['x=1&metadata=acme', { ...METADATA, address: expect.any(String) }],
  ])('the console parses the run search %s, or reports its problem at its field', (query, problems) => {
    expect(findProblems(new URLSearchParams(query))).toEqual(problems);
  });

  test.each([
    ['', ''],
    ['graph=+&metadata=', ''],
    ['graph=refund&status=waiting,failed', 'status waiting or failed, graph refund'],
    ['metadata=customer=acme&thread=t&parent=R', 'thread t, forks of R, metadata customer=acme'],
  ])('the console formats the run search %s as text', (query, words) => {
    expect(describeSearch(readSearch(new URLSearchParams(query)))).toBe(words);
  });
});

const decided = (by: string, args: Approval['args']) =>
  ({ by, decision: 'approve', reason: null, at: `at ${by}`, args, values: null }) as const;

describe('arguments that were changed', () => {
  const asked = { amount: 1200, to: 'Acme' };

  test('the console lists changes of an approval’s arguments by person, the earliest first', () => {
    const approval = {
      askedArgs: asked,
      args: { amount: 900, to: 'Acme' },
      decisions: [
        decided('ada', { amount: 1100, to: 'Acme' }),
        decided('cy', { amount: 1100, to: 'Acme' }),
        decided('bob', { amount: 900, to: 'Acme' }),
      ],
    };
    expect(argumentChanges(approval)).toEqual([
      { by: 'ada', at: 'at ada', rows: [{ path: '/amount', kind: 'changed', before: 1200, after: 1100 }] },
      { by: 'bob', at: 'at bob', rows: [{ path: '/amount', kind: 'changed', before: 1100, after: 900 }] },
    ]);
    expect(notesOnFields(approval)).toEqual({ amount: 'It was 1200 when it was asked; bob has changed it.' });
  });

  test.each([
    ['no person', { args: asked, decisions: [] }],
    ['a person who approved them unchanged', { args: asked, askedArgs: asked, decisions: [decided('ada', asked)] }],
    [
      'a person, and restored by another',
      {
        args: asked,
        askedArgs: asked,
        decisions: [decided('ada', { amount: 1, to: 'Acme' }), decided('bob', asked)],
      },
    ],
  ])('the console counts an approval’s arguments as unchanged when they were edited by %s', (_, approval) => {
    expect([argumentChanges(approval), notesOnFields(approval)]).toEqual([[], {}]);
  });

  test('the console notes a changed argument at its field, also if it is new, or only a part of it has changed', () => {
    const approval = {
      askedArgs: { place: { city: 'Bern' } },
      args: { place: { city: 'Basel' }, 'a/b': true },
      decisions: [decided('ada', { place: { city: 'Basel' }, 'a/b': true })],
    };
    expect(notesOnFields(approval)).toEqual({
      place: 'A part of it was another when it was asked; ada has changed it.',
      'a/b': 'It was not there when it was asked; ada has changed it.',
    });
  });
});

test.each([
  [{ note: 'n', order: 'A-1', customer: 'c-18', amount: 740.5 }, ['amount 740.5', 'customer c-18', 'order A-1']],
  [{ a: 1, b: 2, c: 3, d: 4, total: 5 }, ['total 5', 'a 1', 'b 2']],
  [{ text: 'x'.repeat(99), list: [1], none: null, empty: '' }, [`text ${'x'.repeat(40)}…`]],
  ['[redacted]', []],
  [null, []],
])('the console’s lists show the main ones of an approval’s arguments %j', (args, expected) => {
  expect(mainArguments(args)).toEqual(expected);
});

const A_CALL: Call = {
  key: 'k',
  kind: 'model',
  name: 'm',
  node: 'n',
  visit: 1,
  step: 0,
  at: '2026-01-02T03:04:05.678Z',
  undoes: false,
  local: false,
  status: 'completed',
  request: null,
  reply: null,
  error: null,
  attempts: 1,
  failedAttempts: [],
  nextAttemptAt: null,
  durationMs: 1,
  context: null,
  usage: null,
  costUsd: null,
};

describe('the conversation that led to a call of an agent', () => {
  const aCall = (key: string, over: Partial<Call>): Call => ({ ...A_CALL, key, ...over });
  const asking = (name: string, args: Json): JsonObject => ({ text: 'so', toolCalls: [{ id: 't', name, args }] });
  const approval = { tool: 'pay', args: { amount: 2 } };

  test.each([
    [
      'requests the tool call with its arguments',
      [aCall('a', { reply: asking('pay', { amount: 1 }) }), aCall('b', { reply: asking('pay', { amount: 2 }) })],
      'b',
    ],
    [
      'requests the tool',
      [aCall('a', { reply: asking('look', {}) }), aCall('b', { reply: asking('pay', '[redacted]') })],
      'b',
    ],
    [
      'is the latest',
      [aCall('a', { reply: null }), aCall('b', { reply: { text: 'x' } }), aCall('c', { reply: 'y' })],
      'b',
    ],
  ])(
    'the console shows the conversation that led to an agent’s tool call from the model call that %s',
    (_, calls, key) => {
      expect(findCall(calls, approval)?.key).toBe(key);
    },
  );

  test('the console finds an agent’s conversation by the requested arguments after a person has changed them', () => {
    const calls = [
      aCall('a', { reply: asking('pay', { amount: 3 }) }),
      aCall('b', { reply: asking('pay', { amount: 2 }) }),
    ];
    expect(findCall(calls, { ...approval, askedArgs: { amount: 2 }, args: { amount: 3 } })?.key).toBe('b');
  });

  test('the console reads an agent’s conversation with the number of missing messages', () => {
    const messages = [{ role: 'user', content: 'pay' }, { role: 'user', content: [{ type: 'file' }] }, 'x'];
    const read = readConversation(
      aCall('a', { request: { system: 's', messages, omitted: 3 }, reply: asking('pay', { amount: 2 }) }),
    );
    expect(read).toMatchObject({
      system: 's',
      missing: 5,
      messages: [
        { role: 'user', content: 'pay' },
        { role: 'assistant', content: 'so', toolCalls: [{ name: 'pay' }] },
      ],
    });
    expect(readConversation(aCall('b', { request: '[redacted]', reply: '[redacted]' }))).toMatchObject({
      system: null,
      missing: 0,
      messages: [{ content: '[redacted]' }],
    });
  });

  test('the console truncates an agent’s conversation at its beginning, and keeps the last question of a person', () => {
    const message = (id: number, role = 'tool') => ({ id: String(id), role, content: '', name: null, toolCalls: [] });
    const asked = message(1, 'user');
    const all = [message(0, 'user'), asked, ...Array.from({ length: 9 }, (_, n) => message(n + 2))];
    expect(takeLatest(all).map(({ id }) => id)).toEqual(['1', '5', '6', '7', '8', '9', '10']);
    expect(takeLatest(all.slice(0, 3))).toEqual(all.slice(0, 3));
  });
});
