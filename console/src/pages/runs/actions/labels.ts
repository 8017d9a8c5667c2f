import type { Control } from './controls-of.ts';

/** What buttons call a control. */
export const LABELS: Readonly<Record<Control, string>> = {
  retry: 'Retry',
  skip: 'Skip',
  fail: 'Fail',
  replan: 'Replan',
  pause: 'Pause',
  resume: 'Resume',
  edit: 'Edit state',
  cancel: 'Cancel',
};
