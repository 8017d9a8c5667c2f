import { applyWrites } from '../channels/apply-writes.ts';
import { findRefusedMessage } from '../channels/outside-messages.ts';
import { createReduceContext } from '../channels/reducer.ts';
import type { ChannelDefinition } from '../definition/definition.ts';
import { toPointer } from '../values/json-pointer.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { TooExpensiveError, withAllowance } from '../values/meter.ts';
import { boundIssues } from '../values/bound-issues.ts';
import { didYouMean, withSuggestions } from '../values/did-you-mean.ts';
import type { CompiledGraph } from './compile.ts';

/** A fault of the input of a run; `path` is a JSON Pointer into it. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

/** Returns the required channels that an input leaves out; `null` is a value. */
export function missingInput({ definition: { required = [] } }: CompiledGraph, input: JsonObject): readonly string[] {
  return required.filter((name) => !Object.hasOwn(input, name));
}

/**
 * Lists the faults of an input. It is checked as a run checks it: only input channels, through the reducers, against
 * schemas.
 */
export function checkInput({ definition, channels }: CompiledGraph, input: JsonObject): readonly InputIssue[] {
  const unknown = findUnknownChannels(new Set(definition.input ?? channels.keys()), input);
  if (unknown.length > 0) return unknown;
  try {
    return withAllowance('The check of the input', MAX_INPUT_UNITS, () => writeIssues({ definition, channels }, input));
  } catch (error) {
    if (error instanceof TooExpensiveError) return [{ path: '', message: error.message }];
    throw error;
  }
}

function findUnknownChannels(known: ReadonlySet<string>, input: JsonObject): readonly InputIssue[] {
  const unknown = Object.keys(input).filter((name) => !known.has(name));
  return withSuggestions(() =>
    boundIssues(
      unknown.map((name) => ({
        path: toPointer([name]),
        message: `"${name}" is no input channel of this graph.${didYouMean(name, known)}`,
      })),
    ),
  );
}

/** Limit in units of the meter: the same that a run may spend on the writes of its input. */
const MAX_INPUT_UNITS = 5_000_000;

/** Returns the issues of each value, written on its own. */
function writeIssues(
  { definition, channels }: Pick<CompiledGraph, 'definition' | 'channels'>,
  input: JsonObject,
): readonly InputIssue[] {
  const initial = Object.fromEntries([...channels].map(([name, channel]) => [name, channel.initial]));
  let messages = 0;
  const context = createReduceContext(() => `input-${++messages}`);
  return Object.entries(input).flatMap(([name, value]) => {
    const refused = findRefusedMessage({ channels }, initial, { [name]: value });
    if (refused) return [{ path: refused.path, message: refused.message }];
    const applied = applyWrites(channels, initial, [{ by: 'the input', node: '', update: { [name]: value } }], context);
    return applied.ok
      ? []
      : [{ path: toPointer([name]), message: inputErrorMessage(applied.error, definition.channels?.[name]) }];
  });
}

/** Returns the message of an error. The one of a reducer in CEL is replaced, because it may quote the input. */
function inputErrorMessage({ code, message }: RunError, channel: ChannelDefinition | undefined): string {
  const mayQuote = code === 'EXPRESSION_FAILED' && channel?.redact === true;
  return mayQuote ? 'The reducer of this channel does not take the value, which is redacted' : message;
}
