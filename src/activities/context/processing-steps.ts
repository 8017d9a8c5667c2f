import { own } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import { customStep } from './custom-step.ts';
import { keepLast } from './keep-last.ts';
import type { MessageProcessor } from './message-processor.ts';
import type { ProcessingStep } from './processing-step.ts';
import { shortenToolResults } from './shorten-tool-results.ts';
import { summarize } from './summarize.ts';

const builtInSteps: Readonly<Record<string, ProcessingStep>> = {
  last: keepLast,
  summarize,
  'shorten-tool-results': shortenToolResults,
};

/** Names of the message processors that need no configuration. */
export const BUILT_IN_PROCESSORS: readonly string[] = Object.keys(builtInSteps);

/**
 * Looks up the steps of a strategy, in its order.
 * @param processors message processors of the configuration
 * @throws CallError for a name that is neither built in nor configured
 */
export function stepsOf(
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
    throw new CallError('MODEL_FAILED', message, { retryable: false, done: 'no' });
  });
}
