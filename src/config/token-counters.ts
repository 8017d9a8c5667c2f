import { z } from 'zod';
import type { TokenCounter } from '../activities/context/token-counter.ts';
import { code } from './code.ts';

export const TokenCounters = z.record(z.string(), code<TokenCounter>());
