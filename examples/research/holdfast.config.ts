import { fileURLToPath } from 'node:url';
import { defineConfig } from 'holdfast';

const library = fileURLToPath(new URL('library', import.meta.url));
const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

export default defineConfig({
  models: { default: { provider: 'openai', model: 'gpt-5-mini', apiKey: { secret: 'OPENAI_API_KEY' } } },
  mcpServers: {
    notes: {
      command: 'node',
      args: [server, library],
      cwd: library,
      tools: { list_directory: { effect: 'idempotent' }, read_text_file: { effect: 'idempotent' } },
    },
  },
});
