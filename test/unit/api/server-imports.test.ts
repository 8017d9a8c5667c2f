import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const VALUE_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;]*?from\s+)?'([^']+)';/gm;

/** Lists everything that a module loads at its start: files by path, and packages by name. */
function loadedBy(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(VALUE_IMPORT)) {
    if (name.startsWith('.')) loadedBy(join(dirname(file), name), loaded);
    else loaded.add(name);
  }
  return loaded;
}

const loaded = [...loadedBy('src/api/server.ts')];

test('the API process loads the modules that it needs for its answers', () => {
  expect(loaded).toEqual(
    expect.arrayContaining(['hono', 'kysely', '@temporalio/client', 'src/graph/advance/advance.ts']),
  );
});

test.each([
  ['of a model provider', /^@ai-sdk\/|^ai$|^gpt-tokenizer/],
  ['of an MCP client', /^@modelcontextprotocol\//],
  ['for HTTP requests of tools', /^undici|^ipaddr\.js/],
  ['for workers', /^@temporalio\/(?:worker|activity|workflow)/],
  [
    'of a model, a tool, a call or a request',
    /^src\/(?:network\/(?!network-error|retry-after)|activities\/(?:models\/|calls\/call-|tools\/(?:http|mcp|code)))/,
  ],
])('the API process loads no module %s', (_what, names) => {
  const needed = loaded.filter((name) => names.test(name) && name !== 'src/activities/calls/call-error.ts');
  expect(needed).toEqual([]);
});
