import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from '../../../lint/rooms.ts';
import { readSources } from '../../support/readers/source-files.ts';

/* ARCHITECTURE.md and the pages around it name files; these tests keep the names true. */

const MAX_PAGE_BYTES = 16_384;

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const isThere = (path: string): boolean => existsSync(new URL(path, root));
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((path) => posix.join(folder, path));

const page = read('ARCHITECTURE.md');
const sources = readSources();
const folders = [...new Set(sources.map(({ path }) => posix.dirname(path)))].filter((folder) => folder !== '.');

interface TreeLine {
  /** Below `src`, without a slash at its end. */
  readonly path: string;
  /** Folders that the line tells of besides. */
  readonly inside: readonly string[];
}

/** The tree of rooms: the first block of code below its heading. */
function treeLines(): readonly TreeLine[] {
  const [, block = ''] = /## Rooms[^]*?```\nsrc\/\n([^]*?)```/.exec(page) ?? [];
  const around: string[] = [];
  return block
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, indent = '', name = '', told = ''] = /^( +)(\S+) +(.*)$/.exec(line) ?? [];
      const depth = indent.length / 2 - 1;
      around.splice(depth, Infinity, name.replace(/\/$/, ''));
      return {
        path: around.join('/'),
        inside: [...told.matchAll(/([\w-]+)\/(?!\w)/g)].map(([, folder = '']) => folder),
      };
    });
}

const tree = treeLines();

/** The files and folders that a page names. */
function pathsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = '']) => path);
  return named.filter((path) => path.includes('/') || /\.(?:ts|md|json)$/.test(path));
}

const PAGES = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/limits.md',
  'docs/security.md',
  ...filesBelow('docs/decisions'),
  ...filesBelow('src').filter((path) => path.endsWith('README.md')),
];

describe('ARCHITECTURE.md', () => {
  test(`ARCHITECTURE.md has at most ${MAX_PAGE_BYTES} bytes`, () => {
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
  });

  test('ARCHITECTURE.md names every folder of src', () => {
    const isNamed = (folder: string): boolean =>
      tree.some(({ path, inside }) => {
        const isBelow = folder.startsWith(`${path}/`);
        return path === folder || (isBelow && inside.includes(posix.basename(folder)));
      });
    expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
  });

  test('ARCHITECTURE.md names only existing folders and files in its tree', () => {
    const missing = tree.flatMap(({ path, inside }) => [
      ...(isThere(`src/${path}`) ? [] : [path]),
      ...inside.filter(
        (name) => !folders.some((folder) => folder.startsWith(`${path}/`) && folder.endsWith(`/${name}`)),
      ),
    ]);
    expect(missing).toEqual([]);
  });

  test('ARCHITECTURE.md lists the rooms in the order in which they import', () => {
    const order = tree.map(({ path }) => path);
    const rooms = Object.entries(ROOMS).filter(([name]) => name !== 'api' && order.includes(name));
    const wrong = rooms.flatMap(([name, room]) =>
      room.rooms
        .filter((other) => other !== 'api' && order.indexOf(other) > order.indexOf(name))
        .map((other) => `${name} imports ${other}`),
    );
    expect(rooms.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });

  test.each(['node type', 'signal', 'route', 'model provider', 'validation rule', 'reducer', 'limit or budget'])(
    'ARCHITECTURE.md states where a new %s belongs',
    (what) => {
      expect(page).toContain(`\n- **${what}**: `);
    },
  );
});

test.each(PAGES)('every file that the page %s names exists', (path) => {
  const names = new Set([...filesBelow('src'), ...filesBelow('test')].map((file) => posix.basename(file)));
  const isKnown = (named: string): boolean =>
    named.includes('/')
      ? ['', 'src/', `${posix.dirname(path)}/`].some((folder) => isThere(`${folder}${named}`))
      : isThere(named) || names.has(named);
  expect(pathsIn(read(path)).filter((named) => !isKnown(named))).toEqual([]);
});

test.each(PAGES)('every file that the page %s links exists', (path) => {
  const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !isThere(posix.join(posix.dirname(path), link)))).toEqual([]);
});

test.each([
  ['docs/limits.md', 40],
  ['src/graph/advance/README.md', 0],
])('the limits in the page %s have the values of the code', (page, least) => {
  const rows = [...read(page).matchAll(/`([\w/.-]+\.ts)`: `([^`]+)`/g)];
  expect(rows.length).toBeGreaterThan(least);
  const wrong = rows.filter(([, path = '', bound = '']) => !read(`src/${path}`).includes(bound));
  expect(wrong.map(([row]) => row)).toEqual([]);
});
