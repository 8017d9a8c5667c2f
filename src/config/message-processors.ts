import { z } from 'zod';
import type { MessageProcessor } from '../activities/context/message-processor.ts';
import { builtInSteps } from '../activities/context/processing-steps.ts';
import { code } from './code.ts';

export const MessageProcessors = z.record(z.string(), code<MessageProcessor>()).superRefine((processors, context) => {
  for (const name of Object.keys(processors).filter((name) => Object.hasOwn(builtInSteps, name)))
    context.addIssue({ code: 'custom', path: [name], message: 'is the name of a built-in message processor' });
});
