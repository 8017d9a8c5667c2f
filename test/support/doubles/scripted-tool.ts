import { EventEmitter, once } from 'node:events';
import { ApplicationFailure } from '@temporalio/activity';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { toolCalls } from '../../../src/activities/call-tool.ts';
import type { CallOutcome, CallTask } from '../../../src/activities/calls/call-task.ts';
import { fromStatus } from '../../../src/activities/calls/classify-failure.ts';
import { performCall } from '../../../src/activities/calls/perform-call.ts';
import type { Tool, ToolContext } from '../../../src/activities/tools/tool.ts';
import type { ToolCallRequest } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { Store } from '../../../src/store/store.ts';
import { aTool } from '../builders/call-builders.ts';

/** A tool that does the next step of its script at each call, and throws when there is none left. */
export interface ScriptedTool {
  readonly tool: Tool;
  /** What it was told of each call. */
  readonly calls: readonly ToolContext[];
}

export type Step = (signal: AbortSignal) => Promise<Json>;

export function scriptedTool(...script: Step[]): ScriptedTool {
  const calls: ToolContext[] = [];
  const tool = aTool({
    async execute(_args, context) {
      const step = script[calls.length];
      calls.push(context);
      if (!step) throw new Error(`The test has no answer for call ${calls.length}`);
      return await step(context.signal);
    },
  });
  return { tool, calls };
}

export function returns(value: Json): Step {
  return async () => value;
}

export function throws(error: Error): Step {
  return async () => {
    throw error;
  };
}

/** An HTTP answer that is no success. */
export function answers(status: number, headers: Record<string, string> = {}): Step {
  const message = `pay answered ${status}`;
  return throws(fromStatus({ code: 'TOOL_FAILED', callee: 'tool', message, status, headers: new Headers(headers) }));
}

/** A step that has begun and does not end before it is let go. */
export interface HeldStep {
  readonly step: Step;
  readonly begun: Promise<unknown>;
  readonly letGo: (value: Json) => void;
}

export function held(): HeldStep {
  const events = new EventEmitter();
  const [begun, released] = [once(events, 'begun'), once(events, 'released')];
  let result: Json = null;
  return {
    begun,
    async step() {
      events.emit('begun');
      await released;
      return result;
    },
    letGo(value) {
      result = value;
      events.emit('released');
    },
  };
}

/** An activity for code to run in; it keeps failures that a test wants to itself. */
export function anActivity(info: Partial<Info> = {}): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

/** One attempt of an activity at a call. */
export type Attempt = (
  scripted: ScriptedTool,
  task: CallTask<ToolCallRequest>,
  activity?: MockActivityEnvironment,
) => Promise<CallOutcome>;

export function createAttempt(store: () => Store): Attempt {
  return ({ tool }, task, activity = anActivity()) => {
    const calls = toolCalls({ [tool.name]: tool });
    const running = activity.run<[], CallOutcome, () => Promise<CallOutcome>>(
      async () => await performCall(store(), calls, task),
    );
    // One whose worker is lost fails when its test has been over for long.
    running.catch(() => undefined);
    return running;
  };
}

/** How an attempt tells the server that it failed. */
export async function failureOf(attempt: Promise<CallOutcome>): Promise<ApplicationFailure> {
  const thrown = await attempt.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof ApplicationFailure) return thrown;
  throw new Error('The attempt did not end with an ApplicationFailure', { cause: thrown });
}
