export { hideRecording, replayRecording } from './recording.ts';
export type { Recording } from './recording.ts';
export { replayRecordedRun } from './replay.ts';
export type { Divergence, DivergingEvents, ReplayedRun } from './replay.ts';
export type { RecordedAnswer, ReplayLog } from './replay-log.ts';
export type { UnplayedAction } from './recorded-actions.ts';
