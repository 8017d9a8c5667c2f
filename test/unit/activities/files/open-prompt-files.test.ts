import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { createOpenPromptFiles } from '../../../../src/activities/files/open-prompt-files.ts';
import { createGuardedRequest } from '../../../../src/network/guarded-request.ts';
import { permissionsOf } from '../../../../src/graph/definition/roles.ts';
import type { FilePart } from '../../../../src/graph/definition/message.ts';
import { mayReadFile } from '../../../../src/graph/run/principal.ts';
import type { Principal } from '../../../../src/graph/run/principal.ts';
import type { Store } from '../../../../src/store/store.ts';
import { BYTES, aDocument, aPicture } from '../../../support/builders/file-parts.ts';
import { answer, silence } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();
const MIB = 1_048_576;

interface Kept {
  readonly tenantId?: string;
  readonly by?: string;
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
}

/** The stored files of some tenants, by id. */
function filesOf(kept: Readonly<Record<string, Kept>>): Pick<Store['files'], 'find' | 'read'> {
  return {
    async find(tenantId, id) {
      const file = kept[id];
      if (!file || (file.tenantId ?? 'acme') !== tenantId) return null;
      const { by = 'ann', bytes = BYTES.png, contentType = 'image/png' } = file;
      return { id, size: bytes.byteLength, contentType, sha256: '', createdAt: '', by };
    },
    async *read(id) {
      const { bytes = BYTES.png } = kept[id] ?? {};
      yield bytes.subarray(0, 5);
      yield bytes.subarray(5);
    },
  };
}

interface Opening {
  readonly kept?: Readonly<Record<string, Kept>>;
  readonly principal?: Principal;
  readonly signal?: AbortSignal;
  readonly allow?: readonly string[];
}

function open({ kept = {}, principal = { sub: 'ann', roles: ['user'] }, signal, allow = [] }: Opening = {}) {
  const openFiles = createOpenPromptFiles({ files: filesOf(kept), request: createGuardedRequest(allow) });
  return openFiles({ tenantId: 'acme', principal, signal: signal ?? new AbortController().signal });
}

/** Returns the error of a refused file. */
async function refusalOf(reading: Promise<Uint8Array>): Promise<CallError> {
  const thrown = await reading.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof CallError) return thrown;
  throw new Error('The file was read', { cause: thrown });
}

const linked = (path = '/a.png'): FilePart => aPicture({ url: `${server.url}${path}` });
const type = (contentType: string) => ({ 'content-type': contentType });

describe('a stored file', () => {
  test('a stored file of a prompt is read completely', async () => {
    const read = await open({ kept: { B1: {} } })(aPicture());
    expect(Buffer.from(read).equals(BYTES.png)).toBe(true);
  });

  test('a stored file is read in a run of an admin', async () => {
    const read = open({ kept: { B1: {} }, principal: { sub: 'eve', roles: ['admin'] } });
    expect(await read(aPicture())).toHaveLength(BYTES.png.byteLength);
  });

  test.each<[string, Kept, Principal]>([
    ['another user', {}, { sub: 'bob', roles: ['user', 'approver'] }],
    ['an admin of another tenant', { tenantId: 'other' }, { sub: 'ann', roles: ['admin'] }],
  ])('a stored file is not read in a run of %s', async (_, file, principal) => {
    expect(await refusalOf(open({ kept: { B1: file }, principal })(aPicture()))).toMatchObject({
      code: 'MODEL_FAILED',
      reason: 'unknown_file',
      retryable: false,
      done: 'no',
      message: expect.stringContaining('There is no file B1'),
    });
  });

  test.each([[['user']], [['approver']], [['user', 'approver']], [['admin']], [['support']]])(
    'a stored file of another person is read for the roles %j if they have payload:read, as in GET /api/blobs/{id}',
    (roles) => {
      const maySeePayloads = permissionsOf(roles).has('payload:read');
      expect(mayReadFile('ann', { sub: 'bob', roles })).toBe(maySeePayloads);
    },
  );

  test('a call with a deleted file is not retried', async () => {
    expect(await refusalOf(open()(aPicture()))).toMatchObject({ reason: 'unknown_file', retryable: false });
  });
});

