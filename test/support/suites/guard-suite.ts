import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NetworkError } from '../../../src/network/network-error.ts';
import { answer } from '../doubles/loopback-server.ts';
import type { LoopbackServer } from '../doubles/loopback-server.ts';

/** Sends a GET request through a new guard, within 5 seconds if there is no signal. */
export type GuardedSend = (
  allow: readonly string[],
  request: { readonly url: string; readonly redirectedBy?: string; readonly signal?: AbortSignal },
) => Promise<{ readonly status: number }>;

const PUBLIC_ADDRESS = '93.184.215.14';

/** Names that exist only in the tests, and their addresses; the system resolves all others. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.test': ['127.0.0.1'],
  'private.test': ['10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'two-faced.test': ['93.184.215.14', '127.0.0.1'],
};

/**
 * A name that resolves to a public address first, and to this machine from then on; the number of lookups, and a
 * callback.
 */
const rebinding = { name: 'rebinding.test', asked: 0, whenAsked: (): unknown => undefined };

function rebind(): string {
  rebinding.asked += 1;
  rebinding.whenAsked();
  return rebinding.asked === 1 ? PUBLIC_ADDRESS : '127.0.0.1';
}

type Resolved = (error: Error | null, addresses: { address: string; family: number }[]) => void;

const { lookup } = dns;

function lookUp(hostname: string, options: object, resolved: Resolved): void {
  const name = hostname.replace(/\.$/, '');
  const found = name === rebinding.name ? [rebind()] : NAMES[name];
  const addresses = found?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  if (addresses) resolved(null, addresses);
  else lookup(hostname, { ...options, all: true }, resolved);
}

/** `fetch` wraps the error of a name lookup. */
function failureOf(thrown: unknown): string {
  if (thrown instanceof NetworkError) return thrown.reason;
  return thrown instanceof Error && thrown.cause !== undefined ? failureOf(thrown.cause) : 'another failure';
}

