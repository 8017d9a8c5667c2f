import { describe, expect, test } from 'vitest';
import { CONSOLE_ROOMS } from '../../../lint/console-rooms.ts';
import { breachesOf, roomOf } from '../../support/readers/room-checks.ts';
import { findCircle, importsIn, readSources } from '../../support/readers/source-files.ts';

const files = readSources('console/src');
const names = Object.keys(CONSOLE_ROOMS);
const arrows = new Map(
  Object.entries(CONSOLE_ROOMS).map(([name, { rooms, types = [] }]) => [name, [...rooms, ...types]]),
);

describe('the rooms of the console', () => {
  test('the rooms of the console import each other in one direction', () => {
    expect(findCircle(arrows)).toBeNull();
  });

  test('the rooms of the console exist, and include every folder', () => {
    const inUse = new Set(files.map(({ path }) => roomOf(path, CONSOLE_ROOMS)));
    expect(inUse).not.toContain(null);
    expect(names.filter((name) => name !== 'styles' && !inUse.has(name))).toEqual([]);
    expect([...arrows.values()].flat().filter((name) => !names.includes(name))).toEqual([]);
  });

  test('the rooms of the console import only what the table allows', () => {
    expect(breachesOf(files, CONSOLE_ROOMS)).toEqual([]);
  });

  test("the rooms of the console refuse imports of rooms above them, and of Node's modules", () => {
    const breaches = (path: string, source: string): readonly string[] =>
      breachesOf([{ path, imports: importsIn(path, source) }], CONSOLE_ROOMS);
    expect(breaches('parts/x.tsx', "import { a } from '../form/use-form.ts';")).toHaveLength(1);
    expect(breaches('pages/inbox/x.tsx', "import { a } from '../runs/run/run-page.tsx';")).toHaveLength(1);
    expect(breaches('api/x.ts', "import { a } from 'node:fs';")).toHaveLength(1);
    expect(breaches('form/x.tsx', "import { a } from '../parts/problem.tsx';")).toEqual([]);
  });
});

describe('the files of the console', () => {
  test('the files of the console do not import each other in a circle', () => {
    const imports = files.map(({ path, imports: all }): [string, string[]] => [
      path,
      all.filter(({ isLocal }) => isLocal).map(({ target }) => target),
    ]);
    expect(findCircle(new Map(imports))).toBeNull();
  });
});
