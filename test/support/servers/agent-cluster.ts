import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import { startLoopbackServer } from '../doubles/loopback-server.ts';
import type { LoopbackServer } from '../doubles/loopback-server.ts';
import { startCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';

/** A cluster with the tools of `agents.config.ts`, and the third parties that its runs call. */
export interface AgentCluster {
  readonly model: LoopbackServer;
  readonly service: JobService;
  readonly cluster: Cluster;
  stop(): Promise<void>;
}

export async function startAgentCluster(): Promise<AgentCluster> {
  const model = await startLoopbackServer();
  const service = await startJobService();
  const environment = { AGENT_MODEL_URL: `${model.url}/v1`, AGENT_TOOLS_URL: service.url };
  const cluster = await startCluster({ config: new URL('agents.config.ts', import.meta.url), environment });
  return {
    model,
    service,
    cluster,
    async stop() {
      await cluster.stop();
      await service.stop();
      await model.stop();
    },
  };
}