describe('the URL of a file', () => {
  test('a file URL in a prompt is read through redirects', async () => {
    server.answers(answer(302, { location: '/b.png' }), answer(200, type('image/png'), BYTES.png));
    const read = await open({ allow: [server.address] })(linked());
    expect(Buffer.from(read).equals(BYTES.png)).toBe(true);
    expect(server.requests.map(({ target }) => target)).toEqual(['/a.png', '/b.png']);
  });

  test.each([
    'http://127.0.0.1/a',
    'http://[::1]/a',
    'http://169.254.169.254/latest',
    'https://u:p@a.example/',
    'http://a:99999',
  ])('a file URL in a prompt that is private or invalid is not requested: %s', async (url) => {
    expect(await refusalOf(open()(aPicture({ url })))).toMatchObject({
      code: 'BLOCKED_URL',
      retryable: false,
      done: 'no',
    });
  });

  test('a file URL whose redirect leads to a private host is not requested there', async () => {
    server.answers(answer(302, { location: 'http://127.0.0.1:1/' }));
    const error = await refusalOf(open({ allow: [server.address] })(linked()));
    expect(error).toMatchObject({ code: 'BLOCKED_URL', retryable: false });
  });

  test.each([
    [404, false],
    [403, false],
    [503, true],
    [429, true],
  ])('a file URL that responds with %i fails the call, and is retried: %s', async (status, retryable) => {
    server.answers(answer(status, {}, 'a secret of the server'));
    const error = await refusalOf(open({ allow: [server.address] })(linked('/a.png?signature=secret')));
    expect(error).toMatchObject({ code: 'MODEL_FAILED', retryable });
    expect(error.message).toBe(`The file at ${server.address} was not given: ${status}`);
  });

  test('the download of a file is aborted with its call', async () => {
    const { answer: wait, asked, left } = silence();
    const abort = new AbortController();
    server.answers(wait);
    const reading = refusalOf(open({ allow: [server.address], signal: abort.signal })(linked()));
    await asked;
    abort.abort();
    expect(await reading).toMatchObject({ code: 'MODEL_FAILED' });
    await left;
  });
});

describe('the media type of a file', () => {
  test.each<[string, FilePart, Kept]>([
    [
      'parameters',
      aDocument({ blob: 'B', mediaType: 'text/plain' }),
      { bytes: BYTES.text, contentType: 'Text/Plain; charset=utf-8' },
    ],
    ['no media type', aPicture({ blob: 'B' }), { contentType: 'application/octet-stream' }],
    [
      'an obsolete name',
      { ...aPicture({ blob: 'B' }), mediaType: 'image/jpeg' },
      { bytes: BYTES.jpeg, contentType: 'image/jpg' },
    ],
  ])('the media type of a file may be declared with %s', async (_, part, file) => {
    await expect(open({ kept: { B: file } })(part)).resolves.toBeInstanceOf(Uint8Array);
  });

  test.each<[string, FilePart, Kept]>([
    ['it is text/html', aPicture({ blob: 'B' }), { contentType: 'text/html' }],
    ['it is application/pdf', aPicture({ blob: 'B' }), { bytes: BYTES.pdf }],
    ['it is image/png', aDocument({ blob: 'B', mediaType: 'text/plain' }), { contentType: 'text/plain' }],
    ['its bytes are something else', aPicture({ blob: 'B' }), { bytes: BYTES.text }],
  ])('a file declared as an image is refused where %s', async (words, part, file) => {
    const error = await refusalOf(open({ kept: { B: file } })(part));
    expect(error).toMatchObject({ code: 'MODEL_FAILED', reason: 'wrong_media_type', retryable: false, done: 'no' });
    expect(error.message).toContain(words);
  });
});

describe('the files of a prompt', () => {
  const ofSize = (bytes: number): Kept => ({
    bytes: Buffer.concat([BYTES.png, Buffer.alloc(bytes - BYTES.png.length)]),
  });

  test('the files of a prompt may have 10 MiB each and 20 MiB together', async () => {
    const read = open({ kept: { full: ofSize(10 * MIB), more: ofSize(10 * MIB + 1), one: ofSize(100) } });
    await expect(refusalOf(read(aPicture({ blob: 'more' })))).resolves.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      retryable: false,
      done: 'no',
    });
    for (const id of ['full', 'full']) await read(aPicture({ blob: id }));
    expect(await refusalOf(read(aPicture({ blob: 'one' })))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('the files of a prompt are not read beyond the size limit, whatever a server sends', async () => {
    server.answers(answer(200, type('image/png'), ofSize(10 * MIB + 1).bytes));
    const error = await refusalOf(open({ allow: [server.address] })(linked()));
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', retryable: false, done: 'no' });
  });

  test('a prompt has 50 files at most', async () => {
    const read = open({ kept: { B1: {} } });
    for (let number = 1; number <= 50; number++) await read(aPicture());
    expect(await refusalOf(read(aPicture()))).toMatchObject({ reason: 'too_many_files', retryable: false });
    expect(await open({ kept: { B1: {} } })(aPicture())).toHaveLength(BYTES.png.byteLength);
  });
});
