import { FEWEST_PROOFS } from '../../store/failing-runs.ts';

/** How the process of workflow code has ended. */
export interface ProcessEnd {
  readonly kind: EndKind;
  readonly how: string;
}

export type EndKind = keyof typeof KINDS;

/**
 * Only the code itself crashes its process or works for too long. Anybody else may end a process: the kernel that needs
 * memory takes the largest one, an operator or a node sends signals.
 */
const KINDS = {
  /** It has used up its memory, or has met a fault of the engine. */
  crashed: { isByCode: true },
  /** It has worked on one thing for too long. */
  late: { isByCode: true },
  /** The machine had too little time for it to show if it would ever have ended. */
  busy: { isByCode: false },
  ended: { isByCode: false },
} as const;

/** The signals by which a process ends itself, with their numbers. */
const FAULTS: Readonly<Record<string, number>> = { SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGFPE: 8, SIGSEGV: 11 };
/** A shell, or a supervisor, says a signal so. */
const SIGNAL_CODE = 128;

export function endOfProcess(exitCode: number | null, signalCode: NodeJS.Signals | null): ProcessEnd {
  const signal = signalCode ?? Object.keys(FAULTS).find((name) => exitCode === SIGNAL_CODE + (FAULTS[name] ?? 0));
  if (signal === 'SIGABRT') return { kind: 'crashed', how: 'it was aborted, as it is when its memory is used up' };
  const how = signal === undefined ? `it exited with code ${exitCode}` : `it was ended by ${signal}`;
  return { kind: signal !== undefined && signal in FAULTS ? 'crashed' : 'ended', how };
}

/** An end of a process during a request of an execution. */
export interface ObservedEnd {
  readonly kind: EndKind;
  /** Nothing else had the process, which was a new one. */
  readonly wasAlone: boolean;
}

export type Verdict =
  | 'sound'
  /** It is tried alone next. */
  | 'suspect'
  /** It is proved that its own code ends each process. */
  | 'to-blame';

/** Judges an execution by the ends of processes in which it was at work since it last did what it was asked. */
export function judge(ends: readonly ObservedEnd[]): Verdict {
  const proofs = ends.filter(({ kind, wasAlone }) => wasAlone && KINDS[kind].isByCode);
  if (proofs.length >= FEWEST_PROOFS) return 'to-blame';
  return ends.length > 0 ? 'suspect' : 'sound';
}
