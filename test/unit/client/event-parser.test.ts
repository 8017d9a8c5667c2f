import { expect, test } from 'vitest';
import { createEventParser } from '../../../src/client/read-stream.ts';
import { createRandom } from '../../support/builders/random.ts';

const STREAM = [
  'retry: 1000\n\n',
  ': hb\n\n',
  'id: 1\nevent: a\ndata: {"x":1}\n\n',
  'event: b\r\ndata: one\r\ndata:two\r\ndata\r\n\r\n',
  'id: 2\r\rdata: ü\u{1F600}\r\r',
  'id: 3\n\n',
  'id: 4\0\nunknown: x\nconstructor: y\ndata: z\nid: 5\nid\n\n',
  'data: not finished',
].join('');

const EVENTS = [
  { lastId: '1', type: 'a', data: '{"x":1}' },
  { lastId: '1', type: 'b', data: 'one\ntwo\n' },
  { lastId: '2', type: '', data: '' },
  { lastId: '2', type: 'message', data: 'ü\u{1F600}' },
  { lastId: '3', type: '', data: '' },
  { lastId: '', type: 'message', data: 'z' },
];

test('server-sent events are parsed by the rules of the HTML standard', () => {
  expect(createEventParser()(STREAM)).toEqual(EVENTS);
});

test('server-sent events are parsed equally however their text is split', () => {
  const random = createRandom(3);
  for (let n = 0; n < 300; n += 1) {
    const parse = createEventParser();
    const events = [];
    for (let at = 0; at < STREAM.length;) {
      const length = Math.floor(random.next() * 9);
      events.push(...parse(STREAM.slice(at, at + length)));
      at += length;
    }
    expect(events).toEqual(EVENTS);
  }
});

test.each([
  ['line', 'x'.repeat(1_000_000)],
  ['event', `data: ${'x'.repeat(1_000_000)}\n`],
])('a server-sent event with an endless %s is refused', (_what, text) => {
  const parse = createEventParser();
  const parseOn = (): void => {
    for (let n = 0; n < 101; n += 1) parse(text);
  };
  expect(parseOn).toThrow('UNEXPECTED_ANSWER: An event of a stream is too long');
});

test('many server-sent events together may exceed the size limit of one event', () => {
  const parse = createEventParser();
  const text = `data: ${'x'.repeat(1_000_000)}\n\n`;
  for (let n = 0; n < 101; n += 1) expect(parse(text)).toHaveLength(1);
});