/** Requirements on each way to send a request through the guard. */
export function guardSuite(send: GuardedSend, server: LoopbackServer): void {
  beforeAll(() => {
    Object.assign(dns, { lookup: lookUp });
    syncBuiltinESMExports();
  });
  afterAll(() => {
    Object.assign(dns, { lookup });
    syncBuiltinESMExports();
  });

  /** The status of a request, or the reason of its failure. */
  const outcomeOf = async (url: string, allow: readonly string[] = []): Promise<number | string> =>
    await send(allow, { url }).then(({ status }) => status, failureOf);

  describe('an address', () => {
    test.each([
      '127.0.0.1',
      '127.255.255.254',
      '127.1',
      '127.0.0.1.',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '017700000001',
      '127。0。0。1',
      '①②⑦.0.0.1',
      '%31%32%37.0.0.1',
      '0.0.0.0',
      '0',
      'localhost',
      'LOCALHOST',
      'local\uff48ost',
    ])('%s resolves to this machine and is blocked unless it is allowed', async (host) => {
      const url = `http://${host}:${server.port}/`;
      expect(await outcomeOf(url)).toBe('blocked');
      expect(server.connections).toBe(0);
      server.answers(answer(200));
      expect(await outcomeOf(url, [new URL(url).host])).toBe(200);
    });

    test.each([
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:0:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[2002:7f00:1::]',
    ])('%s, an IPv6 address of this machine, is blocked', async (host) => {
      expect(await outcomeOf(`http://${host}:${server.port}/`)).toBe('blocked');
      expect(server.connections).toBe(0);
    });

    test.each([
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.168.0.1',
      '168.63.129.16',
      '161.26.0.10',
      '166.11.255.255',
      '192.0.0.192',
      '100.100.100.200',
      '192.0.2.1',
      '192.31.196.1',
      '192.52.193.1',
      '192.88.99.1',
      '192.175.48.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '3232235521',
      '0xa9.0xfe.0xa9.0xfe',
      '[64:ff9b:1::1]',
      '[100::1]',
      '[100:0:0:1::1]',
      '[2001::1]',
      '[2001:2::1]',
      '[2001:db8::1]',
      '[2620:4f:8000::1]',
      '[3fff::1]',
      '[5f00::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
      '[fe80::1]',
      '[fec0::1]',
      '[ff02::1]',
      '[::ffff:10.0.0.1]',
      '[::ffff:a9fe:a9fe]',
    ])('%s, an address that is not public, is blocked', async (host) => {
      expect(await outcomeOf(`http://${host}/`)).toBe('blocked');
    });

    test.each(Object.keys(NAMES))('%s is blocked for the address that it resolves to', async (name) => {
      expect(await outcomeOf(`http://${name}:${server.port}/`)).toBe('blocked');
      expect(server.connections).toBe(0);
    });

    test.each(['loopback.test.', 'loopback.test。', 'private.test.', 'private。test', 'private．test', 'private｡test'])(
      '%s is blocked for its address in any spelling',
      async (name) => {
        expect(await outcomeOf(`http://${name}:${server.port}/`)).toBe('blocked');
        expect(server.connections).toBe(0);
      },
    );

    test('a name is checked again for each connection', async () => {
      rebinding.asked = 0;
      const url = `http://${rebinding.name}:${server.port}/`;
      const leaving = new AbortController();
      rebinding.whenAsked = () => setTimeout(() => leaving.abort(), 300);
      const first = send([], { url, signal: leaving.signal });
      await expect(first).rejects.not.toMatchObject({ reason: 'blocked' });
      expect(rebinding.asked).toBe(1);
      expect(await outcomeOf(url)).toBe('blocked');
      expect(server.connections).toBe(0);
    });

    test.each([`user@${PUBLIC_ADDRESS}`, `user:secret@${PUBLIC_ADDRESS}`, `:secret@${PUBLIC_ADDRESS}`])(
      'http://%s/ is blocked for its credentials',
      async (authority) => {
        expect(await outcomeOf(`http://${authority}/`)).toBe('blocked');
      },
    );

    test.each([
      'file:///etc/hostname',
      'data:text/plain,hi',
      `ftp://${PUBLIC_ADDRESS}/`,
      `gopher://${PUBLIC_ADDRESS}/`,
      `ws://${PUBLIC_ADDRESS}/`,
    ])('%s is blocked for its protocol', async (url) => {
      expect(await outcomeOf(url)).toBe('blocked');
    });

    test.each([22, 25, 6000])('port %i is blocked as one of another protocol', async (port) => {
      expect(await outcomeOf(`http://${PUBLIC_ADDRESS}:${port}/`)).toBe('blocked');
      expect(await outcomeOf(`http://127.0.0.1:${port}/`, [`127.0.0.1:${port}`])).toBe('blocked');
    });

    test('the error names the reason and the setting that allows the address', async () => {
      const request = send([], { url: 'http://10.0.0.1/' });
      await expect(request).rejects.toMatchObject({ reason: 'blocked' });
      await expect(request).rejects.toThrow(/10\.0\.0\.1 is no public address.*http\.allow/);
    });

    test('the error of an address that no setting can allow states that', async () => {
      await expect(send([], { url: 'http://10.0.0.1:25/' })).rejects.toThrow(/port 25 .*No setting allows it/);
    });
  });

  describe('the error for a name', () => {
    test('the error for a name does not contain the address of the name', async () => {
      const request = send([], { url: 'http://private.test/' });
      const failure: unknown = await request.catch((error: unknown) => error);
      const reason = failure instanceof Error ? `${failure.message} ${String(failure.cause)}` : '';
      expect(reason).toContain('private.test leads to an address that is not public');
      expect(reason).not.toContain('10.0.0.1');
    });
  });

  describe('http.allow', () => {
    test('another port of an allowed host is blocked', async () => {
      expect(await outcomeOf(server.url, [`127.0.0.1:${server.port + 1}`, `127.0.0.1:${server.port - 1}`])).toBe(
        'blocked',
      );
      expect(server.connections).toBe(0);
    });

    test('another name of an allowed host is blocked', async () => {
      expect(await outcomeOf(`http://localhost:${server.port}/`, [server.address])).toBe('blocked');
      expect(server.connections).toBe(0);
    });

    test('a name that only begins like an allowed one is blocked', async () => {
      expect(await outcomeOf(`http://localhost:${server.port}/`, ['localhost', `local:${server.port}`])).toBe(
        'blocked',
      );
    });

    test.each([
      ['http', '80', '443'],
      ['https', '443', '80'],
    ])('an %s URL without a port means port %s', async (protocol, port, other) => {
      expect(await outcomeOf(`${protocol}://127.0.0.1/`, [`127.0.0.1:${other}`])).toBe('blocked');
      expect(await outcomeOf(`${protocol}://127.0.0.1/`, [`127.0.0.1:${port}`])).not.toBe('blocked');
    });

    test.each(['http://user:secret@', 'ftp://', 'ws://'])(
      '%s is blocked even where the host is allowed',
      async (beginning) => {
        expect(await outcomeOf(`${beginning}${server.address}/`, [server.address])).toBe('blocked');
        expect(server.connections).toBe(0);
      },
    );
  });

  describe('a redirect', () => {
    test.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed', async (status) => {
      server.answers(answer(status, { location: `${server.url}/elsewhere` }), answer(200));
      expect(await outcomeOf(server.url, [server.address])).toBe(status);
      expect(server.requests.map(({ target }) => target)).toEqual(['/']);
    });
  });

  describe('an allowed private host that a redirect names', () => {
    const fetchFrom = async (redirectedBy: string) =>
      await send([server.address, 'inside.test:80'], { url: server.url, redirectedBy });

    test('an allowed private host is reached by a redirect when the redirecting host is allowed, too', async () => {
      server.answers(answer(200));
      expect(await fetchFrom('http://inside.test/')).toMatchObject({ status: 200 });
    });

    test('an allowed private host is blocked when any other host redirects to it', async () => {
      await expect(fetchFrom('https://outside.test/')).rejects.toMatchObject({ reason: 'blocked' });
      expect(server.connections).toBe(0);
    });
  });
}
