import { extendZodWithOpenApi } from '@hono/zod-openapi';
import { z } from 'zod';

/* Schemas import zod from here: their types, which the client has, then reach no package but zod. */

extendZodWithOpenApi(z);

export { z };
