import { join, resolve } from 'node:path';
import { readTemporalTarget } from '../process/temporal.ts';
import type { TemporalTarget } from '../process/temporal.ts';
import { choosePort, retryIfPortTaken } from './ports.ts';
import type { Teardown } from './teardown.ts';
import { provideTemporal } from './temporal-executable.ts';
import { startTemporalServer, stopOrphanOf } from './temporal-server.ts';

export interface StackTemporal extends TemporalTarget {
  /** Empty if nothing says where the Web UI is. */
  readonly uiUrl: string;
}

export interface TemporalOptions {
  readonly dataDir: string;
  readonly temporalPort?: number | undefined;
  readonly uiPort?: number | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Receives a line before each slow step. */
  readonly say: (line: string) => void;
}

/** What becomes of a part after it has been opened. */
export interface Fate {
  /** Is told when the part has ended, though nobody has asked it to. */
  readonly onLost: (error: Error) => void;
}

/** Finds the Temporal server that the environment names, or starts one whose state is in the data folder. */
export async function openTemporal(
  { environment, dataDir, temporalPort, uiPort, say, onLost }: TemporalOptions & Fate,
  teardown: Teardown,
): Promise<StackTemporal> {
  const { TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_UI_URL = '' } = environment;
  if (TEMPORAL_ADDRESS || TEMPORAL_PROFILE) return { ...readTemporalTarget(environment), uiUrl: TEMPORAL_UI_URL };
  const executable = await provideTemporal(environment, say);
  const databaseFile = resolve(dataDir, 'temporal.db');
  await stopOrphanOf(databaseFile);
  const server = await retryIfPortTaken(
    async () =>
      await startTemporalServer({
        executable,
        port: await choosePort('Temporal', temporalPort, 7233),
        uiPort: await choosePort('the Temporal Web UI', uiPort, 8233),
        databaseFile,
        logFile: join(dataDir, 'temporal.log'),
        onLost,
      }),
  );
  teardown.add(() => server.stop());
  return { options: { address: server.address }, namespace: 'default', uiUrl: server.uiUrl };
}
