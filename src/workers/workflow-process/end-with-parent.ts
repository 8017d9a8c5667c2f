import process from 'node:process';
import { Worker } from 'node:worker_threads';

/** The thread runs this also while code keeps the main thread busy; a child whose parent is gone gets another parent. */
const WATCH = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1_000);
`;

/** Ends this process with its parent, whatever this process does at that time. */
export function endWithParent(): void {
  new Worker(WATCH, { eval: true, workerData: process.ppid }).unref();
}
