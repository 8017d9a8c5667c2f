import { CallError, defineTool } from 'holdfast';
import { z } from 'zod';

/* A platform with its services in memory. */

const running = new Map([
  ['shop', '1.8.0'],
  ['search', '0.9.1'],
]);

const release = z.object({ service: z.string(), version: z.string() });

export const runTests = defineTool({
  name: 'run_tests',
  description: 'Runs the tests of a version.',
  parameters: release,
  effect: 'idempotent',
  execute: ({ version }) => ({ passed: 212, failed: version.endsWith('-rc') ? 3 : 0 }),
});

export const scanImage = defineTool({
  name: 'scan_image',
  description: 'Looks for known vulnerabilities in the image of a version.',
  parameters: release,
  effect: 'idempotent',
  execute: () => ({ critical: 0, minor: 4 }),
});

/** The platform knows no keys: a deployment whose outcome is unknown is looked at by a person. */
export const deploy = defineTool({
  name: 'deploy',
  description: 'Gives a part of the traffic to a version.',
  parameters: release.extend({ percent: z.int().min(1).max(100) }),
  effect: 'unsafe',
  timeout: '10m',
  execute({ service, version, percent }) {
    const previous = running.get(service) ?? null;
    running.set(service, version);
    return { previous, version, percent };
  },
});

export const rollBack = defineTool({
  name: 'roll_back',
  description: 'Gives all of the traffic to an earlier version.',
  parameters: z.object({ service: z.string(), to: z.string().nullable() }),
  effect: 'idempotent',
  execute({ service, to }) {
    if (to !== null) running.set(service, to);
    return { running: to };
  },
});

/** Version 2.0.0 of everything is broken. */
export const checkHealth = defineTool({
  name: 'check_health',
  description: 'Says if a service answers as it should.',
  parameters: z.object({ service: z.string() }),
  effect: 'idempotent',
  execute({ service }) {
    if (running.get(service) === '2.0.0')
      throw new CallError('TOOL_FAILED', `${service} answers with errors`, { retryable: true, done: 'no' });
    return { healthy: true };
  },
});

const posted = new Set<string>();

/** The chat takes a key, so that a message which is sent again is there once. */
export const postMessage = defineTool({
  name: 'post_message',
  description: 'Posts a message to a channel of the chat.',
  parameters: z.object({ channel: z.string(), text: z.string() }),
  effect: 'keyed',
  execute(_, { key }) {
    posted.add(key);
    return { posted: posted.size };
  },
});
