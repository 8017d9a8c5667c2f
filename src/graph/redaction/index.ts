export { findRedaction } from './find-redaction.ts';
export {
  hideApproval,
  hideAskedArgs,
  hideTitle,
  restoreArgs,
  hideChannels,
  hideOutput,
  hideDelta,
  hidesProgress,
  hideErrorOf,
  hideMessages,
  hidesErrorsOfCall,
  hideRunError,
  hideEvent,
  hideRefusal,
  hideIntervention,
  hideWaiting,
} from './hide.ts';
export { hideCall } from './hide-call.ts';
export type { CallParts } from './hide-call.ts';
export { inheritedByFork, inheritedByReplay, REDACTED, isRedacting, NOTHING_REDACTED } from './redaction.ts';
export type { InheritedRedaction, Redaction } from './redaction.ts';
