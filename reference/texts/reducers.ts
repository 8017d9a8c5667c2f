import type { ReducerName } from '../../src/graph/definition/reducers.ts';

interface ReducerText {
  /** The value before the first write, as JSON. */
  readonly begins: string;
  readonly meaning: string;
  /** A value, a write, and the value after it, as JSON. */
  readonly example: readonly [current: string, update: string, after: string];
}

/** Every reducer. It compiles only if none is missing. */
export const REDUCER_TEXTS: Readonly<Record<ReducerName, ReducerText>> = {
  replace: {
    begins: 'null',
    meaning: 'The last value. Two writes of one superstep fail the run.',
    example: ['1', '2', '2'],
  },
  append: {
    begins: '[]',
    meaning: 'A list. A list that is written is concatenated, any other value is pushed.',
    example: ['["a"]', '["b","c"]', '["a","b","c"]'],
  },
  union: {
    begins: '[]',
    meaning: 'A list without duplicates. The first occurrence stays.',
    example: ['["a","b"]', '["b","c"]', '["a","b","c"]'],
  },
  merge: {
    begins: '{}',
    meaning: 'An object, merged shallowly. Later keys win; a `null` removes its key.',
    example: ['{"a":1,"b":2}', '{"a":null,"c":3}', '{"b":2,"c":3}'],
  },
  sum: { begins: '0', meaning: 'The sum of all writes.', example: ['1', '2', '3'] },
  min: { begins: 'null', meaning: 'The least of all writes.', example: ['3', '2', '2'] },
  max: { begins: 'null', meaning: 'The greatest of all writes.', example: ['3', '2', '3'] },
  and: { begins: 'null', meaning: 'True while every write is true.', example: ['true', 'false', 'false'] },
  or: { begins: 'null', meaning: 'True once a write is true.', example: ['false', 'true', 'true'] },
  messages: {
    begins: '[]',
    meaning: 'Chat messages. One with a known id replaces it in place, others are appended and get an id.',
    example: [
      '[{"id":"m1","role":"user","content":"Hi"}]',
      '{"id":"m1","role":"user","content":"Hello"}',
      '[{"id":"m1","role":"user","content":"Hello"}]',
    ],
  },
};
