import { COMMAND_GROUPS } from '../../src/cli/commands.ts';
import type { Command } from '../../src/cli/line/command.ts';
import { describeExits } from '../../src/cli/line/help.ts';
import { code, codeBlock, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';

export const commandsPage: Page = {
  name: 'commands',
  title: 'Commands',
  summary: 'Every command of `holdfast`: what it takes, and its exit codes.',
  render: () =>
    paragraphs(
      '[The command line](../cli.md) shows them at work. `holdfast help COMMAND` says the same as this page.',
      ...COMMAND_GROUPS.flatMap(([title, commands]) => [`## ${title}`, ...commands.map(describe)]),
    ),
};

function describe({ name, operands, about, flags, exits }: Command): string {
  const rows = Object.entries(flags).map(([flag, { about: meaning, ...rest }]) => [
    code('value' in rest ? `--${flag} ${rest.value}` : `--${flag}`),
    meaning,
    'default' in rest && rest.default !== false ? code(rest.default) : '',
  ]);
  return paragraphs(
    `### ${name}`,
    codeBlock('sh', ['holdfast', name, operands].filter((word) => word !== '').join(' ')),
    about.replaceAll(/\s+/g, ' '),
    rows.length > 0 ? table(['flag', 'meaning', 'default'], rows) : '',
    describeExits(exits),
  );
}
