import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCannedApi } from '../../../support/servers/canned-api.ts';
import type { CannedApi } from '../../../support/servers/canned-api.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

/* `explain` against an API that lets each token do something else. */

const AT = '2026-11-29T10:00:00.000Z';

/** The actions of a run, with the tokens that may take them. */
const ACTIONS = [
  { action: 'approve', effect: 'Approves.', who: 'approver', command: 'approve R.a1 --digest', tokens: ['approver'] },
  {
    action: 'reject',
    effect: 'Rejects.',
    who: 'lead',
    command: 'reject R.a2 --digest',
    tokens: ['approver2', 'admin'],
  },
  { action: 'retry', effect: 'Retries.', who: 'operators', command: 'retry R --id pay:1:1', tokens: ['admin'] },
  { action: 'fork', effect: 'Forks.', who: 'editors', command: 'fork R --checkpoint R.c1', tokens: [] },
  { action: 'cancel', effect: 'Ends it.', who: 'operators', command: 'cancel R', tokens: ['user', 'admin'] },
];

const explanationFor = (token: string): object => ({
  runId: 'R',
  status: 'waiting',
  summary: 'Node pay waits.',
  since: AT,
  reasons: [{ kind: 'intervention', text: 'Node pay waits.', since: AT, node: 'pay', id: 'pay:1:1' }],
  budget: [],
  deadline: null,
  actions: ACTIONS.map(({ command, tokens, ...action }) => ({
    ...action,
    allowed: tokens.includes(token),
    command: {
      curl: '',
      temporal: null,
      holdfast: `npx holdfast ${command}${command.endsWith('digest') ? ` of-${token}` : ''}`,
    },
  })),
});

const RUN = {
  id: 'R',
  waitingFor: [
    {
      kind: 'intervention',
      id: 'pay:1:1',
      node: 'pay',
      since: AT,
      tool: 'refund',
      args: { order: 'A-1002', note: 'n'.repeat(100) },
      idempotencyKey: 'R:pay:1:0:0',
      error: { code: 'TOOL_FAILED', message: 'shop is down' },
      choices: [],
    },
  ],
};

let api: CannedApi;
let folder: Folder;
let tokens: string;
beforeAll(async () => {
  api = await startCannedApi(({ line, token }) => (line.endsWith('/explain') ? explanationFor(token) : RUN));
  folder = await createFolder();
  const people = Object.fromEntries(['user', 'approver', 'approver2', 'admin'].map((name) => [name, name]));
  tokens = await folder.write('tokens.json', { baseUrl: api.url, ...people });
});
afterAll(async () => await Promise.all([api.stop(), folder.remove()]));

const HEAD = [
  `R has been waiting since ${AT}`,
  '  Node pay waits.',
  `    call   refund {"order":"A-1002","note":"${'n'.repeat(100)}"}`,
  '    key    R:pay:1:0:0',
];

test('`explain` on a local stack names for each action a command that a token of the tokens file may send', async () => {
  const { code, stdout } = await holdfast(['explain', 'R'], { HOLDFAST_TOKENS_FILE: tokens });
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    ...HEAD,
    'approve: Approves.',
    '  by approver',
    '  npx holdfast approve R.a1 --digest of-approver',
    'reject: Rejects.',
    '  by lead',
    '  npx holdfast reject R.a2 --digest of-approver2 --as approver2',
    'retry: Retries.',
    '  by operators',
    '  npx holdfast retry R --id pay:1:1 --as admin',
    'fork: Forks.',
    '  by editors',
    'cancel: Ends it.',
    '  npx holdfast cancel R',
    '',
  ]);
});

test('`explain` with --as names the tokens that commands need', async () => {
  const { stdout } = await holdfast(['explain', 'R', '--as', 'admin', '--tokens-file', tokens]);
  expect(stdout).toContain('retry: Retries.\n  npx holdfast retry R --id pay:1:1 --as admin\n');
  expect(stdout).toContain('cancel: Ends it.\n  npx holdfast cancel R\n');
});

test('`explain` elsewhere names the commands that its own token may send, and asks as no other', async () => {
  const from = api.requests.length;
  const { stdout } = await holdfast(['explain', 'R'], { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: 'user' });
  expect(stdout.split('\n').slice(HEAD.length)).toEqual([
    'approve: Approves.',
    '  by approver',
    'reject: Rejects.',
    '  by lead',
    'retry: Retries.',
    '  by operators',
    'fork: Forks.',
    '  by editors',
    'cancel: Ends it.',
    '  npx holdfast cancel R',
    '',
  ]);
  expect(new Set(api.requests.slice(from).map(({ token }) => token))).toEqual(new Set(['user']));
});
