export { approvalInWords, approveCommand } from './approval-in-words.ts';
export { eventInWords } from './event-in-words.ts';
export { quoteForShell } from './quote-for-shell.ts';
export { retryInWords } from './retry-in-words.ts';
export { waitingInWords } from './waiting-in-words.ts';
export { whoDecides } from './who-decides.ts';
