import type { IssueCode } from '../../src/graph/validate/index.ts';
import type { FailureText } from './run-errors.ts';

interface IssueText extends FailureText {
  readonly severity: 'error' | 'warning';
}

const error = (cause: string, remedy: string): IssueText => ({ severity: 'error', cause, remedy });
const warning = (cause: string, remedy: string): IssueText => ({ severity: 'warning', cause, remedy });

/** Every issue of a definition. It compiles only if none is missing. */
export const ISSUES: Readonly<Record<IssueCode, IssueText>> = {
  INVALID_FIELD: error(
    'A field is missing, unknown, of the wrong type, or does not go with another one.',
    'The message says what is expected there.',
  ),
  INVALID_DURATION: error(
    'A text is no duration, or one of no time.',
    'Write `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`.',
  ),
  INVALID_NAME: error(
    'A name has other characters than it may have.',
    'Node ids and channels: a letter, then letters, digits, `_`, `-`. Graphs: lower case.',
  ),
  RESERVED_NAME: error('The name means something else: `__start__`, `__end__`, a route.', 'Choose another name.'),
  INVALID_EXPRESSION: error(
    'An expression is no CEL, or names something that is not in scope.',
    'See [expressions](expressions.md). `when`, `route`, `forEach` and `expr` have no `{{ }}`.',
  ),
  INVALID_TEMPLATE: error('An expression in `{{ }}` is no CEL, or has no end.', 'See [expressions](expressions.md).'),
  INVALID_SCHEMA: error('A JSON Schema is not valid.', 'The path leads to the place.'),
  INVALID_DEFAULT: error("A default breaks the channel's schema or does not fit its reducer.", 'Change one of them.'),
  UNKNOWN_NODE: error(
    'An edge, `onError`, `mayGoto` or a breakpoint names a node that is not there.',
    'Take the name that the message suggests, or add the node.',
  ),
  UNKNOWN_CHANNEL: error('An expression or a write names a channel that is not declared.', 'Declare it in `channels`.'),
  UNKNOWN_NODE_TYPE: error('No type of this name is in the language or registered.', 'Register it under `nodeTypes`.'),
  UNKNOWN_TOOL: error(
    'The installation has no tool of this name.',
    'Put it into the configuration; `GET /api/tools` lists all.',
  ),
  UNKNOWN_FUNCTION: error('The installation has no function of this name.', 'Put it into the configuration.'),
  UNKNOWN_MODEL: error(
    'The installation has no model of this name.',
    'Names are those of `models` in the configuration, not of providers.',
  ),
  UNKNOWN_GRAPH: error('No graph of this name, or version, is published.', 'Publish it first.'),
  MISSING_ENTRY_POINT: error('No edge leaves `__start__`.', 'Add `{ "from": "__start__", "to": … }`.'),
  UNREACHABLE_NODE: error('No edge leads to the node.', 'Add an edge, or remove the node.'),
  DUPLICATE_EDGE: error('The same edge stands there twice.', 'Remove one.'),
  RECURSIVE_SUBGRAPH: error('A graph would contain itself.', 'Loop by edges instead.'),
  GRAPH_TOO_LARGE: error('The definition is over 1 MiB or has over 2,000 nodes.', 'Split it into subgraphs.'),
  TOO_EXPENSIVE: error(
    'Looking at the definition takes too much work.',
    'Make patterns, schemas and defaults smaller.',
  ),
  DEAD_END_BRANCH: warning(
    'When no branch holds, or no path fits, there is no default.',
    'Add a default, to `__end__` if that is meant.',
  ),
  JOIN_MAY_STARVE: warning('A join waits for a node that only a branch leads to.', 'Join nodes that always run.'),
  IMPLICIT_CONCURRENT_WRITE: warning(
    'Two nodes that always run together write one `replace` channel.',
    'Give the channel a reducer such as `append` or `merge`.',
  ),
  UNBOUNDED_LOOP: warning('Nothing ever leaves a loop but `maxSteps`.', 'Leave it by `branches`, or set `maxVisits`.'),
  APPROVAL_UNCHECKED: warning(
    'The run goes on the same way when the approval is rejected.',
    'Branch on the decision, or set `onReject` to `"fail"`.',
  ),
  LOOKS_LIKE_EXPRESSION: warning(
    'A text names `state` or another scope, but is no template, so it stays as it is.',
    'Write it in `{{ }}`.',
  ),
  DOUBTFUL_EXPRESSION: warning(
    'An expression compares or adds values of different types, reads `length`, or reads a name that is always null there.',
    'Follow the hint.',
  ),
  UNUSED_CHANNEL: warning('Nothing writes or reads the channel.', 'Remove it, or use it.'),
};
