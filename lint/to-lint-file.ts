import type { Room } from './room.ts';

type Rule = readonly [severity: 'error', ...options: unknown[]];

/** One entry of oxlint's `overrides`. */
interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, Rule>>;
}

type Rooms = Readonly<Record<string, Room>>;

/** The file that `.oxlintrc.json` extends, one override a line. */
export function toLintFile(rooms: Rooms): string {
  const lines = toOverrides(rooms).map((override) => `    ${JSON.stringify(override)}`);
  return `{\n  "overrides": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/**
 * Oxlint's overrides for a table of rooms. In a group of patterns the last one that matches counts, and of overrides
 * too: those of files follow those of their folders.
 */
function toOverrides(rooms: Rooms): readonly Override[] {
  const entries = Object.entries(rooms);
  const ordered = [...entries.filter(([name]) => !isFile(name)), ...entries.filter(([name]) => isFile(name))];
  return ordered.map(([name, room]) => ({
    files: [filesOf(name, rooms)],
    rules: {
      'typescript/no-restricted-imports': ['error', { patterns: [...typesOnly(room), importsOf(name, rooms)] }],
      ...RULES[room.code ?? 'ordinary'],
    },
  }));
}

const isFile = (name: string): boolean => name.endsWith('.ts');
const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));
const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** True if some of its folders are rooms themselves. */
const hasRooms = (name: string, rooms: Rooms): boolean => Object.keys(rooms).some((other) => parentOf(other) === name);

function filesOf(name: string, rooms: Rooms): string {
  if (isFile(name)) return `src/${name}`;
  return `src/${name}/${hasRooms(name, rooms) ? '*.ts' : '**'}`;
}

function importsOf(name: string, rooms: Rooms): { readonly group: readonly string[]; readonly message: string } {
  const { rooms: values, types = [], packages = [], typePackages = [], code } = rooms[name] ?? { rooms: [] };
  const allowedRooms = [...values, ...types];
  const allowedPackages = [...packages, ...typePackages];
  const outside = Object.keys(rooms).filter((other) => other !== name && other !== 'index.ts');
  const allowed = [
    ...allowedRooms.flatMap((target) => knownFiles(name, target, rooms)),
    ...allowedPackages.flatMap((item) => [item, `${item}/**`]),
  ];
  return {
    group: [
      '**',
      '!./**',
      '!../**',
      ...new Set(outside.map((target) => everyFile(name, target))),
      ...allowed.map((pattern) => `!${pattern}`),
      // Rooms of the interpreter import each other's files: their faces would make circles.
      ...(name.startsWith('graph/') && code === 'pure' ? ['**/index.ts'] : []),
    ],
    message: `src/${name} may import ${[...allowedRooms, ...allowedPackages].join(', ') || 'itself'} (lint/rooms.ts).`,
  };
}

/** The specifiers that lead from a room into another one. */
function everyFile(from: string, target: string): string {
  const parent = parentOf(from);
  if (target === parent) return isFile(from) ? './*.ts' : '../*.ts';
  const isNear = parentOf(target) === parent || parentOf(target) === from;
  const seen = isNear ? lastPart(target) : (target.split('/')[0] ?? target);
  return `**/${seen}${isFile(seen) ? '' : '/**'}`;
}

/** The specifiers that lead from a room to the files that another one shows it. */
function knownFiles(from: string, target: string, rooms: Rooms): readonly string[] {
  const isNear = parentOf(target) === parentOf(from) || parentOf(target) === from;
  const path = `**/${isNear ? lastPart(target) : target}`;
  if (isFile(target)) return [path];
  const face = isNear && parentOf(target) !== '' ? undefined : rooms[target]?.face;
  if (face) return face.map((file) => `${path}/${file}`);
  return [`${path}/${hasRooms(target, rooms) ? '*.ts' : '**'}`];
}

/** Imports that may name types; a group with exceptions would let their values pass. */
function typesOnly({ types = [], typePackages = [] }: Room): readonly object[] {
  const escaped = (text: string): string => text.replaceAll(/[.]/g, '\\$&');
  return [
    ...types.map((name) => `^(?:\\.\\./)+${escaped(name)}/`),
    ...typePackages.map((name) => `^${escaped(name)}$`),
  ].map((regex) => ({ regex, allowTypeImports: true, message: 'Types only (lint/rooms.ts).' }));
}

const IN_THE_SANDBOX = ['process', 'Buffer', 'fetch', 'crypto', 'performance', '__dirname', 'require'];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];

/** Methods that give different results in different zones or languages. */
const LOCAL_METHODS = [
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
  'localeCompare',
  'getTimezoneOffset',
  'toDateString',
  'toTimeString',
  ...['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds'].flatMap((part) => [
    `get${part}`,
    `set${part}`,
  ]),
];

const NO_ENVIRONMENT: Rule = [
  'error',
  { object: 'process', property: 'env', message: 'Entry files read the environment and hand it on.' },
];

const RULES: Readonly<Record<NonNullable<Room['code']> | 'ordinary', Readonly<Record<string, Rule>>>> = {
  pure: {
    'eslint/no-restricted-globals': ['error', ...IN_THE_SANDBOX, ...TIMERS, 'Intl'],
    'eslint/no-restricted-properties': [
      'error',
      ...LOCAL_METHODS.map((property) => ({
        property,
        message: 'It depends on the machine: its zone or its language.',
      })),
      { object: 'Math', property: 'random', message: 'The interpreter is deterministic.' },
      { object: 'Date', property: 'now', message: 'Time comes with the occurrence.' },
    ],
  },
  // Temporal makes timers, the clock and randomness deterministic there.
  sandbox: {
    'eslint/no-restricted-globals': ['error', ...IN_THE_SANDBOX, 'Intl'],
    'eslint/no-restricted-properties': [
      'error',
      ...LOCAL_METHODS.map((property) => ({
        property,
        message: 'It depends on the machine: its zone or its language.',
      })),
    ],
  },
  ordinary: { 'eslint/no-restricted-properties': NO_ENVIRONMENT },
  entry: {},
};
