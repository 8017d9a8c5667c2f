import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readFile } from '../readers/documentation.ts';

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** The output and the exit code of a program. */
export interface ProgramOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A new project that has installed the package from its tarball, as from a registry. */
export interface InstalledPackage {
  readonly folder: string;
  readonly tarball: string;
  /** The paths of the files in the tarball. */
  readonly files: readonly string[];
  /** The size in bytes. */
  readonly size: number;
  /** Writes a file of the project. */
  write(path: string, text: string): Promise<void>;
  /** Installs packages in the versions of this repository. */
  addPackages(...names: readonly string[]): Promise<void>;
  /** Runs a program in the project. */
  run(program: string, ...args: readonly string[]): Promise<ProgramOutput>;
  /** Runs a program in a folder of the project. */
  runIn(path: string, program: string, ...args: readonly string[]): Promise<ProgramOutput>;
  remove(): Promise<void>;
}

const Packed = z.array(
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
);
const Versions = z.object({ devDependencies: z.record(z.string(), z.string()) });

/** Builds and packs the package, and installs it with nothing else. */
export async function installPackage(): Promise<InstalledPackage> {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', root], { cwd: PROJECT });
  const [packed] = Packed.parse(JSON.parse(stdout.slice(stdout.indexOf('[\n'))));
  if (!packed) throw new Error(`npm has packed nothing: ${stdout}`);
  const folder = join(root, 'project');
  const tarball = join(root, packed.filename);
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const install = async (...packages: readonly string[]): Promise<void> =>
    void (await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], { cwd: folder }));
  await write('package.json', '{ "name": "project", "version": "1.0.0", "type": "module" }');
  await install(tarball);
  const { devDependencies } = Versions.parse(JSON.parse(readFile('package.json')));
  return {
    folder,
    tarball,
    files: packed.files.map(({ path }) => path),
    size: packed.size,
    write,
    addPackages: async (...names) => await install(...names.map((name) => `${name}@${devDependencies[name]}`)),
    run: async (program, ...args) => await runIn(folder, program, { args, cwd: folder }),
    runIn: async (path, program, ...args) => await runIn(folder, program, { args, cwd: join(folder, path) }),
    remove: async () => await rm(root, { recursive: true, force: true }),
  };
}

const Failed = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

/**
 * Programs of the project take precedence over those of this repository, which take precedence over those of the
 * machine.
 */
async function runIn(
  folder: string,
  program: string,
  { args, cwd }: { readonly args: readonly string[]; readonly cwd: string },
): Promise<ProgramOutput> {
  const bins = [folder, PROJECT].map((project) => join(project, 'node_modules/.bin'));
  const env = { ...process.env, PATH: [...bins, process.env['PATH']].join(':'), HOLDFAST_WORKFLOW_BUNDLE: '' };
  try {
    return { code: 0, ...(await run(program, [...args], { cwd, env })) };
  } catch (error) {
    return Failed.parse(error);
  }
}
