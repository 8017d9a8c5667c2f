import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { CallError } from '../../calls/call-error.ts';
import { TRY_AGAIN } from '../../calls/classify-failure.ts';

/** Answers to a server that are on their way at a time; each of its requests, such as a ping, gets one. */
const MAX_ANSWERS = 16;

type Send = () => Promise<void>;

/**
 * Sends messages, but no more answers at a time than `MAX_ANSWERS`.
 * @param onExceeded is called once; it ends the session, whose server asks more than it hears
 */
export function boundAnswers(
  onExceeded: (error: CallError) => void,
): (message: JSONRPCMessage, send: Send) => Promise<void> {
  let answers = 0;
  let isExceeded = false;
  return async (message, send) => {
    if ('method' in message) return await send();
    if (answers >= MAX_ANSWERS) {
      const error = tooManyQuestions();
      if (!isExceeded) onExceeded(error);
      isExceeded = true;
      throw error;
    }
    answers += 1;
    try {
      await send();
    } finally {
      answers -= 1;
    }
  };
}

function tooManyQuestions(): CallError {
  return new CallError('TOOL_FAILED', `The server asks more than ${MAX_ANSWERS} questions at a time`, TRY_AGAIN);
}
