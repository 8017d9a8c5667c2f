import type { Environment } from '@marcbachmann/cel-js';

/** JSON numbers are CEL doubles and literals CEL integers; these operators, and division, make them one kind of number. */
const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': remainder,
};

const MIXED = [
  ['double', 'int'],
  ['int', 'double'],
] as const;

export function registerNumbers(environment: Environment): void {
  for (const [operator, apply] of Object.entries(OPERATORS)) {
    for (const [left, right] of MIXED) {
      environment.registerOperator(`${left} ${operator} ${right}: double`, (a: number | bigint, b: number | bigint) =>
        apply(Number(a), Number(b)),
      );
    }
  }
  environment.registerOperator('double % double: double', remainder);
}

function remainder(a: number, b: number): number {
  if (b === 0) throw new RangeError('modulo by zero');
  return a % b;
}
