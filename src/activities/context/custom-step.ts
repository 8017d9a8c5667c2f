import { isJsonList, messageOf, toJson } from '../../graph/values/index.ts';
import { isMessage, messageProblem } from '../../graph/definition/index.ts';
import { CallError } from '../calls/call-error.ts';
import type { MessageProcessor } from './message-processor.ts';
import type { ProcessingStep } from './processing-step.ts';
import { restoreConversation } from './restore-conversation.ts';

/** A step of a message processor from the configuration; its errors are retryable. */
export function customStep(name: string, processor: MessageProcessor): ProcessingStep {
  return async (messages, { maxTokens, count }) => {
    const processed = await failingAs(name, async () => toJson(await processor(messages, { maxTokens, count })));
    const problem = isJsonList(processed) ? processed.map(messageProblem).find(Boolean) : 'it gives back no list';
    if (problem !== undefined) throw failureOf(name, problem, { retryable: false });
    return restoreConversation(messages, isJsonList(processed) ? processed.filter(isMessage) : []);
  };
}

async function failingAs<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw failureOf(name, messageOf(error), { retryable: true, cause: error });
  }
}

function failureOf(name: string, problem: string, fields: { retryable: boolean; cause?: unknown }): CallError {
  return new CallError('MODEL_FAILED', `The message processor "${name}" failed: ${problem}`, { done: 'no', ...fields });
}
