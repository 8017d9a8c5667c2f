import { createMiddleware } from 'hono/factory';
import { ApiError } from '../http/errors.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { contentHash } from '../http/fingerprints.ts';
import { createTenantSlots } from '../http/tenant-slots.ts';
import { limitRequests } from '../middleware/limited.ts';
import { storedBody } from '../middleware/bodies.ts';
import { routes, tagged } from '../middleware/route.ts';
import { idOf, jsonAnswer } from '../schemas/common.ts';
import { FileBytes, FileSchema } from '../schemas/file.ts';
import { requirePermission } from '../http/authenticate.ts';

const filesTag = tagged('files');

const MAX_LENGTH = 255;
/** A media type with parameters (RFC 9110, section 8.3.1), in visible ASCII. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/;

/**
 * Reads the media type of a file; the default is arbitrary bytes.
 * @throws ApiError 415 for an invalid media type, and for a body with a content encoding
 */
function readFileType(headers: Headers): string {
  const type = headers.get('content-type')?.trim() ?? 'application/octet-stream';
  const coding = headers.get('content-encoding') ?? 'identity';
  if (type.length > MAX_LENGTH || !MEDIA_TYPE.test(type))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `"${type}" is no media type of at most ${MAX_LENGTH} characters`);
  if (coding.trim().toLowerCase() !== 'identity')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `A file must come as it is, not in the coding "${coding}"`, {
      headers: { 'accept-encoding': 'identity' },
    });
  return type;
}

/**
 * The most concurrent uploads of a process. Each holds a piece in memory, and its bytes are not yet counted against the
 * tenant.
 */
const MAX_UPLOADS = 64;
/** The most concurrent uploads of one tenant. */
const MAX_UPLOADS_OF_TENANT = 8;
const binaryContent = { '*/*': { schema: FileBytes } };

const storeFileRoute = filesTag.post('/api/blobs', 'run:start', {
  id: 'storeFile',
  summary: 'Store a file; its media type is kept',
  otherBody: { required: false, content: binaryContent },
  key: async (c) => contentHash([readFileType(c.req.raw.headers), c.get('upload').sha256]),
  audit: 'none',
  answers: { 201: jsonAnswer(FileSchema, 'The file', 'location') },
  problems: [429],
  before: (deps) => [
    limitRequests({
      slots: createTenantSlots({ perTenant: MAX_UPLOADS_OF_TENANT, total: MAX_UPLOADS }),
      refusal: 'Too many files are being stored at this moment; send this one again',
    }),
    requireSpace(deps),
    storedBody(deps),
  ],
  handle: (deps) => async (c) => {
    const { tenantId, sub: by } = c.get('caller');
    const { id } = c.get('attempt');
    const contentType = readFileType(c.req.raw.headers);
    const file = await deps.store.files.keep({ id, tenantId, upload: c.get('upload'), contentType, by });
    if (!file) throw noSpaceLeft();
    return c.json(file, 201, { location: `/api/blobs/${file.id}` });
  },
});

/**
 * Middleware: refuses an upload with an invalid media type, or when the tenant has no space left, before its bytes are
 * stored.
 */
function requireSpace({ store: { files } }: Pick<ApiDeps, 'store'>) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    readFileType(c.req.raw.headers);
    if (!(await files.hasSpace(c.get('caller').tenantId))) throw noSpaceLeft();
    await next();
  });
}

function noSpaceLeft(): ApiError {
  return new ApiError('TOO_MANY_KEPT', 'A tenant may have 100,000 files of 10 GiB together');
}

const readFileRoute = filesTag.get('/api/blobs/{id}', ['run:start', 'payload:read'], {
  id: 'readFile',
  summary: 'The bytes of a file, for who stored it and who may see payloads',
  params: idOf('file'),
  answers: {
    200: { description: 'The file, in its own media type', content: binaryContent },
    304: { description: 'The caller has it: `If-None-Match` names its entity tag' },
  },
  problems: [404],
  handle: (deps) => async (c) => {
    const { files } = deps.store;
    const caller = c.get('caller');
    const { id } = c.req.valid('param');
    const file = await files.find(caller.tenantId, id);
    if (!file) throw new ApiError('NOT_FOUND', `There is no file ${id}`);
    if (file.by !== caller.sub) requirePermission(caller, 'payload:read');
    const etag = `"${file.sha256}"`;
    c.header('etag', etag);
    c.header('cache-control', 'private, no-cache');
    if (namesTag(c.req.header('if-none-match'), etag)) return c.body(null, 304);
    c.header('content-type', file.contentType);
    c.header('content-length', String(file.size));
    c.header('content-disposition', 'attachment');
    return c.body(toStream(files.read(id)), 200);
  },
});

/** Parses `If-None-Match` (RFC 9110, section 13.1.2), which uses weak comparison. */
function namesTag(header: string | undefined, etag: string): boolean {
  return header !== undefined && (header.trim() === '*' || header.includes(etag));
}

/** Reads each piece only when it is requested. */
function toStream(pieces: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await pieces.return()),
    },
    { highWaterMark: 0 },
  );
}

/** Routes of files, which belong to a tenant and not to a run. */
export const fileRoutes = routes(storeFileRoute, readFileRoute);
