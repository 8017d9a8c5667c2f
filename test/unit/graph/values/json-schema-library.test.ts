import type * as library from 'json-schema-library';
import { afterEach, expect, test, vi } from 'vitest';

/* What the schema library may do, and does not do now. */

type Library = typeof library;

afterEach(() => {
  vi.doUnmock('json-schema-library');
  vi.resetModules();
});

async function withLibrary(change: (library: Library) => Partial<Library>) {
  vi.resetModules();
  vi.doMock('json-schema-library', async (original) => {
    const given = await original<Library>();
    return { ...given, ...change(given) };
  });
  return import('../../../../src/graph/values/json-schema.ts');
}

/** Compiles as the library does, and changes the node that it gives. */
const giving =
  (over: object) =>
  ({ compileSchema: compile }: Library) => ({
    compileSchema: (...given: Parameters<Library['compileSchema']>) => Object.assign(compile(...given), over),
  });

test('a library without a keyword that is ours is refused', async () => {
  const load = withLibrary(({ draft2020 }) => ({ draft2020: { ...draft2020, keywords: [] } }));
  await expect(load).rejects.toThrow('The schema library knows no keyword properties');
});

test('no word about the schema is a good word', async () => {
  const { findSchemaProblems } = await withLibrary(giving({ schemaErrors: undefined }));
  expect(findSchemaProblems({ type: 'string' })).toEqual([]);
});

test('an error without a place is one of the whole value', async () => {
  const errors = [{ message: 'no', data: {} }];
  const { compileJsonSchema } = await withLibrary(giving({ validate: () => ({ errors }) }));
  expect(compileJsonSchema({})(1)).toEqual([{ path: '', message: 'no' }]);
});

test('a library that breaks while it follows references tells why, in whatever it throws', async () => {
  const breaking = giving({ validate: () => AbortSignal.abort('broken').throwIfAborted() });
  const { findSchemaProblems } = await withLibrary(breaking);
  expect(findSchemaProblems({})).toEqual([{ path: '', message: 'broken' }]);
});
