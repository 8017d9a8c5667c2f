import { register } from 'tsx/cjs/api';

// Temporal's SDK loads the payload converter with `require`, which can't load TypeScript in vitest's processes by
// default.
register();
