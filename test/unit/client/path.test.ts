import { expect, test } from 'vitest';
import { toPath } from '../../../src/client/listing.ts';

test('a path of the API contains its ids encoded in the client', () => {
  expect(toPath`/api/threads/${'a/b?c'}/runs`).toBe('/api/threads/a%2Fb%3Fc/runs');
});

test.each(['', '.', '..'])('the client refuses the id "%s" in a path, because it would lead to another route', (id) => {
  expect(() => toPath`/api/runs/${id}/fork`).toThrow(TypeError);
});
