import type { HookScheme } from '../../store/hooks/hook-tables.ts';
import { GITHUB_SCHEME, SLACK_SCHEME, STRIPE_SCHEME } from './hmac-schemes.ts';
import type { Scheme } from './scheme.ts';
import { STANDARD_SCHEME } from './standard-scheme.ts';

export const SCHEMES: Readonly<Record<HookScheme, Scheme>> = {
  standard: STANDARD_SCHEME,
  github: GITHUB_SCHEME,
  stripe: STRIPE_SCHEME,
  slack: SLACK_SCHEME,
};
