import { END, START, StateGraph } from 'holdfast';

const REPORT = {
  type: 'object',
  properties: {
    answer: { type: 'string' },
    sources: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
  required: ['answer', 'sources'],
  additionalProperties: false,
} as const;

/** Looks for an answer in a folder of notes, which an MCP server reads, and names its sources. */
export const research = new StateGraph({
  name: 'research',
  channels: {
    question: { schema: { type: 'string' } },
    report: {},
  },
  input: ['question'],
  required: ['question'],
  output: ['report'],
  limits: { maxToolCalls: 20, deadline: '10m' },
})
  .addNode('read', {
    type: 'agent',
    system: 'Answer from the notes alone. List the folder first. Name the files that you have used as sources.',
    prompt: '{{ state.question }}',
    tools: ['notes.list_directory', 'notes.read_text_file'],
    output: REPORT,
    maxIterations: 8,
    write: { report: '{{ result.object }}' },
  })
  .addSequence([START, 'read', END]);
