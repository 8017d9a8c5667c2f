import { describe, expect, test } from 'vitest';
import { readWorkerDeployment } from '../../../src/workers/worker-deployment.ts';

const named = { TEMPORAL_DEPLOYMENT_NAME: 'holdfast', TEMPORAL_WORKER_BUILD_ID: '2026-11-22' };

describe('readWorkerDeployment', () => {
  test('pins runs to the version that the environment names', () => {
    expect(readWorkerDeployment(named)).toEqual({
      useWorkerVersioning: true,
      version: { deploymentName: 'holdfast', buildId: '2026-11-22' },
      defaultVersioningBehavior: 'PINNED',
    });
  });

  test.each([{}, { TEMPORAL_DEPLOYMENT_NAME: '', TEMPORAL_WORKER_BUILD_ID: '' }])('knows no version in %j', (env) => {
    expect(readWorkerDeployment(env)).toBeNull();
  });

  test.each(Object.keys(named))('refuses one that lacks %s', (name) => {
    expect(() => readWorkerDeployment({ ...named, [name]: undefined })).toThrow('go together');
  });
});
