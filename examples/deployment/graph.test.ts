import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { deployment } from './graph.ts';
import { checkHealth, deploy, postMessage, rollBack, runTests, scanImage } from './tools.ts';

const tools = {
  run_tests: runTests,
  scan_image: scanImage,
  deploy,
  roll_back: rollBack,
  check_health: checkHealth,
  post_message: postMessage,
};
const PLAN = { summary: 'A fix of the basket.', risk: 'low', percent: 25 } as const;
const plans = () => ({ default: scriptedModel([{ json: PLAN }]) });
const asked = (version: string) => ({ service: 'shop', version, changes: 'Empty baskets are shown again.' });
const agreed = [
  { node: 'agree', decision: 'approve', by: 'ann', reason: 'small', args: { percent: 10 } },
  { node: 'agree', decision: 'approve', by: 'bob', reason: 'small' },
] as const;

test('two people agree, one of them to less traffic, and the version is deployed', async () => {
  const run = await runGraph(deployment, asked('1.9.0'), { models: plans(), tools, decisions: agreed });
  expect(run.status).toBe('completed');
  expect(run.steps[0]).toEqual(['plan', 'scan', 'test']);
  expect(run.output?.deployed).toMatchObject({ version: '1.9.0', percent: 10 });
});

test('a version whose tests fail is shown to nobody', async () => {
  const run = await runGraph(deployment, asked('1.9.0-rc'), { models: plans(), tools });
  expect(run).toMatchObject({ status: 'completed', approvals: [] });
  expect(run.path).not.toContain('deploy');
});

test('a version that is not healthy is rolled back, and then the channel is told', async () => {
  const run = await runGraph(deployment, asked('2.0.0'), { models: plans(), tools, decisions: agreed });
  expect(run).toMatchObject({ status: 'failed', error: { node: 'watch' } });
  expect(run.calls.map(({ name }) => name).slice(-2)).toEqual(['roll_back', 'post_message']);
});

test('after four hours without an answer nothing is deployed', async () => {
  const decisions = [{ node: 'agree', decision: 'timeout' }] as const;
  const run = await runGraph(deployment, asked('1.9.1'), { models: plans(), tools, decisions });
  expect(run.durationMs).toBe(4 * 3_600_000);
  expect(run.path).not.toContain('deploy');
});

test('a person looks up a deployment whose outcome is unknown', async () => {
  const lost = {
    ...deploy,
    execute: () => {
      throw new Error('the connection was lost');
    },
  };
  const run = await runGraph(deployment, asked('1.9.2'), {
    models: plans(),
    tools: { ...tools, deploy: lost },
    decisions: [...agreed, { node: 'deploy', decision: 'skip', by: 'ann', output: { previous: '1.9.0' } }],
  });
  expect(run).toMatchObject({ status: 'completed', state: { deployed: { previous: '1.9.0' } } });
});
