import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';

const BYTES = 32;

/**
 * Opens the secret that signs cursors.
 * @param file created with a random secret if it is missing; readable by its owner alone
 */
export async function openCursorSecret(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.length >= BYTES) return kept;
  const made = randomBytes(BYTES).toString('base64url');
  await writeFile(file, made, { mode: 0o600 });
  await chmod(file, 0o600);
  return made;
}
