import { expect, test } from 'vitest';
import { ATTEMPTS } from '../../../src/client/send.ts';
import { codeIn, readFile } from '../../support/readers/documentation.ts';

const parts = codeIn('docs/client.md', 'ts').flatMap((block) => block.trim().split('\n\n'));

test('the code in docs/client.md is that of the example, which compiles', () => {
  const example = readFile('examples/client/calls.ts');
  expect(parts.length).toBeGreaterThan(5);
  for (const part of parts) expect(example).toContain(part);
});

test('the code of docs/streams.md is that of the example, which compiles', () => {
  const [code = '', ...others] = codeIn('docs/streams.md', 'ts');
  expect(readFile('examples/client/watch.ts')).toContain(code);
  expect(others).toEqual([]);
});

test('docs/client.md states the number of attempts of a request', () => {
  expect(readFile('docs/client.md')).toContain(`up to ${ATTEMPTS} attempts`);
});
