import type { parseArgs } from 'node:util';

export interface TextFlag {
  readonly type: 'string';
  /** The placeholder of its value in the help. */
  readonly value: string;
  readonly about: string;
}

export interface TextFlagWithDefault extends TextFlag {
  readonly default: string;
}

export interface SwitchFlag {
  readonly type: 'boolean';
  readonly default: false;
  readonly about: string;
}

/** The flags of a command, by their names without dashes. */
export type Flags = Readonly<Record<string, TextFlag | TextFlagWithDefault | SwitchFlag>>;

/** The parsed values of flags and operands. */
export type ParsedFlags<F extends Flags> = ReturnType<
  typeof parseArgs<{ args: string[]; options: F; allowPositionals: true; strict: true }>
>;

/** The values of flags; a text without a default may be `undefined`. */
export type FlagValues<F extends Flags> = ParsedFlags<F>['values'];

export function textFlag(value: string, about: string): TextFlag {
  return { type: 'string', value, about };
}

export function textFlagOr(fallback: string, value: string, about: string): TextFlagWithDefault {
  return { type: 'string', value, about, default: fallback };
}

/** A flag without a value. */
export function switchFlag(about: string): SwitchFlag {
  return { type: 'boolean', default: false, about };
}
