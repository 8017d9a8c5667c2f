import { register } from 'tsx/cjs/api';

// Temporal's SDK loads our payload converter by `require`, which knows no TypeScript in vitest's processes.
register();
