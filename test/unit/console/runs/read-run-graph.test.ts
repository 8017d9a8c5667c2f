import { HoldfastError } from 'holdfast/client';
import { describe, expect, test } from 'vitest';
import { isUnavailable, readRunGraph } from '../../../../console/src/pages/runs/data/read-run-graph.ts';

const RECORDED = { name: 'pay', nodes: { recorded: {} } };
const INNER = { name: 'inner', nodes: {} };
const PUBLISHED = { name: 'pay', nodes: { published: {} } };
const { signal } = new AbortController();

const refused = (status: number, code: HoldfastError['code']) => new HoldfastError({ code, detail: 'no', status });

/** A client of a tenant that has published one version, or is refused. */
const sources = (published: { readonly hash: string } | HoldfastError) => ({
  graphs: {
    get: async () => {
      if (published instanceof HoldfastError) throw published;
      return { ...published, definition: PUBLISHED };
    },
  },
  runs: { recording: async () => ({ definition: RECORDED, catalog: { graphs: { 'inner@1': INNER } } }) },
});

const read = async (published: Parameters<typeof sources>[0], version: number | null = 1) =>
  await readRunGraph(sources(published), { id: 'r', graph: { name: 'pay', version, hash: 'its-own' } }, signal);

describe('the graph of a run', () => {
  test('the console shows for a run the published graph version with the same hash', async () => {
    expect(await read({ hash: 'its-own' })).toEqual({ definition: PUBLISHED, named: null });
  });

  test.each([
    ['the graph of that name belongs to another tenant', { hash: 'another' }, 1],
    ['the graph was deleted', refused(404, 'UNKNOWN_GRAPH'), 1],
    ['the graph was never published', { hash: 'its-own' }, null],
  ])(
    'the console reads a run’s graph from its recording, with the graphs that it refers to, if %s',
    async (_where, published, version) => {
      expect(await read(published, version)).toEqual({
        definition: RECORDED,
        named: { 'inner@1': INNER },
      });
    },
  );

  test('the console does not read a run’s graph from the recording if the API fails', async () => {
    await expect(read(refused(503, 'UNAVAILABLE'))).rejects.toMatchObject({ status: 503 });
  });

  test.each([
    [refused(409, 'NOT_ALLOWED_NOW'), true],
    [refused(403, 'FORBIDDEN'), true],
    [refused(503, 'UNAVAILABLE'), false],
    [null, false],
  ])('the console treats a run’s graph as unavailable after %s: %s', (error, expected) => {
    expect(isUnavailable(error)).toBe(expected);
  });
});
