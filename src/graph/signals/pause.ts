import { saveEdit, editChannels } from './edit-channels.ts';
import { pauseRequested, statusOf } from '../run/status.ts';
import { emitOfRun } from '../superstep/draft.ts';
import type { Draft } from '../superstep/draft.ts';
import { passBreakpoint } from '../superstep/breakpoints.ts';
import { refreshNextNodes } from '../superstep/fire-edges.ts';
import { openFrames, rootFrame } from '../superstep/frames.ts';
import { isJsonObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { refused, taken, textOf } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/** Stops a running run after its superstep, and a waiting one at once. */
export const pause: SignalKind = {
  description: 'Stop after the superstep that runs: {"reason"?}',
  properties: { reason: { type: 'string' } },
  handle(draft, { payload, by }) {
    const { run } = draft;
    if (run.phase.kind === 'paused' || pauseRequested(run))
      return refused({
        code: 'NOT_ALLOWED_NOW',
        message: 'The run is paused already, or will be after this superstep',
      });
    draft.enter({ kind: 'running', pause: { by: by.sub, reason: textOf(payload, 'reason') ?? null } });
    return taken();
  },
};

/** Resumes a paused run, after writing the given values. */
export const resume: SignalKind = {
  description: 'Go on from a pause or breakpoint: {"values"?, "checkpoint"?}',
  properties: { values: { type: 'object' }, checkpoint: { type: 'string' } },
  handle: (draft, request) => goOn(draft, request),
};

function goOn(draft: Draft, { payload, by }: SignalRequest): Handled {
  const { run } = draft;
  if (run.phase.kind !== 'paused')
    return refused({ code: 'NOT_ALLOWED_NOW', message: `The run is ${statusOf(run)}, not paused` });
  const checkpoint = textOf(payload, 'checkpoint');
  if (checkpoint !== undefined && checkpoint !== run.checkpointId)
    return refused({
      code: 'NOT_ALLOWED_NOW',
      message: `The run stands at checkpoint ${run.checkpointId}, not ${checkpoint}`,
    });
  const values = valuesOf(payload);
  const edited = values && editChannels(draft, { values, by: by.sub });
  if (edited?.ok === false) return refused(edited.refusal);
  if (edited) {
    refreshNextNodes(rootFrame(draft));
    saveEdit(draft, edited.changes);
  }
  release(draft, by.sub);
  return taken();
}

/** Returns a payload's values; `null` if there are none. */
export function valuesOf({ values }: JsonObject): JsonObject | null {
  return isJsonObject(values) && Object.keys(values).length > 0 ? values : null;
}

/** Lets a run continue past its breakpoints. */
export function release(draft: Draft, by: string): void {
  for (const frame of openFrames(rootFrame(draft))) passBreakpoint(frame);
  if (draft.run.phase.kind === 'paused') emitOfRun(draft, { type: 'run.resumed', by });
  draft.enter({ kind: 'running', pause: null });
}
