import { expect, test } from 'vitest';
import { toPath } from '../../../src/client/listing.ts';

test('a path of the API contains its ids encoded', () => {
  expect(toPath`/api/threads/${'a/b?c'}/runs`).toBe('/api/threads/a%2Fb%3Fc/runs');
});

test.each(['', '.', '..'])('a path refuses the id "%s", which would lead to another route', (id) => {
  expect(() => toPath`/api/runs/${id}/fork`).toThrow(TypeError);
});
