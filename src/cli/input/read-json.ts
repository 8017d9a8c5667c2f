import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { UsageError } from '../line/command.ts';
import { readText } from './read-definition.ts';

/** Reads the JSON of a flag, or of the file that it names by `@FILE`. @throws UsageError */
export async function readJson(flag: string, value: string): Promise<Json> {
  const json = value.startsWith('@') ? await readText(value.slice(1)) : value;
  try {
    return toJson(JSON.parse(json));
  } catch (error) {
    throw new UsageError(`${flag} is no JSON: ${json.slice(0, 100)}`, { cause: error });
  }
}

/** @param what the members of the object, for the message */
export async function readJsonObject(flag: string, value: string, what: string): Promise<JsonObject> {
  const json = await readJson(flag, value);
  if (isJsonObject(json)) return json;
  throw new UsageError(`${flag} takes a JSON object: ${what}`);
}
