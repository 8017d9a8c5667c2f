import type { z } from 'zod';
import type { ApprovalSchema, InterventionSchema } from '../api/schemas/approval.ts';
import type { CallSchema, RecordingSchema } from '../api/schemas/call.ts';
import type { ChatMessageSchema, ChatMessagesQuery } from '../api/schemas/chat.ts';
import type { PageQuery, ProblemSchema } from '../api/schemas/common.ts';
import type { ExplanationSchema } from '../api/schemas/explanation.ts';
import type {
  GraphSchema,
  GraphSummarySchema,
  PublicationSchema,
  RunGraphSchema,
  ValidationSchema,
} from '../api/schemas/graph.ts';
import type {
  GraphAliasSchema,
  GraphDiffSchema,
  NewGraphTestSchema,
  TestedGraphSchema,
} from '../api/schemas/graph-version.ts';
import type {
  CheckpointSchema,
  DiffSchema,
  RunSchema,
  RunStatusSchema,
  StateSchema,
  ThreadSchema,
} from '../api/schemas/run.ts';
import type { TicketSchema } from '../api/schemas/stream.ts';
import type { ToolSchema } from '../api/schemas/tool.ts';

/* The responses of the API, typed by the schemas of its routes. */

export type Run = z.output<typeof RunSchema>;
export type RunStatus = z.output<typeof RunStatusSchema>;
export type State = z.output<typeof StateSchema>;
export type Checkpoint = z.output<typeof CheckpointSchema>;
export type RunDiff = z.output<typeof DiffSchema>;
export type Call = z.output<typeof CallSchema>;
export type Explanation = z.output<typeof ExplanationSchema>;
export type Recording = z.output<typeof RecordingSchema>;
export type Approval = z.output<typeof ApprovalSchema>;
export type Intervention = z.output<typeof InterventionSchema>;
export type Graph = z.output<typeof GraphSchema>;
export type RunGraph = z.output<typeof RunGraphSchema>;
export type Publication = z.output<typeof PublicationSchema>;
export type GraphSummary = z.output<typeof GraphSummarySchema>;
export type GraphAlias = z.output<typeof GraphAliasSchema>;
export type GraphDiff = z.output<typeof GraphDiffSchema>;
export type GraphTest = z.input<typeof NewGraphTestSchema>;
export type TestedGraph = z.output<typeof TestedGraphSchema>;
export type Validation = z.output<typeof ValidationSchema>;
export type Thread = z.output<typeof ThreadSchema>;
export type ChatMessage = z.output<typeof ChatMessageSchema>;
/** `limit`: stops with the run that reaches this number of messages, 50 by default. */
export type ChatPage = { readonly limit?: number } & Pick<z.input<typeof ChatMessagesQuery>, 'before'>;
export type Tool = z.output<typeof ToolSchema>;
export type StreamTicket = z.output<typeof TicketSchema>;
export type Problem = z.output<typeof ProblemSchema>;
export type PageRequest = { readonly limit?: number } & Pick<z.input<typeof PageQuery>, 'cursor'>;
