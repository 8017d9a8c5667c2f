import type { Rule } from '../rule.ts';
import { unknownFunctions, unknownModels, unknownProcessors, unknownTools, unknownApprovals } from './catalog-names.ts';
import { concurrentWrites } from './concurrent-writes.ts';
import { conversationChannels } from './conversation-channels.ts';
import { deadEndBranches } from './dead-end-branches.ts';
import { defaults } from './defaults.ts';
import { duplicateEdges } from './duplicate-edges.ts';
import { entryPoint } from './entry-point.ts';
import { expressions } from './expressions.ts';
import { lastNode } from './last-node.ts';
import { localCalls } from './local-calls.ts';
import { names } from './names.ts';
import { overCeilings } from './over-ceilings.ts';
import { requiredInputs } from './required-inputs.ts';
import { schemas } from './schemas.ts';
import { shape } from './shape.ts';
import { starvingJoins } from './starving-joins.ts';
import { subgraphs } from './subgraphs.ts';
import { templates } from './templates.ts';
import { unboundedLoops } from './unbounded-loops.ts';
import { uncheckedApprovals } from './unchecked-approvals.ts';
import { unknownChannels } from './unknown-channels.ts';
import { unknownNodes } from './unknown-nodes.ts';
import { unnamedTools } from './unnamed-tools.ts';
import { unreachableNodes } from './unreachable-nodes.ts';
import { unusedChannels } from './unused-channels.ts';

/** The rules, in the order in which their issues are listed. */
export const RULES: readonly Rule[] = [
  shape,
  names,
  entryPoint,
  unknownNodes,
  lastNode,
  unreachableNodes,
  duplicateEdges,
  unknownChannels,
  requiredInputs,
  conversationChannels,
  expressions,
  templates,
  schemas,
  defaults,
  overCeilings,
  unknownTools,
  unnamedTools,
  localCalls,
  unknownApprovals,
  unknownFunctions,
  unknownModels,
  unknownProcessors,
  deadEndBranches,
  starvingJoins,
  concurrentWrites,
  unboundedLoops,
  uncheckedApprovals,
  unusedChannels,
  subgraphs,
];
