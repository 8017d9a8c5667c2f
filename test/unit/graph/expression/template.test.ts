import { describe, expect, test } from 'vitest';
import {
  splitIntoPieces,
  parseTemplate,
  fillFromMessage,
  findTemplateFault,
} from '../../../../src/graph/expression/template.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const NAMES = ['state', 'run', 'item', 'index'] as const;
function fill(value: Json, state: Json = {}): Json {
  const template = parseTemplate(value, NAMES, 'write.x');
  const bindings = { state, run: {}, item: null, index: null };
  return template.fill(bindings);
}

describe('a template over a decision', () => {
  const NAMES_OF_RESULTS = ['state', 'result'] as const;
  const read = (value: Json, result: Json): Json =>
    parseTemplate(value, NAMES_OF_RESULTS, 'write.x', 'decision').fill({ state: { key: 'text' }, result });
  const rejected = { decision: 'rejected', args: null, values: null };

  test.each<[Json, Json, Json]>([
    ['{{ result.values.text }}', rejected, null],
    ['{{ result.values["text"] }}', rejected, null],
    ['{{ result.values.address.city }}', rejected, null],
    ['{{ result.values.lines[0].text }}', rejected, null],
    ['{{ result.args.amount }}', rejected, null],
    ['{{ result.values.text }}', { values: {} }, null],
    ['{{ result.values.text }}', { values: { text: 'yes' } }, 'yes'],
    ['{{ result.values.lines[1] }}', { values: { lines: ['a'] } }, null],
    ['So: {{ result.values.text }}.', rejected, 'So: .'],
    ['{{ result.values.text == null ? "none" : "some" }}', rejected, 'none'],
    ['{{ has(result.values.text) }}', rejected, false],
    ['{{ has(result.values.text) ? 1 : result.values.other }}', { values: {} }, null],
    ['{{ result.?values.?text.orValue("none") }}', rejected, 'none'],
    [{ a: ['{{ result.values.text }}'] }, rejected, { a: [null] }],
  ])('a template over an approval’s decision, %j over %j, is %j', (value, result, filled) => {
    expect(read(value, result)).toEqual(filled);
  });

  test.each([
    '{{ result.value.text }}',
    '{{ result.reasons }}',
    '{{ state.text }}',
    '{{ result.values[state.other] }}',
  ])('a template over a decision fails for %s, which is no member of the decision’s values', (value) => {
    expect(() => read(value, rejected)).toThrow(/No such key/);
  });

  test('a template that reads a missing member fails where it is not over a decision, although the text is the same', () => {
    const value = '{{ result.values.text }}';
    expect(read(value, rejected)).toBeNull();
    expect(() => parseTemplate(value, NAMES_OF_RESULTS, 'write.x').fill({ result: rejected })).toThrow(/No such key/);
  });
});

describe('parseTemplate', () => {
  test.each<[Json, Json, Json]>([
    ['plain', {}, 'plain'],
    ['{{ state.n }}', { n: 2 }, 2],
    ['{{ null }}', {}, null],
    [' {{ state.n }}', { n: 2 }, ' 2'],
    ['n={{ state.n }} o={{ state.o }} x={{ null }}', { n: 2, o: { k: [1] } }, 'n=2 o={"k":[1]} x='],
    ['{{{{ raw }} {{ 1 }}', {}, '{{ raw }} 1'],
    ['{{ {"a": {"b": 1}} }}', {}, { a: { b: 1 } }],
    ['{{ {"a": 1}}}', {}, { a: 1 }],
    ['{{ "}}" }}!', {}, '}}!'],
    ['}} {{ 1 }}', {}, '}} 1'],
    [{ deep: [{ list: '{{ [state.n] }}' }], flag: true }, { n: 1 }, { deep: [{ list: [1] }], flag: true }],
  ])('the template %j is filled with values', (value, state, expected) => {
    expect(fill(value, state)).toEqual(expected);
  });

  test.each<[Json, (string | number)[], RegExp]>([
    ['x {{ state.log', [], /never closed/],
    [{ a: ['{{ 1 + }}'] }, ['a', 0], /Unexpected/],
    [{ a: '{{ stat.x }}' }, ['a'], /Did you mean "state"/],
  ])('the template %j is refused with the path of the faulty text', (value, path, message) => {
    expect(() => fill(value)).toThrow(expect.objectContaining({ path, message: expect.stringMatching(message) }));
  });

  test('the error of a template names the field and the expression', () => {
    expect(() => fill({ a: 'x {{ state.o.b }}' }, { o: {} })).toThrow(/write\.x\.a: Expression `state\.o\.b` failed/);
  });
});

describe('splitIntoPieces', () => {
  test('a template’s text is split at its expressions', () => {
    const pieces = splitIntoPieces('a{{ state.x }}b', NAMES);
    expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.source))).toEqual(['a', 'state.x', 'b']);
  });
});

const MESSAGE = { body: { issue: { number: 7 }, labels: ['a', 'b'] }, headers: { 'x-github-event': 'issues' } };

test('a hook’s template is filled from body and headers', () => {
  const template = {
    all: '{{ body }}',
    text: '#{{ body.issue.number }}',
    kind: '{{ headers["x-github-event"] }}',
    n: 1,
  };
  expect(findTemplateFault(template)).toBe(null);
  expect(fillFromMessage(template, MESSAGE)).toEqual({
    filled: { all: MESSAGE.body, text: '#7', kind: 'issues', n: 1 },
  });
});

test('a faulty template of a hook is reported with its path', () => {
  expect(findTemplateFault({ input: { 'a/b': ['{{ state.x }}'] } })).toEqual({
    path: '/input/a~1b/0',
    message: expect.stringContaining('known are body, headers'),
  });
  expect(findTemplateFault('{{ body.')).toMatchObject({ path: '' });
});

test('a hook’s template fails if it reads a member that the message lacks', () => {
  expect(fillFromMessage('{{ body.pull.number }}', MESSAGE)).toEqual({ failure: expect.stringContaining('pull') });
});

test('the template of a hook has a cost limit for all its expressions together', () => {
  const nested = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].reduce(
    (inner, name) => `[1,2,3,4,5,6,7,8,9].map(${name}, ${inner})`,
    '1',
  );
  const costly = `{{ ${nested} }}`;
  expect(fillFromMessage(costly, MESSAGE)).toEqual({ failure: expect.stringContaining('too expensive') });
  expect(
    fillFromMessage(
      Array.from({ length: 20_000 }, () => '{{ body }}'),
      { ...MESSAGE, body: 'x'.repeat(60_000) },
    ),
  ).toEqual({
    failure: expect.stringMatching(/expensive|large|bytes/),
  });
});
