import { createHash } from 'node:crypto';

/** Tools' names in the spelling that every provider takes, and back. */
export interface ToolNames {
  toProvider(name: string): string;
  /** A name that nobody has asked to map is one that the model made up; it stays as it is. */
  fromProvider(name: string): string;
}

/** What all providers take: letters, digits, `_` and `-`; Google wants no digit in front. */
const PROVIDER_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Maps names so that no two become one. A name that providers take stays as it is; in others `_` replaces what they don't
 * take, and a digest of the name follows where the result belongs to another name.
 * @param names all that one request speaks of: its tools, and the calls in its messages
 */
export function mapToolNames(names: Iterable<string>): ToolNames {
  const all = [...new Set(names)].toSorted();
  const originals = new Map(all.filter((name) => PROVIDER_NAME.test(name)).map((name) => [name, name]));
  const spellings = new Map(originals);
  for (const name of all.filter((name) => !PROVIDER_NAME.test(name))) {
    const spelling = firstFree(name, originals);
    spellings.set(name, spelling);
    originals.set(spelling, name);
  }
  return {
    toProvider: (name) => spellings.get(name) ?? spell(name),
    fromProvider: (name) => originals.get(name) ?? name,
  };
}

function firstFree(name: string, taken: ReadonlyMap<string, string>): string {
  let spelling = spell(name);
  for (let round = 0; taken.has(spelling); round++)
    spelling = `${spell(name).slice(0, 47)}_${digest(`${round}${name}`)}`;
  return spelling;
}

function spell(name: string): string {
  const replaced = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return (/^[A-Za-z_]/.test(replaced) ? replaced : `_${replaced}`).slice(0, 64);
}

/** A call's id as every provider takes it. Calls and their answers keep belonging together. */
export function toProviderCallId(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${digest(id)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
