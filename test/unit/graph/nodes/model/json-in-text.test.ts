import { describe, expect, test } from 'vitest';
import { jsonInText } from '../../../../../src/graph/nodes/model/json-in-text.ts';
import { MEASURING, growthOf } from '../../../../support/readers/growth.ts';

const FENCE = '```';

describe('jsonInText', () => {
  test.each<[what: string, text: string, values: unknown[]]>([
    ['a whole text', ' {"a":1}\n', [{ a: 1 }]],
    ['a scalar', '"yes"', ['yes']],
    ['a byte order mark', '\uFEFF{"a":1}', [{ a: 1 }]],
    ['a fence', `So:\n${FENCE}json\n{"a":1}\n${FENCE}\nDone {x}.`, [{ a: 1 }, { a: 1 }]],
    ['a fence on one line', `${FENCE}{"a":1}${FENCE}`, [{ a: 1 }]],
    ['a fence without its end', `${FENCE}json\n{"a":1}`, [{ a: 1 }]],
    ['fences, the last first', `${FENCE}\n1\n${FENCE}\nthen\n${FENCE}\n2\n${FENCE}`, [2, 1]],
    ['prose around', 'I think {"a":{"b":[1]}} fits {it}.', [{ a: { b: [1] } }]],
    ['a list in prose', 'These: [1,2]', [[1, 2]]],
    ['objects, the last first', '{"a":1}\n{"a":2}', [{ a: 2 }, { a: 1 }]],
    ['brackets in strings', 'So {"a":"} \\" {"} it is', [{ a: '} " {' }]],
    ['braces in thoughts', '<think>One of {a, b}, as {"a":0}.</think>\n{"a":1}', [{ a: 1 }, { a: 1 }, { a: 0 }]],
    [
      'a fence in thoughts',
      `<think>${FENCE}\n{"a":0}\n${FENCE}</think>{"a":1}`,
      [{ a: 1 }, { a: 0 }, { a: 1 }, { a: 0 }],
    ],
    ['thoughts by another name', '<Thinking>{"a":0}</Thinking>"yes"', ['yes', { a: 0 }]],
    ['only the end of thoughts', 'I weigh {a} and {b}.</think>\n\n{"a":1}', [{ a: 1 }, { a: 1 }]],
    ['thoughts after the object', '{"a":1}<think>good</think>', [{ a: 1 }]],
    ['thoughts without an end', '{"a":1} <think>or {"a":2}', [{ a: 1 }, { a: 2 }, { a: 1 }]],
    ['an unclosed brace before', 'Look { here: {"a":1}', [{ a: 1 }]],
    ['a smile', 'Good :-} so {"a":1} [sic', [{ a: 1 }]],
    ['no JSON', 'I know {nothing}', []],
    ['nothing', '', []],
  ])('JSON is found in a model’s text with %s', (_what, text, values) => {
    expect(jsonInText(text)).toEqual(values);
  });

  test.each(['{', '[{"', '</think>', FENCE, '{"a":'])('finding JSON takes linear time for a text full of %s', MEASURING, (piece) => {
    const growth = growthOf((times) => {
      const text = piece.repeat(times);
      return () => void jsonInText(text);
    }, 1.5);
    expect(growth).toBeLessThan(1.5);
  });
});
