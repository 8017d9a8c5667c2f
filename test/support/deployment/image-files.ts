import { readFile } from '../readers/documentation.ts';

/** The content of an image, according to its Dockerfile. */
export interface ImageFiles {
  /** The project paths that its last stage copies, each to the same path below the working folder. */
  readonly copied: readonly string[];
  /** The environment variables of each process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The default command of a container. */
  readonly command: readonly string[];
  readonly user: string;
}

/** Reads the last stage of the Dockerfile. */
export function readImageFiles(): ImageFiles {
  const lines = (
    readFile('Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  ).split('\n');
  const of = (instruction: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []));
  const copied = of('COPY').flatMap((copy) => /\/app\/(\S+) \.\//.exec(copy)?.[1] ?? []);
  const command: unknown = JSON.parse(of('CMD')[0] ?? '[]');
  return {
    copied,
    environment: Object.fromEntries(of('ENV').map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? ''])),
    command: Array.isArray(command) ? command.map(String) : [],
    user: of('USER')[0] ?? 'root',
  };
}
