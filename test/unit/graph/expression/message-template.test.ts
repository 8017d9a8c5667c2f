import { expect, test } from 'vitest';
import { fillFromMessage, findTemplateFault } from '../../../../src/graph/expression/message-template.ts';

const MESSAGE = { body: { issue: { number: 7 }, labels: ['a', 'b'] }, headers: { 'x-github-event': 'issues' } };

test('a template is filled from body and headers', () => {
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

test('a fault has its place', () => {
  expect(findTemplateFault({ input: { 'a/b': ['{{ state.x }}'] } })).toEqual({
    path: '/input/a~1b/0',
    message: expect.stringContaining('known are body, headers'),
  });
  expect(findTemplateFault('{{ body.')).toMatchObject({ path: '' });
});

test('what a message lacks is a failure', () => {
  expect(fillFromMessage('{{ body.pull.number }}', MESSAGE)).toEqual({ failure: expect.stringContaining('pull') });
});

test('a template has a price, as all together', () => {
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
