import { formatLocalTime, zoneName } from '../../../../src/cli/output/times.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCannedApi } from '../../../support/servers/canned-api.ts';
import type { CannedApi, CannedRequest } from '../../../support/servers/canned-api.ts';
import { holdfast } from '../../../support/servers/command-line.ts';
import type { CommandOutput } from '../../../support/servers/command-line.ts';

/* Commands that read runs, against an API with fixed answers. */

const AT = '2026-11-29T10:00:00.000Z';

const COMMON = {
  node: 'plan',
  visit: 1,
  step: 0,
  at: AT,
  undoes: false,
  local: false,
  status: 'completed',
  error: null,
  attempts: 1,
  failedAttempts: [],
  nextAttemptAt: null,
  durationMs: 812.4,
  context: null,
  usage: null,
  costUsd: null,
};

const message = (role: string, content: string, more: object = {}): object => ({ id: content, role, content, ...more });

const CALLS = [
  {
    ...COMMON,
    key: 'R:plan:1:0:0',
    kind: 'model',
    name: 'default',
    request: {
      system: 'Be brief.',
      messages: [
        message('user', 'one'),
        message('assistant', 'two'),
        message('user', 'three'),
        message('assistant', '', { toolCalls: [{ id: 'c', name: 'weather', args: { city: 'Rome' } }] }),
        message('tool', 'x'.repeat(400)),
      ],
    },
    reply: { text: 'It is sunny.\nVery.', toolCalls: [], finishReason: 'stop' },
    usage: { inputTokens: 120, outputTokens: 8 },
    costUsd: 0.00012,
  },
  {
    ...COMMON,
    key: 'R:pay:1:0:0',
    kind: 'tool',
    node: 'pay',
    path: ['one'],
    index: 2,
    name: 'refund',
    status: 'failed',
    request: { euros: 5 },
    reply: null,
    error: { code: 'TOOL_FAILED', message: 'shop is down', cause: { code: 'Error', message: 'shop is down' } },
    attempts: 3,
    durationMs: null,
  },
];

const USAGE = { modelCalls: 1, toolCalls: 2, inputTokens: 120, outputTokens: 8, costUsd: 0.00012 };
const run = (id: string, threadId: string | null) => ({
  id,
  threadId,
  status: 'completed',
  graph: { name: 'chat', version: 1, hash: 'h' },
  createdAt: AT,
  error: null,
  waitingFor: [],
  usage: USAGE,
  lastSeq: 3,
});
const RUNS = [run('R3', 'ann'), run('R2', 'bob'), run('R1', 'ann'), run('R0', null)];

const TICK = { at: AT, kind: 'trigger', outcome: 'started', runId: 'R9', status: null, code: null, message: null };
const SCHEDULE = {
  id: 'S',
  graph: 'report',
  input: { of: 'day' },
  cron: '30 6 * * *',
  every: null,
  timeZone: 'UTC',
  overlap: 'skip',
  paused: false,
  threadId: null,
  metadata: {},
  limits: {},
  nextTimes: [AT],
  lastRuns: [{ ...TICK, kind: 'time', outcome: 'failed', runId: null, code: 'INVALID_INPUT', message: 'no day' }],
  owner: 'uma',
  createdAt: AT,
  createdBy: 'uma',
  updatedAt: AT,
  updatedBy: 'uma',
};

const event = (seq: number, body: object): object => ({ seq, at: AT, step: seq - 2, ...body });
const EVENTS = [
  event(1, { type: 'run.started', graph: null, by: 'uma' }),
  event(2, { type: 'node.started', node: 'plan', visit: 1 }),
  event(3, { type: 'run.completed', output: 1 }),
];

/** A page of a list by the `limit` and the `cursor` of a request; the cursor is the number of the first entry. */
function pageOf(items: readonly unknown[], { line }: CannedRequest): object {
  const query = new URL(line.replace(/^\S+ /, ''), 'http://api').searchParams;
  const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
  const listed = query.get('order') === 'newest' ? items.toReversed() : items;
  const end = from + limit;
  return { items: listed.slice(from, end), nextCursor: end < items.length ? String(end) : null };
}

