import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ownModule, ownNodeOptions } from '../../process/own-code.ts';
import { OPEN_WITHIN_MS } from './messages.ts';
import type { ProcessAnswer, AnswerBody, ProcessRequestBody } from './messages.ts';
import { ProcessEnded, createPendingRequests } from './pending-requests.ts';
import { endOfProcess } from './process-end.ts';
import type { ProcessEnd } from './process-end.ts';
import { readThreadTime } from '../../process/thread-time.ts';

/** A child process that executes requests one after the other. */
export interface WorkflowProcess {
  readonly hasEnded: boolean;
  /** Sends a request. @throws ProcessEnded; Error when the request fails in the process */
  request(request: ProcessRequestBody): Promise<SucceededAnswer>;
  stop(): Promise<void>;
}

/** An answer that is not a failure. */
export type SucceededAnswer = Exclude<AnswerBody, { readonly kind: 'failed' }>;

export interface ProcessLimits {
  /** The heap of the process, in MiB. */
  readonly heapMib: number;
  /** The process is ended if a request takes more processor time, in milliseconds. */
  readonly timeLimitMs: number;
}

const MAIN = ownModule('./main', import.meta.url);
const STOP_WITHIN_MS = 2_000;
const TOO_BUSY: ProcessEnd = { kind: 'busy', how: 'the machine was too busy for it' };

/**
 * Returns the size of V8's space for young objects. A wide superstep creates more objects than fit into the default of 16
 * MiB, and V8 would move them to the old generation.
 */
function semiSpaceMib(heapMib: number): number {
  return Math.min(64, Math.max(16, Math.floor(heapMib / 64)));
}

export function startWorkflowProcess({ heapMib, timeLimitMs }: ProcessLimits): WorkflowProcess {
  const child = fork(MAIN, {
    execArgv: [
      ...ownNodeOptions(),
      `--max-old-space-size=${heapMib}`,
      `--max-semi-space-size=${semiSpaceMib(heapMib)}`,
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let lastId = 0;
  let late: ProcessEnd | null = null;
  let end: ProcessEnd | null = null;
  const pending = createPendingRequests({
    workedMs: createWorkClock(child.pid),
    onLate(withinMs, hasWorked) {
      late = hasWorked ? { kind: 'late', how: `it took more than ${withinMs / 1_000} s` } : TOO_BUSY;
      child.kill('SIGKILL');
    },
  });
  child.on('message', (message) => {
    if (isAnswer(message)) pending.settle(message);
  });
  const ended = untilEnded(child).then((how) => {
    end = late ?? how;
    pending.end(end);
  });
  return {
    get hasEnded() {
      return end !== null;
    },
    async request(request) {
      if (end !== null) throw new ProcessEnded(end, false);
      const id = ++lastId;
      // If the process ends before it receives the request, the request is rejected by the process's end.
      child.send({ id, ...request }, () => undefined);
      const answer = await pending.add(id, request.kind === 'open' ? OPEN_WITHIN_MS : timeLimitMs);
      if (answer.kind === 'failed') throw Object.assign(new Error(answer.message), { stack: answer.stack });
      return answer;
    },
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function isAnswer(message: unknown): message is ProcessAnswer {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

/** Waits until a process has ended and all its messages have arrived. @returns how it ended */
async function untilEnded(child: ChildProcess): Promise<ProcessEnd> {
  const disconnected = once(child, 'disconnect');
  try {
    await Promise.all([once(child, 'exit'), disconnected]);
  } catch (error) {
    return { kind: 'ended', how: `it could not be started (${String(error)})` };
  }
  return endOfProcess(child.exitCode, child.signalCode);
}

/** A measurement costs as much as a short request, so it is cached for this time. */
const HOLDS_FOR_MS = 50;

/**
 * Creates a clock that advances only while the main thread of a process works, in milliseconds. Its values are up to 50 ms
 * old. It shows elapsed time if the process has ended, or the system does not measure processor time.
 */
function createWorkClock(pid: number | undefined): () => number {
  let last = { at: Number.NEGATIVE_INFINITY, workedMs: 0 };
  return () => {
    const at = performance.now();
    if (at - last.at >= HOLDS_FOR_MS) last = { at, workedMs: readThreadTime(`${pid}/task/${pid}`)?.workedMs ?? at };
    return last.workedMs;
  };
}
