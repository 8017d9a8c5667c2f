import { EventEmitter, once } from 'node:events';
import { ApplicationFailure } from '@temporalio/activity';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { toolCalls } from '../../../src/activities/tool-calls.ts';
import type { CallOutcome, CallTask } from '../../../src/activities/calls/call-task.ts';
import { fromStatus } from '../../../src/activities/calls/classify-failure.ts';
import { performCall } from '../../../src/activities/calls/perform-call.ts';
import type { Tool, ToolContext } from '../../../src/activities/tools/tool.ts';
import type { ToolCallRequest } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { Store } from '../../../src/store/store.ts';
import { aTool } from '../builders/call-builders.ts';

/** A tool that runs the next step of its script at each call, and throws if there is none left. */
export interface ScriptedTool {
  readonly tool: Tool;
  /** The context of each call. */
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

/** Builds a step that fails with the status of an HTTP answer. */
export function answers(status: number, headers: Record<string, string> = {}): Step {
  const message = `pay answered ${status}`;
  return throws(fromStatus({ code: 'TOOL_FAILED', callee: 'tool', message, status, headers: new Headers(headers) }));
}

/** A step that ends only when the test releases it. */
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

/** Builds an activity environment. It logs errors only: many tests want failures. */
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
    // The attempt of a lost worker fails long after the end of its test, so its rejection is ignored.
    running.catch(() => undefined);
    return running;
  };
}

/** Returns the failure that an attempt reports to the server. */
export async function failureOf(attempt: Promise<unknown>): Promise<ApplicationFailure> {
  const thrown = await attempt.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof ApplicationFailure) return thrown;
  throw new Error('The attempt did not end with an ApplicationFailure', { cause: thrown });
}
