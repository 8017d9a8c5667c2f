import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { expect, test } from 'vitest';

const MODULE = new URL('../../../../src/workers/workflow-process/end-with-parent.ts', import.meta.url).href;
const BUSY = `import('${MODULE}').then(({ endWithParent }) => {
  endWithParent();
  process.stdout.write('busy');
  for (;;);
})`;

test('a workflow process in an endless loop ends when its parent is killed', async () => {
  const script = '"$0" --import tsx --eval "$1" & wait';
  const parent = spawn('sh', ['-c', script, process.execPath, BUSY], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(parent.stdout, 'data');
  expect(String(said)).toBe('busy');
  parent.kill('SIGKILL');
  // The pipe closes when the last process that writes to it has ended.
  await once(parent.stdout, 'close');
});
