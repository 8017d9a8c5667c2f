import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { main } from '../../../../src/cli/main.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';

const line = (level: number, msg: string): string => `${JSON.stringify({ level, time: 0, msg })}\n`;

test('`logs --follow` prints added lines until Ctrl-C', async () => {
  const folder = await createFolder();
  const file = await folder.write('a.log', line(30, 'begins') + line(30, 'goes on'));
  const interrupt = new AbortController();
  let said = '';
  const ended = main(['logs', '--follow', '--last', '1', '--level', 'warn', '--log-file', file], {
    env: {},
    stdout: { write: (text) => void (said += text) },
    stderr: { write: () => undefined },
    interrupted: () => interrupt.signal,
    continueWhenUnread: () => undefined,
  });
  await appendFile(file, line(30, 'not told') + line(40, 'a call failed'));
  await expect.poll(() => said).toContain('a call failed');
  interrupt.abort();
  expect({ code: await ended, said }).toEqual({ code: 0, said: '1970-01-01T00:00:00.000Z WARN  a call failed\n' });
  await folder.remove();
});

test('`logs --json` prints lines as they are', async () => {
  const folder = await createFolder();
  const file = await folder.write('a.log', line(30, 'begins') + line(50, 'ends'));
  const { stdout } = await holdfast(['logs', '--json', '--level', 'error', '--log-file', file]);
  expect(stdout).toBe(line(50, 'ends'));
  await folder.remove();
});

test('`logs` names a missing log file', async () => {
  const { code, stderr } = await holdfast(['logs', '--log-file', 'missing.log']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("missing.log can't be read: ENOENT") });
});
