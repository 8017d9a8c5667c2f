export { advance, signalEndedRun } from './advance.ts';
export type { Advance } from './advance.ts';
export { beginRun, forkRun, refuseForkOf, refuseStartAt, refuseSkipOf } from './begin-run.ts';
export { drive } from './drive.ts';
export type { Beginning, RunIdentity, RunStart, ForkStart, NodeAddress } from './begin-run.ts';
export type { Actor } from '../lifecycle/gated-nodes.ts';
