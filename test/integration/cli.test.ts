import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasStatus, startRun } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createFolder, holdfast } from '../support/servers/command-line.ts';
import type { Folder } from '../support/servers/command-line.ts';
import { at } from '../support/readers/json-at.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

/* `holdfast run` against a running stack. */

let stack: TestStack;
let folder: Folder;
let tokens: string;
beforeAll(async () => {
  [stack, folder] = await Promise.all([startTestStack({}), createFolder()]);
  tokens = await folder.write('tokens.json', { baseUrl: stack.baseUrl, ...stack.tokens });
});
afterAll(async () => {
  await Promise.all([stack.stop(), folder.remove()]);
});

const run = async (definition: unknown, ...flags: string[]) => {
  const file = await folder.write('graph.json', definition);
  return await holdfast(['run', file, '--tokens-file', tokens, ...flags]);
};

const GREETING = aDefinition({
  channels: { name: {}, log: { reducer: 'append' } },
  nodes: { greet: { type: 'set', write: { log: 'Hello {{ state.name }}' } } },
  input: ['name'],
  output: ['log'],
});
const ASKING = aDefinition({ nodes: { ask: { type: 'approval', title: 'Sure?', write: 'log' } } });
const FAILING = aDefinition({ nodes: { a: { type: 'set', write: { log: '{{ state.log[7].x }}' } } } });

describe('holdfast run', () => {
  test('holdfast run prints the output of a completed run to stdout and its progress to stderr', async () => {
    const { code, stdout, stderr } = await run(GREETING, '--input', '{ "name": "Ada" }');
    expect({ code, output: JSON.parse(stdout) }).toEqual({ code: 0, output: { log: ['Hello Ada'] } });
    expect(stderr).toMatch(/^Run [0-9A-Z]{26}\n/);
    expect(stderr).toContain('greet is done');
    expect(stderr).toMatch(/Run [0-9A-Z]{26} has completed\n$/);
  });

  test('holdfast run reads its input from a file, and its address and token from the environment', async () => {
    const input = await folder.write('input.json', { name: 'Bob' });
    const file = await folder.write('graph.json', GREETING);
    const env = { HOLDFAST_URL: stack.baseUrl, HOLDFAST_TOKEN: stack.tokens.user };
    const { code, stdout, stderr } = await holdfast(['run', file, '--input', `@${input}`, '--quiet', '--json'], env);
    expect({ code, stderr, run: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      stderr: '',
      run: { status: 'completed', output: { log: ['Hello Bob'] } },
    });
  });

  test('holdfast run exits with 1 when the run fails, and prints the reason', async () => {
    const { code, stderr } = await run(FAILING);
    expect(code).toBe(1);
    expect(stderr).toMatch(/has failed: EXPRESSION_FAILED /);
  });

  test('holdfast run exits with 3 when the run waits for a person', async () => {
    const { code, stderr } = await run(ASKING);
    expect(code).toBe(3);
    expect(stderr).toContain('ask asks: Sure?');
    expect(stderr).toMatch(/Run [0-9A-Z]{26} waits for a decision at ask \([^)]+\)\n$/);
  });

  test('holdfast run prints the issues of a refused definition with their lines in its file', async () => {
    const { code, stdout, stderr } = await run({ ...GREETING, edges: [{ from: '__start__', to: 'gret' }] });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/graph\.json:\d+:\d+: error UNKNOWN_NODE: There is no node "gret"/);
  });

  test('holdfast run prints what is wrong with the input of the run', async () => {
    const { code, stderr } = await run(GREETING, '--input', '{ "nmae": "Ada" }');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('/input/nmae: ') });
  });

  test('holdfast run exits with 6 when the API refuses the request', async () => {
    const { code, stderr } = await run(GREETING, '--token', 'no-token');
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('401 UNAUTHENTICATED') });
  });

  test('holdfast run exits with 5 after its timeout, while the run continues', async () => {
    const waiting = aDefinition({ nodes: { a: { type: 'wait', for: '1h' } } });
    const { code } = await run(waiting, '--timeout', '1s');
    expect(code).toBe(5);
    const again = await startRun(stack.as('user'), waiting);
    expect(hasStatus('waiting')(again)).toBe(true);
  });

  test.each(['25d', '60d'])('holdfast run accepts a timeout of %s, longer than a timer allows', async (time) => {
    expect(await run(GREETING, '--timeout', time)).toMatchObject({ code: 0 });
  });

  test.each<[string[], RegExp]>([
    [['--input', '{'], /--input is no JSON/],
    [['--input', '[]'], /a JSON object/],
    [['--input', '@missing.json'], /missing\.json can't be read/],
    [['--timeout', 'soon'], /--timeout takes a duration/],
    [['--as', 'usr'], /no token for "usr"\. Did you mean "user"\?/],
    [['more.json'], /run takes one graph: a file, or the name of a published one/],
  ])('holdfast run refuses the arguments %j as wrong usage', async (flags, message) => {
    const { code, stderr } = await run(GREETING, ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('holdfast run needs the address of an API and a token', async () => {
    const file = await folder.write('graph.json', GREETING);
    expect(await holdfast(['run', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Where is the API?'),
    });
    expect(await holdfast(['run', file, '--url', stack.baseUrl])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Who asks?'),
    });
  });
});

test('a graph that is published again in an old version is what its name means, and can be taken back', async () => {
  const call = async (...args: string[]) => await holdfast([...args, '--tokens-file', tokens]);
  const publishText = async (text: string) => {
    const nodes = { a: { type: 'set', write: { log: text } } } as const;
    const file = await folder.write('named.json', { ...aDefinition({ nodes }), name: 'named' });
    const { stdout } = await call('publish', file);
    return stdout.slice(stdout.indexOf(': ') + 2);
  };
  const outputOfName = async () => at((await stack.as('user').post('/api/runs', { graph: 'named' })).body, '/graph');
  expect(await publishText('one')).toBe('named, version 1 (new)\n');
  expect(await publishText('two')).toBe('named, version 2 (new); its name meant version 1 until now\n');
  expect(await publishText('two')).toBe('named, version 2 (unchanged)\n');
  expect(await publishText('one')).toBe('named, version 1 (published before); its name meant version 2 until now\n');
  expect((await call('graphs', 'named')).stdout).toMatch(/named +2 +\S+ +\S+\nnamed +1 .*current/);
  expect(await outputOfName()).toMatchObject({ version: 1 });
  expect((await call('unpublish', 'named', '1')).stdout).toBe(
    'named, version 1 is unpublished; its name means version 2\n',
  );
  expect(await outputOfName()).toMatchObject({ version: 2 });
  const set = await call('aliases', 'named', '--set', 'live=2', '--canary', '2=0.5');
  expect(set.stdout).toMatch(/named@live +2 +0\.5 of the runs use version 2/);
  expect(await call('aliases', 'named', '--remove', 'live')).toMatchObject({ code: 0, stdout: '' });
  expect(await call('unpublish', 'named', 'two')).toMatchObject({ code: 2 });
  expect(await call('aliases', 'named', '--set', 'live')).toMatchObject({ code: 2 });
});
