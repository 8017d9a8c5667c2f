import { poisonedRunsSuite } from '../../support/suites/poisoned-runs-suite.ts';

poisonedRunsSuite([
  ['late-throws', /failed \d+ times: Poison/],
  // Either of its two failures may be recorded last.
  ['differs', /failed \d+ times: (its code does not do what its history says|Poison)/],
  ['now-throws', /failed \d+ times: Poison/],
]);
