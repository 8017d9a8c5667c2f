import { CallError } from './call-error.ts';

/** The failure of a call that was canceled before any attempt has made it. */
export const NOT_MADE = new CallError('CANCELED', 'The call was canceled before it was made', {
  retryable: false,
  done: 'no',
});
