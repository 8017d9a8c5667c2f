import { createHash } from 'node:crypto';

/** Maps tool names to a spelling that every provider accepts, and back. */
export interface ToolNames {
  toProvider(name: string): string;
  /** A name that was not mapped is invented by the model and stays as it is. */
  fromProvider(name: string): string;
}

/** Names that all providers accept; Google allows no leading digit. */
const PROVIDER_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Maps distinct names to distinct names. Accepted names stay. In others `_` replaces invalid characters, with a digest
 * of the name if the result is taken.
 * @param names all names in one request: of its tools, and of the calls in its messages
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
    toProvider: (name) => spellings.get(name) ?? spellToolName(name),
    fromProvider: (name) => originals.get(name) ?? name,
  };
}

function firstFree(name: string, taken: ReadonlyMap<string, string>): string {
  let spelling = spellToolName(name);
  for (let round = 0; taken.has(spelling); round++)
    spelling = `${spellToolName(name).slice(0, 47)}_${shortDigest(`${round}${name}`)}`;
  return spelling;
}

function spellToolName(name: string): string {
  const replaced = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return (/^[A-Za-z_]/.test(replaced) ? replaced : `_${replaced}`).slice(0, 64);
}

/** Converts a call id to a spelling that every provider accepts, the same for a call and its answer. */
export function toProviderCallId(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${shortDigest(id)}`;
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
