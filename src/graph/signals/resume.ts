import { rootFrame } from '../draft/frames.ts';
import { editChannels, saveEdit } from '../lifecycle/edit-channels.ts';
import { renewApprovals } from '../lifecycle/renew-approvals.ts';
import { resumeRun } from '../lifecycle/resume.ts';
import { statusOf } from '../run/status.ts';
import { refreshNextNodes } from '../superstep/next-nodes.ts';
import { formatTimestamp } from '../values/timestamp.ts';
import { SINCE, refuseOtherCheckpoint, refuseUnread } from './checks/refusals.ts';
import { refused, taken, valuesOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Resumes a paused run, after writing the given values. */
export const resume: SignalKind = {
  description: 'Go on from a pause or breakpoint: {"values"?, "checkpoint"?}',
  properties: { values: { type: 'object' }, checkpoint: { type: 'string' }, since: SINCE },
  handle(draft, { payload, by }) {
    const { run } = draft;
    if (run.phase.kind !== 'paused')
      return refused({ code: 'NOT_ALLOWED_NOW', message: `The run is ${statusOf(run)}, not paused` });
    const unread = refuseUnread(payload, formatTimestamp(run.phase.since)) ?? refuseOtherCheckpoint(draft, payload);
    if (unread) return refused(unread);
    const values = valuesOf(payload);
    const edited = values && editChannels(draft, { values, by });
    if (edited?.ok === false) return refused(edited.refusal);
    if (edited) {
      refreshNextNodes(rootFrame(draft));
      saveEdit(draft, edited.changes);
      renewApprovals(draft);
    }
    resumeRun(draft, by.sub);
    return taken();
  },
};
