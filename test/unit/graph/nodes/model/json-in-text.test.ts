import { describe, expect, test } from 'vitest';
import { jsonInText } from '../../../../../src/graph/nodes/model/json-in-text.ts';
import { MEASURING, growthOf } from '../../../../support/readers/growth.ts';

const FENCE = '```';

describe('jsonInText', () => {
  test.each<[what: string, text: string, values: unknown[]]>([
    ['a whole text of JSON', ' {"a":1}\n', [{ a: 1 }]],
    ['a single scalar', '"yes"', ['yes']],
    ['a byte order mark', '\uFEFF{"a":1}', [{ a: 1 }]],
    ['a code fence', `So:\n${FENCE}json\n{"a":1}\n${FENCE}\nDone {x}.`, [{ a: 1 }, { a: 1 }]],
    ['a code fence on one line', `${FENCE}{"a":1}${FENCE}`, [{ a: 1 }]],
    ['a code fence without its end', `${FENCE}json\n{"a":1}`, [{ a: 1 }]],
    ['several code fences, of which the last counts', `${FENCE}\n1\n${FENCE}\nthen\n${FENCE}\n2\n${FENCE}`, [2, 1]],
    ['prose around JSON', 'I think {"a":{"b":[1]}} fits {it}.', [{ a: { b: [1] } }]],
    ['a list in prose', 'These: [1,2]', [[1, 2]]],
    ['several objects, of which the last counts', '{"a":1}\n{"a":2}', [{ a: 2 }, { a: 1 }]],
    ['brackets in strings', 'So {"a":"} \\" {"} it is', [{ a: '} " {' }]],
    ['braces in thinking tags', '<think>One of {a, b}, as {"a":0}.</think>\n{"a":1}', [{ a: 1 }, { a: 1 }, { a: 0 }]],
    [
      'a code fence in thinking tags',
      `<think>${FENCE}\n{"a":0}\n${FENCE}</think>{"a":1}`,
      [{ a: 1 }, { a: 0 }, { a: 1 }, { a: 0 }],
    ],
    ['thinking tags of another name', '<Thinking>{"a":0}</Thinking>"yes"', ['yes', { a: 0 }]],
    ['only the closing thinking tag', 'I weigh {a} and {b}.</think>\n\n{"a":1}', [{ a: 1 }, { a: 1 }]],
    ['thinking tags after the object', '{"a":1}<think>good</think>', [{ a: 1 }]],
    ['a thinking tag without an end', '{"a":1} <think>or {"a":2}', [{ a: 1 }, { a: 2 }, { a: 1 }]],
    ['an unclosed brace before', 'Look { here: {"a":1}', [{ a: 1 }]],
    ['an emoticon with a brace', 'Good :-} so {"a":1} [sic', [{ a: 1 }]],
    ['no JSON', 'I know {nothing}', []],
    ['nothing', '', []],
  ])('JSON is found in a model’s text with %s', (_what, text, values) => {
    expect(jsonInText(text)).toEqual(values);
  });

  test.each(['{', '[{"', '</think>', FENCE, '{"a":'])(
    'finding JSON takes linear time for a text full of %s',
    MEASURING,
    (piece) => {
      const growth = growthOf((times) => {
        const text = piece.repeat(times);
        return () => void jsonInText(text);
      }, 1.5);
      expect(growth).toBeLessThan(1.5);
    },
  );
});
