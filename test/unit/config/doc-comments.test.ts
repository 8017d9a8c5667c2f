import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MODEL, TOOL, TOP } from '../../../reference/texts/configuration.ts';

const FOLDER = new URL('../../../src/config/', import.meta.url);
const source = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'))
  .join('\n');

/* Comments in zod schemas are lost in the types of the package, so the comments of interfaces matter. */

test.each(Object.entries({ TOP, MODEL, TOOL }))(
  'every configuration field of %s has a doc comment, which editors show',
  (_, texts) => {
    const without = Object.keys(texts).filter(
      (name) => !new RegExp(String.raw`\*/\n +(?:readonly )?${name}\??: (?!z\.)`).test(source),
    );
    expect(without).toEqual([]);
  },
);
