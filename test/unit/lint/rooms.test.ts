import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from '../../../lint/rooms.ts';
import { toLintFile } from '../../../lint/to-lint-file.ts';
import { breachesOf, roomOf } from '../../support/readers/room-checks.ts';
import { findCircle, importsIn, readSources } from '../../support/readers/source-files.ts';
import type { SourceFile } from '../../support/readers/source-files.ts';

const files = readSources();
const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))];
const roomNames = Object.keys(ROOMS);

/** The table's own arrows, those for types included. */
const arrows = new Map(Object.entries(ROOMS).map(([name, { rooms, types = [] }]) => [name, [...rooms, ...types]]));

describe('the table of rooms', () => {
  test('the table of rooms equals the rules that oxlint reads', () => {
    const written = readFileSync(new URL('../../../lint/rooms.json', import.meta.url), 'utf8');
    expect(written, 'lint/rooms.json is old: npm run lint:rooms').toBe(toLintFile(ROOMS));
  });

  test('the table of rooms allows imports in one direction only', () => {
    expect(findCircle(arrows)).toBeNull();
  });

  test('the table of rooms names rooms that exist', () => {
    expect([...arrows.values()].flat().filter((name) => !roomNames.includes(name))).toEqual([]);
    const inUse = new Set(files.map(({ path }) => roomOf(path, ROOMS)));
    expect(roomNames.filter((name) => !inUse.has(name))).toEqual([]);
  });

  test('the table of rooms contains every file of src', () => {
    expect(files.filter(({ path }) => roomOf(path, ROOMS) === null).map(({ path }) => path)).toEqual([]);
  });

  test('only the interpreter may import channels, nodes, draft, superstep and lifecycle', () => {
    const inside = ['graph/channels', 'graph/nodes', 'graph/draft', 'graph/superstep', 'graph/lifecycle'];
    const outside = Object.entries(ROOMS).filter(([name]) => !name.startsWith('graph/'));
    expect(outside.filter(([, { rooms }]) => rooms.some((name) => inside.includes(name)))).toEqual([]);
    expect(inside.map((name) => ROOMS[name]?.face)).toEqual(inside.map(() => []));
  });
});

describe('the files of src', () => {
  test('the files of src import only what the table of rooms allows', () => {
    expect(breachesOf(files, ROOMS)).toEqual([]);
  });

  test('the files of src do not import each other in a circle', () => {
    const imports = files.map(({ path, imports: all }): [string, string[]] => [
      path,
      all.filter(({ isLocal }) => isLocal).map(({ target }) => target),
    ]);
    expect(findCircle(new Map(imports))).toBeNull();
  });

  test('no file of src has a folder with the same name beside it', () => {
    const names = new Set(folders.flatMap((folder) => [folder, posix.dirname(folder)]));
    expect(files.filter(({ path }) => names.has(path.slice(0, -'.ts'.length))).map(({ path }) => path)).toEqual([]);
  });
});

describe('the checks of imports', () => {
  const read = (path: string, source: string): readonly SourceFile[] => [{ path, imports: importsIn(path, source) }];
  const breaches = (path: string, source: string): readonly string[] => breachesOf(read(path, source), ROOMS);

  test.each([
    ['a lower room', 'graph/nodes/x.ts', "import { a } from '../run/run.ts';"],
    ['its own room, from a folder in it', 'graph/nodes/model/x.ts', "import { a } from '../behavior.ts';"],
    ['the index of a room', 'store/x.ts', "import type { A } from '../graph/run/index.ts';"],
    ['types only', 'workflows/x.ts', "import type { A } from '../activities/index.ts';"],
    ['a package, by a path in it', 'api/x.ts', "import { a } from 'hono/factory';"],
    ['a file that is a room', 'api/runs/x.ts', "import type { A } from '../deps.ts';"],
  ])('the import check allows an import of %s', (_, path, source) => {
    expect(importsIn(path, source)).toHaveLength(1);
    expect(breaches(path, source)).toEqual([]);
  });

  test.each([
    ['a higher room', 'graph/run/x.ts', "import type {\n  A,\n  B,\n} from '../nodes/behavior.ts';"],
    ['a file behind the index of a room', 'store/x.ts', "import type { A } from '../graph/run/run.ts';"],
    ['an inner room', 'api/runs/x.ts', "import { a } from '../../graph/draft/draft.ts';"],
    ['a room’s index within the interpreter', 'graph/nodes/x.ts', "export { a } from '../run/index.ts';"],
    ['values where only types are allowed', 'workflows/x.ts', "import { a } from '../activities/index.ts';"],
    ['a package', 'graph/run/x.ts', "import { z } from 'zod';"],
    ['a package by a dynamic import', 'graph/run/x.ts', "  const a = await import('zod');"],
    ['a package for its side effects', 'graph/run/x.ts', "import 'zod';"],
    ['the top of its parent', 'api/runs/x.ts', "import { a } from '../server.ts';"],
    ['a room that does not exist', 'graph/run/x.ts', "import { a } from '../other/x.ts';"],
  ])('the import check refuses an import of %s', (_, path, source) => {
    expect(breaches(path, source)).toHaveLength(1);
  });

  test('the import check reports the path of a circle', () => {
    const circle = new Map(Object.entries({ a: ['b'], b: ['c', 'd'], c: [], d: ['b'] }));
    expect(findCircle(circle)).toEqual(['b', 'd', 'b']);
  });

  test('the import check reports a folder that is in no room', () => {
    expect(['graph/other/x.ts', 'api/other/x.ts', 'other/x.ts'].map((path) => roomOf(path, ROOMS))).toEqual([
      null,
      null,
      null,
    ]);
  });
});
