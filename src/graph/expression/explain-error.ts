import { isContainer, own } from '../values/json.ts';
import { didYouMean } from '../values/did-you-mean.ts';
import { describeMismatch, wordsOfCelType } from './doubts.ts';
import { abbreviate } from '../values/text.ts';
import type { ExpressionName } from './names.ts';

interface SourceText {
  readonly source: string;
  readonly names: readonly ExpressionName[];
}

/** Describes the fault of an expression, its position, and how to write in CEL what was probably meant. */
export function explainExpressionError(error: unknown, { source, names }: SourceText): string {
  const reason = errorReason(error);
  const unknown = /^Unknown variable: (\S+)$/.exec(reason)?.[1];
  if (unknown === undefined)
    return `${reason}${errorPosition(error)} in \`${abbreviate(source, MAX_QUOTED_SOURCE)}\`${celHint(source)}`;
  const hint = celHint(unknown) || scopeHint(unknown) || `.${didYouMean(unknown, names)}`;
  return `"${unknown}" is not defined here; known are ${names.join(', ')}${hint}`;
}

/** Returns the position in an expression that an error of the CEL library names, counted from 1. */
function errorPosition(error: unknown): string {
  const range: unknown = error instanceof Error && 'range' in error ? error.range : null;
  const start: unknown = isContainer(range) && 'start' in range ? range.start : null;
  return typeof start === 'number' ? ` at character ${start + 1}` : '';
}

/** Limits in characters of texts in error messages. */
export const MAX_QUOTED_SOURCE = 200;

export const MAX_ERROR_REASON = 400;

/** Returns the reason why an evaluation has failed, with the types of operands that don't fit in words. */
export function explainFailure(error: unknown): string {
  const reason = errorReason(error);
  const [, left = '', operator = '', right = ''] = NO_OVERLOAD.exec(reason) ?? [];
  const [ofLeft, ofRight] = [wordsOfCelType(left), wordsOfCelType(right)];
  const mismatch = ofLeft === null || ofRight === null ? null : describeMismatch(operator, ofLeft, ofRight);
  return mismatch === null ? reason : `${mismatch}: ${reason}`;
}

const NO_OVERLOAD = /^no such overload: (\S+) (\S+) (\S+)$/;

function errorReason(error: unknown): string {
  if (!(error instanceof Error)) return abbreviate(String(error), MAX_ERROR_REASON);
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  return abbreviate(summary, MAX_ERROR_REASON).replaceAll(/(\w)_\(/g, '$1(');
}

/** Patterns of other languages that people write, and what to write in CEL. */
const HINTS: readonly (readonly [written: RegExp, cel: string])[] = [
  [/^\s*\{\{/, 'An expression stands here without {{ }}'],
  [/[=!]==/, 'CEL writes == and !='],
  [/(?<!\|)\|(?!\|)/, 'CEL has no pipes: it calls functions, such as state.name.upperAscii()'],
  [/\?\?/, 'CEL writes coalesce(a, b)'],
  [/=>/, 'CEL writes list.map(x, x + 1) and list.filter(x, x > 1)'],
  [/`/, 'CEL joins texts by +'],
  [/\.toUpperCase\b/, 'CEL writes upperAscii()'],
  [/\.toLowerCase\b/, 'CEL writes lowerAscii()'],
  [/\.length\b/, 'CEL writes size(x)'],
  [/\.includes\b/, 'CEL writes text.contains(part) and item in list'],
  [/\.(?:push|concat)\b/, 'CEL joins lists by +'],
  [/\bJSON\.stringify\b/, 'CEL writes json(x)'],
  [/\bJSON\.parse\b/, 'CEL writes parseJson(text)'],
  [/\btypeof\b/, 'CEL writes type(x)'],
  [/\b(?:undefined|None)\b/, 'CEL writes null, and has(state.a) where a member may be absent'],
  [/\b(?:and|or|not)\b/, 'CEL writes &&, || and !'],
  [/\b(?:now|Date)\b/, 'An expression knows no clock; run.startedAt is when the run began'],
];

/** Where a name that is unknown in one field is known. */
const SCOPES: Readonly<Record<string, string>> = {
  result: 'A result is known in `write` of its node, and in `args` of `compensate`',
  error: 'An error is known in `write` of `onError`',
  args: 'Arguments are known in conditions of approvals',
  current: 'The value of a channel is known in its reducer',
  update: 'An update is known in the reducer of its channel',
};

function scopeHint(unknown: string): string {
  const scope = own(SCOPES, unknown);
  return scope === undefined ? '' : `. ${scope}`;
}

/** Returns a hint that ends a message about invalid CEL, such as ` CEL writes == and !=.`; may be empty. */
function celHint(source: string): string {
  const code = source.replaceAll(STRING_LITERAL, '""');
  const hint = optionalHint(code) ?? HINTS.find(([written]) => written.test(code))?.[1];
  return hint === undefined ? '' : `. ${hint}`;
}

/** Returns how CEL writes `?.`, with the names of the expression. */
function optionalHint(code: string): string | null {
  const [, before, member] = OPTIONAL_CHAIN.exec(code) ?? [];
  return before === undefined ? null : `CEL writes ${before}.?${member}.orValue(null)`;
}

const OPTIONAL_CHAIN = /([\w.]{1,100})\?\.([A-Za-z_]\w{0,99})/;

/** A string literal in an expression. Its content is not code. */
const STRING_LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
