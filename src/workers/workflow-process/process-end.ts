import { FEWEST_PROOFS } from '../../store/failing-runs.ts';

/** How the process of workflow code has ended. */
export interface ProcessEnd {
  readonly kind: EndKind;
  readonly how: string;
}

export type EndKind = keyof typeof END_KINDS;

/**
 * The kinds of ends. Only the code itself crashes its process or works for too long. Others may end a process, too: the
 * kernel kills the largest one when memory is short, and operators and cluster nodes send signals.
 */
const END_KINDS = {
  /** The code has used up its memory, or triggered a fault of the JavaScript engine. */
  crashed: { isByCode: true },
  /** One request has taken too much processor time. */
  late: { isByCode: true },
  /** The machine was too busy to tell whether the request would have ended. */
  busy: { isByCode: false },
  ended: { isByCode: false },
} as const;

/** The signals by which a process ends itself, with their numbers. */
const FAULTS: Readonly<Record<string, number>> = { SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGFPE: 8, SIGSEGV: 11 };
/** Shells and supervisors add a signal's number to this exit code. */
const SIGNAL_CODE = 128;

export function endOfProcess(exitCode: number | null, signalCode: NodeJS.Signals | null): ProcessEnd {
  const signal = signalCode ?? Object.keys(FAULTS).find((name) => exitCode === SIGNAL_CODE + (FAULTS[name] ?? 0));
  if (signal === 'SIGABRT') return { kind: 'crashed', how: 'it was aborted, as it is when its memory is used up' };
  const how = signal === undefined ? `it exited with code ${exitCode}` : `it was ended by ${signal}`;
  return { kind: signal !== undefined && signal in FAULTS ? 'crashed' : 'ended', how };
}

/** The end of a process while it executed a request of an execution. */
export interface ObservedEnd {
  readonly kind: EndKind;
  /** True if the process was new and exclusive. */
  readonly wasAlone: boolean;
}

export type ExecutionVerdict =
  | 'sound'
  /** The next process is exclusive. */
  | 'suspect'
  /** It is proven that the execution's own code ends each process. */
  | 'guilty';

/** Judges an execution by the ends of processes that were executing it since its last success. */
export function judgeExecution(ends: readonly ObservedEnd[]): ExecutionVerdict {
  const proofs = ends.filter(({ kind, wasAlone }) => wasAlone && END_KINDS[kind].isByCode);
  if (proofs.length >= FEWEST_PROOFS) return 'guilty';
  return ends.length > 0 ? 'suspect' : 'sound';
}