const ANSWERS: readonly (readonly [RegExp, (request: CannedRequest) => unknown])[] = [
  [/^GET \/api\/runs\/R\/calls\?/, (request) => pageOf(CALLS, request)],
  [/^GET \/api\/runs\/R\/calls\/R%3Aplan%3A1%3A0%3A0$/, () => CALLS[0]],
  [/^GET \/api\/runs\/R\/history\?/, (request) => pageOf(EVENTS, request)],
  [
    /^GET \/api\/runs\/R\/state/,
    ({ line }) => ({
      values: { at: line.includes('checkpoint=R.c1') ? 'before' : 'now' },
      next: ['pay'],
      checkpoint: 'R.c2',
      pending: [],
      visited: [],
    }),
  ],
  [/^GET \/api\/runs\/R$/, () => run('R', 'ann')],
  [/^GET \/api\/runs\?/, (request) => pageOf(RUNS, request)],
  [/^GET \/api\/threads\/ann\/runs\?/, (request) => pageOf([RUNS[0], RUNS[2]], request)],
  [
    /^GET \/api\/threads\/ann$/,
    () => ({ id: 'ann', activeRunId: 'R3', lastRunId: 'R3', queued: ['R4'], createdAt: AT, updatedAt: AT }),
  ],
  [/^GET \/api\/schedules\?/, (request) => pageOf([SCHEDULE], request)],
  [/^GET \/api\/schedules\/S$/, () => SCHEDULE],
  [/^PATCH \/api\/schedules\/S$/, () => SCHEDULE],
  [/^POST \/api\/schedules\/S\/trigger$/, () => TICK],
  [/^DELETE \/api\/schedules\/S$/, () => ({})],
];

let api: CannedApi;
beforeAll(async () => {
  api = await startCannedApi((request) => ANSWERS.find(([pattern]) => pattern.test(request.line))?.[1](request));
});
afterAll(async () => await api.stop());

const ask = async (...args: string[]): Promise<CommandOutput> =>
  await holdfast(args, { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: 'token' });

describe('calls', () => {
  test('`calls` prints prompts, tool calls, answers, tokens, cost and errors, with long texts cut', async () => {
    const { code, stdout, stderr } = await ask('calls', 'R');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'plan  model default  completed in 812 ms, 120 tokens in, 8 out, $0.000120  R:plan:1:0:0',
      '  system     Be brief.',
      '             (2 earlier messages)',
      '  user       three',
      '  assistant  calls weather({"city":"Rome"})',
      `  tool       ${'x'.repeat(300)}…`,
      '  reply      It is sunny.',
      '             Very.',
      '',
      'one/pay[2]  tool refund  failed, 3 attempts  R:pay:1:0:0',
      '  request    {"euros":5}',
      '  error      TOOL_FAILED shop is down',
      '',
    ]);
    expect(stderr).toBe('The run: 1 model call, 2 tool calls, 120 tokens in, 8 out, $0.000120\n');
  });

  test('`calls --call` prints one call uncut', async () => {
    const { stdout } = await ask('calls', 'R', '--call', 'R:plan:1:0:0');
    expect(stdout).toContain('  user       one\n');
    expect(stdout).toContain(`  tool       ${'x'.repeat(400)}\n`);
  });

  test('`calls --last` prints the newest calls, the latest at the end, and a cursor for those before', async () => {
    const { stdout, stderr } = await ask('calls', 'R', '--last', '1', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ key: 'R:pay:1:0:0' }]);
    expect(stderr).toBe('There are more: add --cursor 1\n');
    const before = await ask('calls', 'R', '--last', '1', '--cursor', '1', '--json');
    expect(JSON.parse(before.stdout)).toMatchObject([{ key: 'R:plan:1:0:0' }]);
    expect(await ask('calls', 'R', '--cursor', '1')).toMatchObject({ code: 2 });
  });
});

describe('a list', () => {
  test.each<[string[], readonly string[]]>([
    [['runs', '--last', '3'], ['GET /api/runs?limit=3']],
    [['runs', '--last', '300'], ['GET /api/runs?limit=200']],
    [
      ['calls', 'R'],
      ['GET /api/runs/R/calls?order=oldest&limit=50', 'GET /api/runs/R'],
    ],
    [['history', 'R'], ['GET /api/runs/R/history?limit=1000']],
  ])('the command line %j asks for no more than it prints and no page that is too large', async (args, lines) => {
    const from = api.requests.length;
    await ask(...args);
    expect(api.requests.slice(from).map(({ line }) => line)).toEqual(lines);
  });
});

