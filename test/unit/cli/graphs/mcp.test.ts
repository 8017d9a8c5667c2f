import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ODD_PROGRAM } from '../../../support/doubles/mcp-tools.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => {
  await folder.remove();
});

const Printed = z.object({ odd: z.object({ tools: z.record(z.string(), z.unknown()) }) });

describe('the command mcp', () => {
  test('`mcp` prints effects and hashes of MCP tools that can be copied into the configuration', async () => {
    const given = await folder.write('given.json', { mcpServers: { odd: { ...ODD_PROGRAM, trusted: true } } });
    const first = await holdfast(['mcp', '--config', given]);
    expect(first.code).toBe(0);
    const { odd } = Printed.parse(JSON.parse(first.stdout));
    expect(odd.tools).toMatchObject({
      echo: { effect: 'idempotent', pin: expect.stringMatching(/^sha256:/) },
      typed: { effect: 'unsafe' },
    });
    const pinned = await folder.write('pinned.json', { mcpServers: { odd: { ...ODD_PROGRAM, ...odd } } });
    const second = await holdfast(['mcp', '--config', pinned]);
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(second.stderr).toContain('\n  echo (idempotent, pinned)\n    Says it again\n    takes {\n');
  });

  test('`mcp` reports changed MCP tools, tools that are not offered, and problems', async () => {
    const pin = `sha256:${'0'.repeat(64)}`;
    const mcpServers = {
      odd: { ...ODD_PROGRAM, tools: { echo: { pin }, eco: {} } },
      gone: { command: '/nowhere/server' },
    };
    const { code, stdout, stderr } = await holdfast([
      'mcp',
      '--config',
      await folder.write('wrong.json', { mcpServers }),
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ odd: { tools: { slow: { effect: 'unsafe' } } }, gone: { tools: {} } });
    expect(stderr).toContain('  ! it has no tool "eco". Did you mean "echo"?\n');
    expect(stderr).toContain('  echo (unsafe, changed since it was pinned)\n');
    expect(stderr).toContain('  slow (unsafe, not offered)\n');
    expect(stderr).toContain("gone: 0 tools\n  ! The server can't be reached: spawn /nowhere/server ENOENT\n");
  });

  test('`mcp` refuses file arguments', async () => {
    expect(await holdfast(['mcp', 'graph.json'])).toMatchObject({
      code: 2,
      stderr: 'holdfast: mcp takes flags only\n',
    });
  });
});

describe('the command validate', () => {
  test('`validate` checks names against the tools of MCP servers', async () => {
    const config = await folder.write('config.json', { mcpServers: { odd: ODD_PROGRAM } });
    const graph = await folder.write('graph.json', {
      name: 'g',
      channels: { log: {} },
      nodes: { a: { type: 'tool', tool: 'odd.eco', write: 'log' } },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', to: '__end__' },
      ],
    });
    const { stdout } = await holdfast(['validate', '--config', config, graph]);
    expect(stdout).toContain('Did you mean "odd.echo"?');
  });
});
