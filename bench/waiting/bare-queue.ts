/** The task queue of the hand-written workflows. */
export const BARE_QUEUE = 'bare';
