/* The entry of a thread of the pool; what it is given when it starts is the installation's catalog. */
import { workerData } from 'piscina';
import { doJob } from './do-job.ts';

export const doAssigned = doJob.bind(null, workerData);

/** Is done once the thread has read its code. */
export const ready = (): null => null;
