import type { Command, ExitCodes } from './command.ts';

const WIDTH = 120;

/** The help of one command. */
export function commandHelp({ name, operands, about, flags, exits }: Command): string {
  const head = ['Usage: holdfast', name, operands, ...(Object.keys(flags).length > 0 ? ['[flags]'] : [])];
  const rows = Object.entries(flags).map(([flag, { about: what, ...rest }]) => {
    const value = 'value' in rest ? ` ${rest.value}` : '';
    const fallback = 'default' in rest && rest.default !== false ? ` (default: ${rest.default})` : '';
    return [`--${flag}${value}`, `${what}${fallback}`] as const;
  });
  const parts = [
    head.filter((word) => word !== '').join(' '),
    wrapText(about, WIDTH).join('\n'),
    ...(rows.length > 0 ? [alignTable(rows)] : []),
    wrapText(describeExits(exits), WIDTH).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** One sentence with all exit codes of a command. */
export function describeExits(exits: ExitCodes): string {
  const codes = Object.entries({ ...exits, 2: exits[2] ?? 'wrong usage' }).map(([code, what]) => `${code} ${what}`);
  return `Exit code: ${codes.join('; ')}.`;
}

/** The list of all commands, under the titles of their groups. */
export function commandOverview(groups: readonly (readonly [title: string, commands: readonly Command[]])[]): string {
  const width = Math.max(...groups.flatMap(([, commands]) => commands.map(({ name }) => name.length)));
  const sections = groups.map(([title, commands]) =>
    [title, ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join('\n'),
  );
  return `Usage: holdfast COMMAND [flags]

${sections.join('\n\n')}

"holdfast help COMMAND" tells what a command takes; "holdfast --version" prints the version.
Exit code: 0 done; 1 failed; 2 wrong usage; 6 the API can't be reached, or refuses. "run" has more.
`;
}

function alignTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 4;
  return rows
    .map(([flag, about]) => {
      const [first = '', ...more] = wrapText(about, WIDTH - width);
      return [`  ${flag}`.padEnd(width) + first, ...more.map((line) => ' '.repeat(width) + line)].join('\n');
    })
    .join('\n');
}

function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
