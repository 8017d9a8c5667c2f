import { findRefusedMessage } from '../../channels/outside-messages.ts';
import { isJsonObject } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type { CallableGraph } from '../node-settings.ts';

/** Returns the arguments of a graph call as input: the parameters of a graph are an object. */
export function inputOf(args: Json): JsonObject {
  return isJsonObject(args) ? args : {};
}

/** Returns the first message in arguments that a graph does not take from a model; `null`: it takes them. */
export function findRefusedArgument({ channels }: CallableGraph, args: Json): string | null {
  return findRefusedMessage(channels, {}, inputOf(args))?.message ?? null;
}
