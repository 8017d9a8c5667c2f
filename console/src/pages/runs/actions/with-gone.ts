import { FIELDS } from './control-draft.ts';
import type { ControlDraft } from './control-draft.ts';
import type { Control } from './controls-of.ts';
import type { Target } from './targets-of.ts';

/** A target that a dialog offers, or has offered. */
export interface OfferedTarget extends Target {
  /** True: it was settled, or has failed anew, since the dialog opened. */
  readonly isGone: boolean;
}

/** Joins the targets of a run with those that a dialog has opened with, so that what was chosen never becomes another one. */
export function withGone(opened: readonly Target[], now: readonly Target[]): readonly OfferedTarget[] {
  const keys = new Set(now.map(({ key }) => key));
  const gone = opened.filter(({ key }) => !keys.has(key));
  return [
    ...gone.map((target) => ({ ...target, isGone: true })),
    ...now.map((target) => ({ ...target, isGone: false })),
  ];
}

/** True if what a control was for is not there any more. */
export function lacksTarget(control: Control, draft: ControlDraft, offered: readonly OfferedTarget[]): boolean {
  if (!FIELDS[control].includes('target')) return false;
  return !offered.some(({ key, isGone }) => key === draft.target && !isGone);
}
