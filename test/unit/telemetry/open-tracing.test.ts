import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Asks a process of its own which packages it has loaded once it has opened tracing. */
async function loadedWith(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const program = `
    const { createRequire } = await import('node:module');
    const { openTelemetry } = await import('./src/telemetry/open-telemetry.ts');
    await import('./src/activities/index.ts');
    const telemetry = await openTelemetry(process.env, { service: 'holdfast', report: () => undefined });
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));
    await telemetry.close();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', program],
    { cwd: root, env: { PATH: process.env['PATH'], ...environment }, maxBuffer: 100_000_000 },
  );
  const files: unknown = JSON.parse(stdout);
  return (Array.isArray(files) ? files : []).flatMap(
    (file) => /@opentelemetry\/[\w-]+/.exec(String(file))?.slice(0, 1) ?? [],
  );
}

test('the OpenTelemetry SDK is not loaded without an exporter of spans', async () => {
  const loaded = await loadedWith({});
  expect(loaded).toContain('@opentelemetry/api');
  expect(loaded.filter((name) => /sdk-trace|exporter-trace|context-async/.test(name))).toEqual([]);
});

test('the OpenTelemetry SDK is loaded with an exporter of spans', async () => {
  const loaded = await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect(loaded).toContain('@opentelemetry/exporter-trace-otlp-proto');
});
