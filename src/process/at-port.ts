import { messageOf } from '../graph/values/index.ts';
import { SetupError } from './setup-error.ts';

/** A port, and the environment variable that sets it. */
interface NamedPort {
  readonly variable: string;
  readonly port: number;
}

/** Errors of Node and of Temporal's SDK about a port that can't be used, and the message for each. */
const PORT_ERROR_REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/EADDRINUSE|address already in use/i, 'is in use; set another one'],
  [/EACCES|permission denied/i, 'is not allowed to this process; set one from 1024 on'],
];

/**
 * Opens a listener on a port.
 * @throws SetupError that names the port and its variable if the port is unavailable; other errors of `open`
 */
export async function atPort<T>({ variable, port }: NamedPort, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const reason = PORT_ERROR_REASONS.find(([pattern]) => pattern.test(messageOf(error)))?.[1];
    if (reason === undefined) throw error;
    throw new SetupError(`Port ${port} (${variable}) ${reason}`, { cause: error });
  }
}
