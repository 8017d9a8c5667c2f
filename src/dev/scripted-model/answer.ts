import { checkReply } from './check-reply.ts';
import { classify } from './classify.ts';
import { readFacts, readText, readTicket } from './prompt.ts';
import type { Prompt } from './prompt.ts';
import { reviseReply } from './revise-reply.ts';
import { smallestValue } from './smallest-value.ts';
import { writeReply } from './write-reply.ts';

interface Task {
  /** Text that only this task's system prompt contains. */
  readonly phrase: string;
  readonly answer: (prompt: Prompt) => string;
}

const TASKS: readonly Task[] = [
  { phrase: 'You classify support tickets', answer: (prompt) => JSON.stringify(classify(readTicket(prompt))) },
  { phrase: 'You write replies to customers', answer: (prompt) => writeReply(readFacts(prompt), readTicket(prompt)) },
  {
    phrase: 'You check replies to customers',
    answer: (prompt) => JSON.stringify(checkReply(readText(prompt, 'draft'), readFacts(prompt))),
  },
  {
    phrase: 'You revise replies to customers',
    answer: (prompt) =>
      reviseReply({
        draft: readText(prompt, 'draft'),
        reason: readText(prompt, 'reason'),
        facts: readFacts(prompt),
        ticket: readTicket(prompt),
      }),
  },
];

const MAX_ECHO = 200;

/**
 * Answers a prompt by rules, the same prompt always the same. Without a rule it returns the smallest object that fits
 * the schema, or an echo.
 */
export function answer(prompt: Prompt): string {
  const task = TASKS.find(({ phrase }) => prompt.system.includes(phrase));
  if (task) return task.answer(prompt);
  if (prompt.schema !== null) return JSON.stringify(smallestValue(prompt.schema));
  return `You said: ${prompt.user.slice(0, MAX_ECHO)}`;
}
