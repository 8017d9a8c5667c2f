import type { Expression, Name } from '../expression/expression.ts';
import { splitIntoPieces } from '../expression/template.ts';
import type { TextPiece } from '../expression/template.ts';
import { isJsonList, isJsonObject } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { REDACTED } from './mask.ts';
import type { Mask } from './mask.ts';

/** A template, parsed so that each of its texts can be looked at alone. */
export type Filled =
  | { readonly kind: 'text'; readonly pieces: readonly TextPiece[] }
  | { readonly kind: 'object' | 'list'; readonly parts: Readonly<Record<string, Filled>> };

/** Parses a template without errors. @returns `null` if nothing is filled in it */
export function parseFilled(value: Json, names: readonly Name[]): Filled | null {
  if (typeof value === 'string')
    return value.includes('{{') ? { kind: 'text', pieces: splitIntoPieces(value, names) } : null;
  if (!isJsonList(value) && !isJsonObject(value)) return null;
  const parts = Object.entries(value).flatMap(([key, part]: [string, Json]) => {
    const filled = parseFilled(part, names);
    return filled ? [[key, filled] as const] : [];
  });
  return parts.length === 0 ? null : { kind: isJsonList(value) ? 'list' : 'object', parts: Object.fromEntries(parts) };
}

/** All expressions in a template. */
export function expressionsIn(filled: Filled | null): readonly Expression[] {
  if (!filled) return [];
  if (filled.kind === 'text') return filled.pieces.filter((piece) => typeof piece !== 'string');
  return Object.values(filled.parts).flatMap(expressionsIn);
}

/** Makes the mask of what is filled with hidden values. @returns `null` if nothing is hidden */
export function maskOf(filled: Filled | null, isHidden: (expression: Expression) => boolean): Mask | null {
  if (!filled) return null;
  if (filled.kind === 'text') return maskOfText(filled.pieces, isHidden);
  const parts = Object.entries(filled.parts).flatMap(([key, part]) => {
    const mask = maskOf(part, isHidden);
    return mask === null ? [] : [[key, mask] as const];
  });
  return parts.length === 0 ? null : { in: filled.kind, parts: Object.fromEntries(parts) };
}

/** The words of a text in which all values are hidden may be shown: its author has written them. */
function maskOfText(pieces: readonly TextPiece[], isHidden: (expression: Expression) => boolean): string | null {
  const expressions = pieces.filter((piece) => typeof piece !== 'string');
  const hidden = expressions.filter(isHidden);
  if (hidden.length === 0) return null;
  if (hidden.length < expressions.length) return REDACTED;
  return pieces.map((piece) => (typeof piece === 'string' ? piece : REDACTED)).join('');
}