describe('history', () => {
  const heading = ` SEQ  ${`TIME (${zoneName()})`.padEnd(23)}  STEP  EVENT`;
  const time = formatLocalTime(AT);
  const lines = [
    `   1  ${time}     -  started by uma`,
    `   2  ${time}     0  plan begins`,
    `   3  ${time}     1  completed: 1`,
  ];

  test.each<[string[], readonly string[]]>([
    [[], lines],
    [['--last', '1'], lines.slice(2)],
    [['--after', '1'], lines.slice(1)],
    [['--after', '2', '--last', '3'], lines.slice(2)],
    [['--last', '2'], lines.slice(1)],
  ])('`history` with the flags %j prints columns with headings', async (flags, printed) => {
    expect((await ask('history', 'R', ...flags)).stdout).toBe(`${[heading, ...printed].join('\n')}\n`);
  });

  test.each([['--after=-1'], ['--after=last'], ['--last=0'], ['--last=1', '--follow']])(
    '`history` refuses the flags %j',
    async (...flags) => {
      expect(await ask('history', 'R', ...flags)).toMatchObject({ code: 2 });
    },
  );
});

test.each<[string[], unknown, string]>([
  [[], { at: 'now' }, 'At checkpoint R.c2; next: pay\n'],
  [['--checkpoint', 'R.c1'], { at: 'before' }, 'At checkpoint R.c2; next: pay\n'],
  [['--json'], { values: { at: 'now' }, next: ['pay'], checkpoint: 'R.c2', pending: [], visited: [] }, ''],
])('`state` with the flags %j prints the values of the channels', async (flags, printed, hint) => {
  const { stdout, stderr } = await ask('state', 'R', ...flags);
  expect(JSON.parse(stdout)).toEqual(printed);
  expect(stderr).toBe(hint);
});

describe('threads', () => {
  test('`threads` lists each thread of the newest runs once', async () => {
    const { stdout } = await ask('threads');
    expect(stdout).toBe(
      [
        'THREAD  LAST RUN  STATUS     GRAPH  CREATED',
        `ann     R3        completed  chat   ${AT}`,
        `bob     R2        completed  chat   ${AT}`,
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await ask('threads', '--json')).stdout)).toMatchObject([
      { threadId: 'ann', lastRun: { id: 'R3' } },
      { threadId: 'bob' },
    ]);
  });

  test('`threads` lists the runs of one thread, and says which one is open', async () => {
    const { stdout, stderr } = await ask('threads', 'ann');
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^R3 /),
      expect.stringMatching(/^R1 /),
    ]);
    expect(stderr).toBe('Thread ann: run R3 is open; waiting for their turn: R4\n');
  });
});

describe('schedules', () => {
  test.each<[string[], RegExp, string]>([
    [
      [],
      /^SCHEDULE +GRAPH +TIMES +NEXT +LAST\nS +report +30 6 \* \* \* \(UTC\) +2026-/,
      'GET /api/schedules?limit=200',
    ],
    [
      ['show', 'S'],
      /^S\n {2}graph {4}report\n.*overlap: skip\n.*\n {2}input {4}\{"of":"day"\}\n/,
      'GET /api/schedules/S',
    ],
    [['pause', 'S'], /^Schedule S is paused\n$/, 'PATCH /api/schedules/S'],
    [['resume', 'S'], /^Schedule S is active: next at \S+\n$/, 'PATCH /api/schedules/S'],
    [['trigger', 'S'], /^\S+ trigger started, run R9\n$/, 'POST /api/schedules/S/trigger'],
    [['delete', 'S'], /^Schedule S is deleted; its runs continue\n$/, 'DELETE /api/schedules/S'],
  ])('`schedules` with the arguments %j does what they say', async (args, printed, line) => {
    const { code, stdout } = await ask('schedules', ...args);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(printed) });
    expect(api.requests.at(-1)?.line).toBe(line);
  });

  test.each([[['list', 'S']], [['show']], [['show', 'S', 'T']]])(
    '`schedules` refuses the arguments %j',
    async (args) => {
      expect(await ask('schedules', ...args)).toMatchObject({
        code: 2,
        stderr: 'holdfast: schedules takes nothing, or an action and the id of one schedule\n',
      });
    },
  );
});

test.each([
  [['run', 'pay-back'], /404 NOT_FOUND: There is nothing\. There is no such file either/],
  [['run', 'graphs/pay-back.json'], /graphs\/pay-back\.json can't be read/],
])('%j names what was looked for', async (args, message) => {
  expect((await ask(...args)).stderr).toMatch(message);
});
