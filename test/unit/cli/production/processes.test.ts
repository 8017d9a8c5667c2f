import { describe, expect, test } from 'vitest';
import { holdfast } from '../../../support/servers/command-line.ts';

describe.each(['dev', 'start', 'worker', 'api'])('the command %s', (command) => {
  test('a command that starts processes prints its usage', async () => {
    const { code, stdout } = await holdfast([command, '--help']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`Usage: holdfast ${command} [flags]`),
    });
  });

  test.each([
    [['graph.json'], `holdfast: ${command} takes flags only\n`],
    [['--unknown', 'x'], 'holdfast: There is no flag "--unknown".'],
  ])('a command that starts processes refuses the arguments %j', async (args, message) => {
    expect(await holdfast([command, ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

test('`start` accepts only valid port numbers', async () => {
  expect(await holdfast(['start', '--ui-port', '65536'])).toMatchObject({
    code: 2,
    stderr: 'holdfast: --ui-port takes a port number, not "65536"\n',
  });
});
