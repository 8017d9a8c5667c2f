import { END } from '../definition/definition.ts';
import type { Command } from '../run/scope.ts';
import { GraphError } from '../values/errors.ts';
import { isJsonObject, toItems } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { done, failed, unexpected } from './behavior.ts';
import type { NodeBehavior, Progress } from './behavior.ts';

/**
 * Makes the `resume` of a node that calls code. A returned object with keys of a command only is a command; any other
 * value is the result, and so is one that the code marks as its result.
 * @param mayGoto nodes that a command may name
 */
export function resumeCodeCall(mayGoto: readonly string[]): NodeBehavior['resume'] {
  return (_task, position, input) => {
    if (input.kind === 'call.failed') return failed(input.failure);
    if (input.kind !== 'call.completed' || input.reply.kind !== 'value') throw unexpected(position);
    return input.reply.isPlain === true ? done(input.reply.value) : commandOrResult(input.reply.value, mayGoto);
  };
}

/** @throws GraphError `FUNCTION_FAILED` or `INVALID_GOTO` for an invalid command */
function commandOrResult(value: Json, mayGoto: readonly string[]): Progress {
  if (!isJsonObject(value) || !isCommand(Object.keys(value))) return done(value);
  const { update = {}, goto = [], control = 'continue', reason } = value;
  if (!isJsonObject(update)) throw new GraphError('FUNCTION_FAILED', 'The update of a command is an object');
  const command = { update, goto: readGoto(goto, mayGoto), control: readControl(control), reason: readReason(reason) };
  if (command.control === 'replan' && command.goto.length === 0)
    throw new GraphError('INVALID_GOTO', 'A replan names in goto where the run goes on');
  return { kind: 'commanded', command };
}

const FIELDS: ReadonlySet<string> = new Set(['update', 'goto', 'control', 'reason']);

function isCommand(keys: readonly string[]): boolean {
  return keys.every((key) => FIELDS.has(key)) && keys.some((key) => key !== 'reason');
}

function readGoto(goto: Json, mayGoto: readonly string[]): readonly string[] {
  const names = toItems(goto);
  return names.map((name) => {
    if (typeof name === 'string' && (name === END || mayGoto.includes(name))) return name;
    throw new GraphError(
      'INVALID_GOTO',
      `goto names ${JSON.stringify(name)}; mayGoto allows ${mayGoto.join(', ') || 'nothing'}`,
    );
  });
}

const CONTROLS: readonly Command['control'][] = ['continue', 'pause', 'abort', 'replan'];

function readControl(control: Json): Command['control'] {
  const known = CONTROLS.find((name) => name === control);
  if (known) return known;
  throw new GraphError('FUNCTION_FAILED', `control is one of ${CONTROLS.join(', ')}, not ${JSON.stringify(control)}`);
}

function readReason(reason: Json | undefined): string | null {
  return typeof reason === 'string' ? reason : null;
}
