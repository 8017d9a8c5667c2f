import { applyWrites } from '../channels/apply-writes.ts';
import { OwnedLists } from '../channels/reducer.ts';
import { toPointer } from '../values/json-pointer.ts';
import type { JsonObject } from '../values/json.ts';
import { didYouMean } from '../values/text.ts';
import type { CompiledGraph } from './compile.ts';

/** What is wrong with the input of a run; `path` is a JSON Pointer into it. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

/** Tries an input on a graph as a run would take it: only its input channels, through the reducers, by the schemas. */
export function checkInput({ definition, channels }: CompiledGraph, input: JsonObject): readonly InputIssue[] {
  const open = definition.input ?? [...channels.keys()];
  const unknown = Object.keys(input)
    .filter((name) => !open.includes(name))
    .map((name) => ({
      path: toPointer([name]),
      message: `"${name}" is no input channel of this graph.${didYouMean(name, open)}`,
    }));
  if (unknown.length > 0) return unknown;
  const initial = Object.fromEntries([...channels].map(([name, channel]) => [name, channel.initial]));
  let messages = 0;
  const context = { owned: new OwnedLists(), nextMessageId: () => `input-${++messages}`, extension: null };
  return Object.entries(input).flatMap(([name, value]) => {
    const applied = applyWrites(channels, initial, {
      writes: [{ by: 'the input', node: '', update: { [name]: value } }],
      context,
    });
    return applied.ok ? [] : [{ path: toPointer([name]), message: applied.error.message }];
  });
}
