export { advance, signalEndedRun, driveRun } from './advance.ts';
export type { AdvanceResult } from './advance.ts';
export { beginRun, forkRun, refuseForkOf, refuseStartAt, refuseSkipOf } from './begin-run.ts';
export type { RunBeginning, RunIdentity, RunStart, ForkStart, NodeAddress } from './begin-run.ts';
export type { Actor } from '../lifecycle/gated-nodes.ts';
