import { describe, expect, test } from 'vitest';
import { loadConfig, parseConfig } from '../../../src/config/load-config.ts';

const tool = {
  name: 'pay',
  description: 'Pays',
  parameters: { type: 'object' },
  method: 'POST',
  url: 'https://pay.example/refunds/{{ args.order }}',
};
const model = { provider: 'openai', model: 'gpt-x' };

describe('a configuration', () => {
  test('a configuration is completed with defaults', () => {
    expect(parseConfig('here', { tools: [tool] })).toMatchObject({
      tools: [{ name: 'pay', effect: 'unsafe' }],
      models: {},
      memory: {},
      http: { allow: [] },
      webhooks: { allow: [] },
      defaults: { maxSteps: 25, retry: { maxAttempts: 5 } },
    });
  });

  test('a configuration accepts a complete policy for the approvals of a tool', () => {
    const policy = {
      roles: ['admin'],
      quorum: 2,
      excludeRequester: true,
      escalate: [{ after: '1h', roles: ['boss'] }],
    };
    const approval = { when: 'args.amount > 100', policy, timeout: '2d' };
    expect(parseConfig('here', { tools: [{ ...tool, approval }] })).toMatchObject({ tools: [{ approval }] });
    expect(parseConfig('here', { tools: [{ ...tool, approval: { policy } }] })).toMatchObject({
      tools: [{ approval: { policy } }],
    });
  });

  test('a configuration accepts local tools that are idempotent and short', () => {
    const local = { execution: 'local', effect: 'idempotent', timeout: '10s' };
    expect(parseConfig('here', { tools: [{ ...tool, ...local }] })).toMatchObject({ tools: [local] });
    const mcpServers = { odd: { command: 'odd', tools: { say: local } } };
    expect(parseConfig('here', { mcpServers })).toMatchObject({ mcpServers });
  });

  test.each<[string, object]>([
    ['an HTTP tool', tool],
    ['a code tool', { name: 'pay', description: 'Pays', execute: () => null }],
  ])('a configuration error names the tool and the path inside of its schema: %s', (_kind, of) => {
    const deep = { type: 'object', properties: { a: { properties: { b: { type: 'thing' } } } } };
    expect(() => parseConfig('here', { tools: [tool, { ...of, name: 'deep', parameters: deep }] })).toThrow(
      /\/tools\/1\/parameters\/properties\/a\/properties\/b\/type: .*\(tool "deep"\)/,
    );
  });

  test('a configuration refuses "nullable" of OpenAPI 3.0 in a schema, but not as a name or as data', () => {
    const parameters = (price: object) => ({ tools: [{ ...tool, parameters: { properties: { price } } }] });
    expect(() => parseConfig('here', parameters({ type: 'number', nullable: true }))).toThrow(
      /\/tools\/0\/parameters\/properties\/price: "nullable" is a keyword of OpenAPI 3.0/,
    );
    const named = { properties: { nullable: true }, default: { nullable: true } };
    expect(parseConfig('here', parameters(named))).toMatchObject(parameters(named));
  });

  test.each<[string, object, RegExp]>([
    [
      'a local tool that is keyed',
      { tools: [{ ...tool, effect: 'keyed', timeout: '1s', execution: 'local' }] },
      /\/tools\/0\/execution: may be "local" only with effect "idempotent"/,
    ],
    [
      'a local tool that may take long',
      { tools: [{ ...tool, effect: 'idempotent', timeout: '11s', execution: 'local' }] },
      /\/tools\/0\/execution/,
    ],
    [
      'a local tool of a server whose hints decide',
      { mcpServers: { odd: { command: 'odd', tools: { say: { timeout: '1s', execution: 'local' } } } } },
      /\/mcpServers\/odd\/tools\/say\/execution/,
    ],
    [
      'an approval with an empty condition',
      { tools: [{ ...tool, approval: { when: 'args.' } }] },
      /\/tools\/0\/approval.*must be CEL/s,
    ],
    [
      'an approval with a quorum of 0',
      { tools: [{ ...tool, approval: { policy: { quorum: 0 } } }] },
      /\/approval\/policy\/quorum/,
    ],
    [
      'an approval with a timeout of zero',
      { tools: [{ ...tool, approval: { timeout: '0s' } }] },
      /\/approval\/timeout: "0s" leaves no time/,
    ],
    ['an unknown approval setting', { tools: [{ ...tool, approval: 'sometimes' }] }, /\/tools\/0\/approval/],
    ['an unknown field', { model: {} }, /"model"/],
    ...[
      '*',
      'https://*.example',
      'null',
      'https://a.example/',
      'https://a.example:443',
      'a.example',
      'ftp://a.example',
    ].map((origin): [string, object, RegExp] => [
      `the origin ${origin} of pages`,
      { http: { cors: { origins: ['https://b.example', origin] } } },
      /\/http\/cors\/origins\/1: must be an origin as browsers send it, such as https:\/\/app.example/,
    ]),
    ['no origin of pages', { http: { cors: { origins: [] } } }, /\/http\/cors\/origins/],
    [
      'a wrong time to remember origins',
      { http: { cors: { origins: ['https://a.example'], maxAge: '1x' } } },
      /\/http\/cors\/maxAge/,
    ],
    ['a default time-out of zero', { defaults: { timeout: '0s' } }, /\/defaults\/timeout: "0s" leaves no time/],
    [
      'a tool’s time-out of zero',
      { tools: [{ ...tool, timeout: '0ms' }] },
      /\/tools\/0\/timeout: "0ms" leaves no time/,
    ],
    ['a shutdown grace that is too long for a timer', { shutdownGrace: '25d' }, /\/shutdownGrace: "25d" is over 24d/],
    [
      'a heartbeat interval that is too long for a timer',
      { defaults: { heartbeatTimeout: '100d' } },
      /\/defaults\/heartbeatTimeout: "100d" is over 24d/,
    ],
    [
      'a time limit for embeddings that is too long for a timer',
      { memory: { embeddings: { ...model, dimensions: 3, timeout: '30d' } } },
      /"30d" is over 24d/,
    ],
    ['a tool without an address', { tools: [{ ...tool, url: undefined }] }, /\/tools\/0\/url/],
    ['an invalid address', { tools: [{ ...tool, url: 'ftp://x' }] }, /\/tools\/0\/url: must begin with http/],
    ['an address with an unclosed template', { tools: [{ ...tool, url: 'https://x/{{ args.' }] }, /\/tools\/0\/url: /],
    [
      'an address whose template reads an unknown name',
      { tools: [{ ...tool, url: 'https://x/{{ state.a }}' }] },
      /\/url: /,
    ],
    [
      'parameters that are no JSON schema',
      { tools: [{ ...tool, parameters: { type: 'thing' } }] },
      /\/tools\/0\/parameters/,
    ],
    [
      'the name of a built-in tool',
      { tools: [{ ...tool, name: 'memory_save' }] },
      /\/tools\/0\/name: "memory_save" is/,
    ],
    ['two tools with one name', { tools: [tool, tool] }, /\/tools\/1\/name: another tool is named "pay"/],
    ['a code tool without code', { tools: [{ ...tool, execute: 'rm' }] }, /\/tools\/0\/execute: must be a function/],
    [
      'an invalid duration',
      { tools: [{ ...tool, timeout: '10 parsecs' }] },
      /\/tools\/0\/timeout: "10 parsecs" is no duration/,
    ],
    [
      'a model of an unknown provider',
      { models: { m: { provider: 'openai-compatible', model: 'x' } } },
      /\/models\/m\/baseUrl/,
    ],
    [
      'an embedding model of an unknown provider',
      { memory: { embeddings: { provider: 'openai-compatible', model: 'x', dimensions: 3 } } },
      /\/memory\/embeddings\/baseUrl: must say where/,
    ],
    [
      'an invalid embedding model',
      { memory: { embeddings: { provider: 'anthropic', model: 'x', size: 1 } } },
      /\/memory\/embeddings\/provider[^]*\/memory\/embeddings\/dimensions[^]*size/,
    ],
    ['an unknown provider', { models: { m: { provider: 'oracle', model: 'x' } } }, /\/models\/m\/provider/],
    ['a host without a port', { http: { allow: ['localhost'] } }, /\/http\/allow\/0: must be host:port/],
    [
      'a host of webhooks without a port',
      { webhooks: { allow: ['localhost'] } },
      /\/webhooks\/allow\/0: must be host:port/,
    ],
    ['an unknown token counter', { models: { m: { ...model, tokenCounter: 'mine' } } }, /\/models\/m\/tokenCounter/],
    [
      'a message processor with a built-in name',
      { messageProcessors: { last: () => [] } },
      /\/messageProcessors\/last: is the name of a built-in/,
    ],
    ['token issuer keys that are no URL', { auth: { issuer: 'x', audience: 'y', jwksUrl: 'z' } }, /\/auth\/jwksUrl/],
  ])('a configuration with %s is refused, with the path', (_what, given, message) => {
    expect(() => parseConfig('here', given)).toThrow(/^here can't be used:/);
    expect(() => parseConfig('here', given)).toThrow(message);
  });

  test('a configuration with several mistakes is refused with all of them', () => {
    const given = { models: { m: {} }, tools: [{ ...tool, effect: 'harmless' }], http: { allow: ['x'] } };
    expect(() => parseConfig('here', given)).toThrow(/\/models\/m\/provider[^]*\/tools\/0\/effect[^]*\/http\/allow\/0/);
  });

  test('a missing configuration file is refused, with the paths that were tried', async () => {
    await expect(loadConfig('nowhere/holdfast.config.json')).rejects.toThrow(/nowhere\/holdfast\.config\.json/);
  });
});
