export { advance, signalEndedRun } from './advance.ts';
export type { Advance } from './advance.ts';
export { beginRun, forkRun, refuseForkOf, refuseStartAt } from './begin-run.ts';
export { drive } from './drive.ts';
export type { Beginning, RunIdentity, RunStart } from './begin-run.ts';
export type { ForkStart } from './fork.ts';
export { refuseSkipOf } from './refuse-skip-of.ts';
export type { NodePlace } from './refuse-skip-of.ts';
export type { Actor } from '../lifecycle/held-nodes.ts';
