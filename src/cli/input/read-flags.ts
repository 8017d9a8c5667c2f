import { didYouMean, isJsonObject, JsonLossError, parseDocument } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { UsageError, textFlag } from '../line/command.ts';
import { readTextFile } from './read-definition.ts';

/** Reads the JSON of a flag, or of the file that the flag names as `@FILE`. @throws UsageError */
export async function readJsonFlag(flag: string, value: string): Promise<Json> {
  const json = value.startsWith('@') ? await readTextFile(value.slice(1)) : value;
  try {
    return parseDocument(json);
  } catch (error) {
    if (error instanceof JsonLossError) throw new UsageError(`${flag}: ${error.message}`, { cause: error });
    throw new UsageError(`${flag} is no JSON: ${json.slice(0, 100)}`, { cause: error });
  }
}

/** @param what a description of the object's members for the error message */
export async function readJsonObject(flag: string, value: string, what: string): Promise<JsonObject> {
  const json = await readJsonFlag(flag, value);
  if (isJsonObject(json)) return json;
  throw new UsageError(`${flag} takes a JSON object: ${what}`);
}

/** The flag by which commands set the limits of a run. */
export const LIMITS_FLAG = {
  limits: textFlag('JSON', 'its limits, such as {"maxCostUsd": 1}, or @FILE that holds them'),
} as const;

/** Returns the `limits` member of a request; an empty object without the flag. @throws UsageError */
export async function readLimitsFlag(limits: string | undefined): Promise<{ readonly limits?: JsonObject }> {
  if (limits === undefined) return {};
  return { limits: await readJsonObject('--limits', limits, 'limits of the run by their names') };
}

/**
 * Reads a flag with a fixed set of values.
 * @param choices an object with the values as its keys
 * @throws UsageError for any other value
 */
export function readChoiceFlag<Name extends string>(
  flag: string,
  given: string,
  choices: Readonly<Record<Name, unknown>>,
): Name {
  if (isKeyOf(choices, given)) return given;
  const names = Object.keys(choices);
  const suggestion = didYouMean(given, names);
  throw new UsageError(
    `${flag} takes ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, not "${given}"${suggestion === '' ? '' : `.${suggestion}`}`,
  );
}

function isKeyOf<Name extends string>(choices: Readonly<Record<Name, unknown>>, name: string): name is Name {
  return Object.hasOwn(choices, name);
}

/** Reads the number of entries that a command prints, 1 or more. @throws UsageError */
export function readCountFlag(flag: string, value: string): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new UsageError(`${flag} takes a number, not "${value}"`);
}
