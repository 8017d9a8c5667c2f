import type { FilePart } from './message.ts';

/* Numbers by which tokens are estimated before a model counts them, in the budgets of a run and in a context. */

/** Tokens of a message besides its text, as OpenAI counts: its role and separators. */
export const TOKENS_PER_MESSAGE = 4;

/**
 * The size of a file is not known. A picture takes at most about this number at Claude, and so does a document of a few
 * pages at all providers.
 */
export const TOKENS_OF_FILES: Readonly<Record<FilePart['type'], number>> = { image: 1_600, file: 5_000 };
