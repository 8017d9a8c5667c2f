import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ownModule, ownNodeOptions } from '../../process/own-code.ts';
import { OPEN_WITHIN_MS } from './messages.ts';
import type { Answer, AnswerBody, RequestBody } from './messages.ts';
import { ProcessEnded, createPendingRequests } from './pending-requests.ts';
import { endOfProcess } from './process-end.ts';
import type { ProcessEnd } from './process-end.ts';
import { readThreadTime } from '../../process/thread-time.ts';

/** A process of its own that does requests one after the other. */
export interface WorkflowProcess {
  readonly hasEnded: boolean;
  /** @throws ProcessEnded, or Error when the request fails in the process */
  ask(request: RequestBody): Promise<Succeeded>;
  stop(): Promise<void>;
}

/** An answer that is not a failure. */
export type Succeeded = Exclude<AnswerBody, { readonly kind: 'failed' }>;

export interface ProcessLimits {
  /** The heap of the process, in MiB. */
  readonly heapMib: number;
  /** A request that works longer ends the process. */
  readonly timeLimitMs: number;
}

const MAIN = ownModule('./main', import.meta.url);
const STOP_WITHIN_MS = 2_000;
const TOO_BUSY: ProcessEnd = { kind: 'busy', how: 'the machine was too busy for it' };

/**
 * A wide superstep has more in hand than fits into V8's own 16 MiB for young objects, and would move it to the old ones. A
 * large heap has room for more.
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
    workedMs: openWorkedMs(child.pid),
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
    async ask(request) {
      if (end !== null) throw new ProcessEnded(end, false);
      const id = ++lastId;
      // A process that ends takes no request; its end is the answer.
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

function isAnswer(message: unknown): message is Answer {
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

/** A reading costs as much as a short request, so one holds for this time. */
const HOLDS_FOR_MS = 50;

/**
 * Makes a clock that counts only while the main thread of a process works, in milliseconds. A reading is up to 50 ms old.
 * The clock counts always if the process is gone, or the system does not measure its work.
 */
function openWorkedMs(pid: number | undefined): () => number {
  let last = { at: Number.NEGATIVE_INFINITY, workedMs: 0 };
  return () => {
    const at = performance.now();
    if (at - last.at >= HOLDS_FOR_MS) last = { at, workedMs: readThreadTime(`${pid}/task/${pid}`)?.workedMs ?? at };
    return last.workedMs;
  };
}
