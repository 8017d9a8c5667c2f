import { spawn } from 'node:child_process';

/**
 * Ends a detached process when this one has ended, also by SIGKILL: a shell waits for the other end of its pipe to
 * close.
 * @returns a function that stops the watch
 */
export function endWhenOrphaned(pid: number): () => void {
  const watcher = spawn('sh', ['-c', 'read -r line; kill -KILL "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  return () => void watcher.kill('SIGKILL');
}
