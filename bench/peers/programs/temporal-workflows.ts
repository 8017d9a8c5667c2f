import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { callEcho } from './call-echo.ts';

/* The rows as hand-written workflows of Temporal: an activity for each call, pure steps in the workflow. */

const activities = proxyActivities<{ callEcho: typeof callEcho }>({ startToCloseTimeout: '1 minute' });

export async function toolSteps(steps: number): Promise<number> {
  for (let at = 0; at < steps; at++) await activities.callEcho(at);
  return steps;
}

export async function fanOut(calls: number): Promise<number> {
  await Promise.all(Array.from({ length: calls }, (_, at) => activities.callEcho(at)));
  return calls;
}

export async function pureSteps(steps: number): Promise<number> {
  let count = 0;
  for (let at = 0; at < steps; at++) count += 1;
  return count;
}

export async function ask(): Promise<string> {
  let decision = '';
  setHandler(defineSignal<[string]>('decide'), (given) => {
    decision = given;
  });
  await condition(() => decision !== '');
  await activities.callEcho(0);
  return decision;
}
