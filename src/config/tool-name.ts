import { z } from 'zod';
import { TOOL_NAME } from '../activities/tools/tool.ts';

export const ToolName = z.string().regex(TOOL_NAME, 'must be 1 to 64 letters, digits or _ . : -');
