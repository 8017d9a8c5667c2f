/** The task queue of workflows that are not Holdfast's. */
export const BARE_QUEUE = 'bare';
