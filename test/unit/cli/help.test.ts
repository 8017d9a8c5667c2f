import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { holdfast } from '../../support/servers/command-line.ts';

describe('the help', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])(
    'the help of the CLI for %j lists each command with its summary',
    async (args) => {
      const { code, stdout } = await holdfast(args);
      expect(code).toBe(0);
      for (const { name, summary } of COMMANDS.values())
        expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    },
  );

  test.each([...COMMANDS.values()])(
    'the help of the CLI for the command $name lists its flags and exit codes',
    async ({ name, flags }) => {
      const { stdout } = await holdfast(['help', name]);
      expect(stdout).toMatch(new RegExp(`^Usage: holdfast ${name}`));
      for (const flag of Object.keys(flags)) expect(stdout).toContain(`\n  --${flag}`);
      expect(stdout).toMatch(/^Exit code: 0 [^;]+;.*2 wrong usage/m);
      expect(await holdfast([name, '--help'])).toMatchObject({ code: 0, stdout });
    },
  );

  test('the help of the CLI fits into 120 columns', async () => {
    const pages = await Promise.all([...COMMANDS.keys()].map(async (name) => await holdfast(['help', name])));
    const lines = pages.flatMap(({ stdout }) => stdout.split('\n'));
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  test.each([[['aprove']], [['help', 'aprove']]])('the CLI gives a hint for the unknown command %j', async (args) => {
    const message = 'holdfast: There is no command "aprove". Did you mean "approve"? See holdfast --help\n';
    expect(await holdfast(args)).toEqual({ code: 2, stdout: '', stderr: message });
  });

  test('the help of the CLI has the version of the package', async () => {
    expect((await holdfast(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
