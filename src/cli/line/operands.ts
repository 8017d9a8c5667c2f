import { UsageError } from './command.ts';

/** The positional arguments of a command. */
export interface Operands<T> {
  /** Their placeholder in the help, such as `FILE…`. */
  readonly shown: string;
  /** @throws UsageError for too many or too few */
  read(command: string, given: readonly string[]): T;
}

export const NO_OPERANDS: Operands<null> = {
  shown: '',
  read(command, given) {
    if (given.length > 0) throw new UsageError(`${command} takes flags only`);
    return null;
  },
};

/** @param what a description for errors, such as `one file` */
export function oneOperand(shown: string, what: string): Operands<string> {
  return {
    shown,
    read(command, [first, ...more]) {
      if (first === undefined || more.length > 0) throw new UsageError(`${command} takes ${what}`);
      return first;
    },
  };
}

export function optionalOperand(shown: string, what: string): Operands<string | undefined> {
  return {
    shown: `[${shown}]`,
    read(command, [first, ...more]) {
      if (more.length > 0) throw new UsageError(`${command} takes ${what}`);
      return first;
    },
  };
}

export function someOperands(shown: string, what: string): Operands<readonly string[]> {
  return {
    shown: `${shown}…`,
    read(command, given) {
      if (given.length === 0) throw new UsageError(`${command} takes ${what}`);
      return given;
    },
  };
}

/** @param what a description for errors, such as `a run and a node` */
export function twoOperands(shown: string, what: string): Operands<readonly [first: string, second: string]> {
  return {
    shown,
    read(command, [first, second, ...more]) {
      if (first === undefined || second === undefined || more.length > 0)
        throw new UsageError(`${command} takes ${what}`);
      return [first, second];
    },
  };
}
