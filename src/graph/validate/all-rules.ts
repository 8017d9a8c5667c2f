import {
  unknownFunctions,
  unknownModels,
  unknownProcessors,
  unknownTools,
  unknownApprovals,
} from './rules/catalog/catalog-names.ts';
import { concurrentWrites } from './rules/concurrent-writes.ts';
import { conversationChannels } from './rules/conversation-channels.ts';
import { deadEndBranches } from './rules/dead-end-branches.ts';
import { defaults } from './rules/defaults.ts';
import { duplicateEdges } from './rules/duplicate-edges.ts';
import { entryPoint } from './rules/entry-point.ts';
import { expressions } from './rules/expressions.ts';
import { lastNode } from './rules/last-node.ts';
import { givenArguments } from './rules/catalog/given-arguments.ts';
import { localCalls } from './rules/catalog/local-calls.ts';
import { names } from './rules/names.ts';
import { overCeilings } from './rules/over-ceilings.ts';
import { requiredInputs } from './rules/required-inputs.ts';
import { schemas } from './rules/schemas.ts';
import { shape } from './rules/shape.ts';
import { starvingJoins } from './rules/starving-joins.ts';
import { subgraphs } from './rules/subgraphs.ts';
import { mistakenTexts, templates } from './rules/templates.ts';
import { unboundedLoops } from './rules/unbounded-loops.ts';
import { uncheckedApprovals } from './rules/unchecked-approvals.ts';
import { unknownChannels } from './rules/unknown-channels.ts';
import { unknownNodes } from './rules/unknown-nodes.ts';
import { offeredTools } from './rules/catalog/offered-tools.ts';
import { unnamedTools } from './rules/catalog/unnamed-tools.ts';
import { unreachableNodes } from './rules/unreachable-nodes.ts';
import { unusedChannels } from './rules/unused-channels.ts';

/** The rules, in the order in which their issues are listed. */
export const RULES = [
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
  offeredTools,
  givenArguments,
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
  mistakenTexts,
  unusedChannels,
  subgraphs,
] as const;

export type RuleCode = (typeof RULES)[number]['codes'][number];
