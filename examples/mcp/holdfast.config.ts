import { defineConfig } from 'holdfast';

export default defineConfig({
  mcpServers: {
    // A program of this machine, which speaks over its standard input and output.
    files: {
      command: 'node',
      args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '/srv/reports'],
      tools: { read_text_file: { effect: 'idempotent' }, list_directory: { effect: 'idempotent' } },
    },
    // A server somewhere else, which speaks streamable HTTP.
    crm: {
      url: 'https://crm.example/mcp',
      headers: { authorization: { secret: 'CRM_TOKEN' } },
      trusted: true,
      timeout: '20s',
    },
  },
});
