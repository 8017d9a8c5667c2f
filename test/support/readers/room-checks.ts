import { posix } from 'node:path';
import type { Room } from '../../../lint/room.ts';
import type { Import, SourceFile } from './source-files.ts';

export type Rooms = Readonly<Record<string, Room>>;

/** The room of a file below `src`: the file itself, or the nearest folder around it that is a room. */
export function roomOf(path: string, rooms: Rooms): string | null {
  if (Object.hasOwn(rooms, path)) return path;
  const folder = posix.dirname(path);
  const parts = folder.split('/');
  const around = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
  const found = around.find((name) => Object.hasOwn(rooms, name));
  if (found === undefined) return null;
  const isDivided = Object.keys(rooms).some((name) => posix.dirname(name) === found && !name.endsWith('.ts'));
  return isDivided && found !== folder ? null : found;
}

/** The imports that the table does not allow, one per line. */
export function breachesOf(files: readonly SourceFile[], rooms: Rooms): readonly string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((item) => {
      const reason = refusalOf(file.path, item, rooms);
      return reason === null ? [] : [`${file.path} -> ${item.target}: ${reason}`];
    }),
  );
}

function refusalOf(path: string, item: Import, rooms: Rooms): string | null {
  const name = roomOf(path, rooms);
  const room = name === null ? undefined : rooms[name];
  if (name === null || !room) return 'in no room';
  if (!item.isLocal) return packageRefusal(item, room);
  const to = roomOf(item.target, rooms);
  if (to === null) return 'into no room';
  return to === name ? null : roomRefusal(name, { ...item, to }, rooms);
}

function roomRefusal(from: string, item: Import & { readonly to: string }, rooms: Rooms): string | null {
  const { rooms: values = [], types = [] } = rooms[from] ?? {};
  const listed = item.isType ? [...values, ...types] : values;
  if (!listed.includes(item.to)) return `${from} may not import ${item.to}`;
  return faceRefusal(from, { to: item.to, path: item.target }, rooms);
}

function packageRefusal({ target, isType }: Import, { packages = [], typePackages = [] }: Room): string | null {
  const isListed = [...packages, ...(isType ? typePackages : [])].some(
    (name) => target === name || target.startsWith(`${name}/`) || (name === 'node:*' && target.startsWith('node:')),
  );
  return isListed ? null : 'not one of its packages';
}

function faceRefusal(from: string, known: { readonly to: string; readonly path: string }, rooms: Rooms): string | null {
  const { to, path } = known;
  const parent = posix.dirname(to);
  const isFace = path === `${to}/index.ts`;
  if (parent !== '.' && posix.dirname(from) === parent) return isFace && rooms[to]?.face ? 'import its files' : null;
  const face = rooms[to]?.face;
  return face && !face.some((file) => path === `${to}/${file}`) ? `only ${to}/{${face.join(',')}} is known` : null;
}
