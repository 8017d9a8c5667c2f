import { END } from '../definition/definition.ts';
import { GraphError } from '../values/errors.ts';
import { isJsonObject, toItems } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { done, failed, unexpected } from './behavior.ts';
import type { Command } from '../run/scope.ts';
import type { NodeBehavior, Progress } from './behavior.ts';

const FIELDS: ReadonlySet<string> = new Set(['update', 'goto', 'control', 'reason']);
const CONTROLS: readonly Command['control'][] = ['continue', 'pause', 'abort', 'replan'];

/** Ends a task whose call of code came back. @param mayGoto the nodes that its node may send the run to */
export function afterCodeCall(mayGoto: readonly string[]): NodeBehavior['resume'] {
  return (_task, position, happening) => {
    if (happening.kind === 'call.failed') return failed(happening.failure);
    if (happening.kind !== 'call.completed' || happening.reply.kind !== 'value') throw unexpected(position);
    return afterCode(happening.reply.value, mayGoto);
  };
}

/**
 * Ends a task with what code returned: a command to the engine where it looks like one, any other value as the result.
 * @throws GraphError when the command can't be carried out
 */
function afterCode(value: Json, mayGoto: readonly string[]): Progress {
  if (!isJsonObject(value) || !isCommand(Object.keys(value))) return done(value);
  const { update = {}, goto = [], control = 'continue', reason } = value;
  if (!isJsonObject(update)) throw new GraphError('FUNCTION_FAILED', 'The update of a command is an object');
  const command = { update, goto: readGoto(goto, mayGoto), control: readControl(control), reason: readReason(reason) };
  if (command.control === 'replan' && command.goto.length === 0)
    throw new GraphError('INVALID_GOTO', 'A replan names in goto where the run goes on');
  return { kind: 'commanded', command };
}

function readControl(control: Json): Command['control'] {
  const known = CONTROLS.find((name) => name === control);
  if (known) return known;
  throw new GraphError('FUNCTION_FAILED', `control is one of ${CONTROLS.join(', ')}, not ${JSON.stringify(control)}`);
}

function readReason(reason: Json | undefined): string | null {
  return typeof reason === 'string' ? reason : null;
}

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
