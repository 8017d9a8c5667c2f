import process from 'node:process';
import { Worker } from 'node:worker_threads';

/** A thread runs this even while the main thread is busy. A child whose parent has ended gets another parent. */
const WATCH = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1_000);
`;

/** Ends this process when its parent ends, even if its main thread is busy. */
export function endWithParent(): void {
  new Worker(WATCH, { eval: true, workerData: process.ppid }).unref();
}
