import type { RunEvent } from './events.ts';

/** Events that say something about the spans of a segment. */
export const TOLD_EVENTS = [
  'run.started',
  'run.retried',
  'run.paused',
  'run.resumed',
  'run.completed',
  'run.failed',
  'run.canceled',
  'step.started',
  'checkpoint.saved',
  'node.started',
  'node.completed',
  'node.failed',
  'node.skipped',
  'model.called',
  'tool.requested',
  'tool.called',
  'tool.skipped',
  'function.requested',
  'function.called',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'signal.received',
  'state.updated',
] as const satisfies readonly RunEvent['type'][];
