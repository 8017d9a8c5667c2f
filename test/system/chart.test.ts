import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { at, textAt } from '../support/readers/json-at.ts';

/* Renders the chart with Helm itself: `helm` on the PATH, or one built with Go. */

const run = promisify(execFile);
const CHART = 'deploy/helm/holdfast';
/** A Helm that is built with Go assumes a very old version by default. */
const KUBERNETES = '1.31.0';
const PROGRAMS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['helm'],
  ['go', 'run', 'helm.sh/helm/v3/cmd/helm@v3.19.5'],
];

let found: (typeof PROGRAMS)[number] | null = null;
beforeAll(async () => {
  for (const [program, ...args] of PROGRAMS)
    found ??= await run(program, [...args, 'version']).then(
      () => [program, ...args] as const,
      () => null,
    );
}, 1_800_000);

async function helm(...args: readonly string[]): Promise<string> {
  if (!found) throw new Error('This needs helm on the PATH, or Go and a module proxy');
  const [program, ...first] = found;
  return (await run(program, [...first, ...args])).stdout;
}

/** The resources of an installation, by kind and name. */
async function render(...settings: readonly string[]): Promise<ReadonlyMap<string, Json>> {
  const set = settings.flatMap((setting) => ['--set', setting]);
  const text = await helm('template', 'holdfast', CHART, '--kube-version', KUBERNETES, ...set);
  const manifests = parseAllDocuments(text).map((document) => toJson(document.toJS()));
  return new Map(manifests.map((each) => [`${textAt(each, '/kind')} ${textAt(each, '/metadata/name')}`, each]));
}

const CLOUD = [
  'temporal.apiKey.secretName=cloud',
  'temporal.address=eu.api.temporal.io:7233',
  'temporal.namespace=a.b',
];
const SCALED = ['worker.autoscaling.enabled=true', 'worker.taskQueues={holdfast,slow}'];

describe('the chart', () => {
  test('the Helm chart passes helm lint', async () => {
    expect(await helm('lint', '--strict', CHART)).toContain('0 chart(s) failed');
  });

  test('the Helm chart renders only the parts of Holdfast', async () => {
    expect([...(await render()).keys()].toSorted()).toEqual([
      'Deployment holdfast-api',
      'Deployment holdfast-worker',
      'Job holdfast-setup',
      'PodDisruptionBudget holdfast-api',
      'PodDisruptionBudget holdfast-worker',
      'Service holdfast-api',
    ]);
  });

  test('the Helm chart selects the pods that it creates', async () => {
    const made = await render();
    for (const part of ['api', 'worker']) {
      const deployment = made.get(`Deployment holdfast-${part}`) ?? null;
      const wanted = at(deployment, '/spec/selector/matchLabels');
      expect(at(deployment, '/spec/template/metadata/labels')).toMatchObject({ ...Object(wanted) });
      expect(at(made.get(`PodDisruptionBudget holdfast-${part}`) ?? null, '/spec/selector/matchLabels')).toEqual(
        wanted,
      );
    }
    const service = made.get('Service holdfast-api') ?? null;
    expect(at(service, '/spec/selector')).toMatchObject({ 'app.kubernetes.io/component': 'api' });
  });

  test('the Helm chart connects to Temporal Cloud with the API key of a secret, also in the scaler', async () => {
    const made = await render(...CLOUD, ...SCALED);
    const key = { secretKeyRef: { name: 'cloud', key: 'api-key' } };
    for (const name of ['Job holdfast-setup', 'Deployment holdfast-api', 'Deployment holdfast-worker'])
      expect(at(made.get(name) ?? null, '/spec/template/spec/containers/0/env')).toEqual(
        expect.arrayContaining([
          { name: 'TEMPORAL_ADDRESS', value: 'eu.api.temporal.io:7233' },
          { name: 'TEMPORAL_API_KEY', valueFrom: key },
        ]),
      );
    const parameters = [{ parameter: 'apiKey', name: 'cloud', key: 'api-key' }];
    expect(at(made.get('TriggerAuthentication holdfast-temporal') ?? null, '/spec/secretTargetRef')).toEqual(
      parameters,
    );
  });

  test('the Helm chart scales workers by the backlog of each task queue, without a fixed number of replicas', async () => {
    const made = await render(...SCALED);
    const trigger = (taskQueue: string) => ({ type: 'temporal', metadata: expect.objectContaining({ taskQueue }) });
    expect(at(made.get('ScaledObject holdfast-worker') ?? null, '/spec/triggers')).toEqual([
      trigger('holdfast'),
      trigger('slow'),
    ]);
    expect(at(made.get('Deployment holdfast-worker') ?? null, '/spec/replicas')).toBeUndefined();
    expect(made.has('TriggerAuthentication holdfast-temporal')).toBe(false);
  });

  test('the Helm chart mounts certificates at the paths of the variables', async () => {
    const made = await render('temporal.tls.secretName=tls', 'temporal.tls.hasServerCa=true', ...SCALED);
    const pod = at(made.get('Deployment holdfast-worker') ?? null, '/spec/template/spec') ?? null;
    const path = '/etc/temporal-tls';
    expect(at(pod, '/containers/0/volumeMounts/1')).toEqual({ name: 'temporal-tls', mountPath: path, readOnly: true });
    expect(at(pod, '/volumes/1')).toEqual({ name: 'temporal-tls', secret: { secretName: 'tls' } });
    expect(at(pod, '/containers/0/env')).toEqual(
      expect.arrayContaining([
        { name: 'TEMPORAL_TLS_CLIENT_CERT_PATH', value: `${path}/tls.crt` },
        { name: 'TEMPORAL_TLS_CLIENT_KEY_PATH', value: `${path}/tls.key` },
        { name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH', value: `${path}/ca.crt` },
      ]),
    );
  });

  test('the Helm chart refuses unknown values', async () => {
    await expect(render('workers.replicas=3')).rejects.toThrow(/workers/);
  });
});
