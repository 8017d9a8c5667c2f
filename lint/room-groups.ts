/* Rooms that several rooms import together. */

export const NODE = 'node:*';
export const LANGUAGE = ['graph/values', 'graph/definition', 'graph/expression', 'graph/channels'];
export const STATE = ['graph/run', 'graph/journal'];
export const WORK = [...LANGUAGE, ...STATE, 'graph/compile', 'graph/draft'];
export const WORDS = ['graph/values', 'graph/definition'];
export const FACTS = [...WORDS, ...STATE];
export const REPLAY = ['graph/redaction', 'graph/compile', 'graph/advance', 'graph/replay'];
export const API_BASE = ['api/deps.ts', 'api/http'];
export const OF_RUNS = ['api/graphs', 'api/redaction.ts', 'api/runs'];
