import { own, isJsonList, messageOf, toJson } from '../../graph/values/index.ts';
import { CallError, REFUSED, TRY_AGAIN_UNDONE } from '../calls/call-error.ts';
import { keepNewestMessages, shortenToolResults, summarizeOldest } from './summarize.ts';
import type { MessageProcessor, ProcessingStep } from './message-processor.ts';
import { isMessage, messageProblem } from '../../graph/definition/index.ts';
import { restoreConversation } from './restore-conversation.ts';

const builtInSteps: Readonly<Record<string, ProcessingStep>> = {
  last: keepNewestMessages,
  summarize: summarizeOldest,
  'shorten-tool-results': shortenToolResults,
};

/** Names of the message processors that need no configuration. */
export const BUILT_IN_PROCESSORS: readonly string[] = Object.keys(builtInSteps);

/**
 * Looks up the steps of a strategy, in its order.
 * @param processors message processors of the configuration
 * @throws CallError for a name that is neither built in nor configured
 */
export function processingStepsOf(
  strategy: string | readonly string[],
  processors: Readonly<Record<string, MessageProcessor>>,
): readonly ProcessingStep[] {
  const names = typeof strategy === 'string' ? [strategy] : strategy;
  return names.map((name) => {
    const builtIn = own(builtInSteps, name);
    if (builtIn) return builtIn;
    const processor = own(processors, name);
    if (processor) return customStep(name, processor);
    const known = [...BUILT_IN_PROCESSORS, ...Object.keys(processors)].join(', ');
    const message = `This worker has no message processor "${name}"; it has ${known}`;
    throw new CallError('MODEL_FAILED', message, REFUSED);
  });
}

/** A step of a message processor from the configuration; its errors are retryable. */
function customStep(name: string, processor: MessageProcessor): ProcessingStep {
  return async (messages, { maxTokens, count }) => {
    const processed = await failingAs(name, async () => toJson(await processor(messages, { maxTokens, count })));
    const problem = isJsonList(processed) ? processed.map(messageProblem).find(Boolean) : 'it gives back no list';
    if (problem !== undefined) throw new CallError('MODEL_FAILED', processorFailure(name, problem), REFUSED);
    return restoreConversation(messages, isJsonList(processed) ? processed.filter(isMessage) : []);
  };
}

async function failingAs<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CallError) throw error;
    const message = processorFailure(name, messageOf(error));
    throw new CallError('MODEL_FAILED', message, { ...TRY_AGAIN_UNDONE, cause: error });
  }
}

function processorFailure(name: string, problem: string): string {
  return `The message processor "${name}" failed: ${problem}`;
}
