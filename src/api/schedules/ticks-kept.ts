/** The settled ticks that each schedule keeps. */
export const TICKS_KEPT = 1_000;
