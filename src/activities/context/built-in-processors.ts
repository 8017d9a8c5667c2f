/** The message processors that need no configuration. */
export const BUILT_IN_PROCESSORS = ['last', 'summarize', 'shorten-tool-results'] as const;
