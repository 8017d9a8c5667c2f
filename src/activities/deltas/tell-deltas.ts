import type { Logger } from 'pino';
import type { Deltas } from '../../store/deltas/deltas.ts';
import type { TellDeltas } from './open-deltas.ts';

/** Publishes deltas without waiting. That they can't be told is logged once, and costs no call its result. */
export function createTellDeltas({ publish }: Pick<Deltas, 'publish'>, logger: Pick<Logger, 'warn'>): TellDeltas {
  let hasFailed = false;
  return (runId, deltas) => {
    publish(runId, deltas).catch((error: unknown) => {
      if (!hasFailed) logger.warn({ error }, 'what models say can not be told while they say it');
      hasFailed = true;
    });
  };
}
