/** A page of the site: its file in `docs`, and what it is about. */
export interface PageEntry {
  readonly file: string;
  readonly title: string;
  readonly about: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

const page = (file: string, title: string, about: string): PageEntry => ({ file: `${file}.md`, title, about });

/** The pages that are written by hand, in the order of the sidebar. Those of the reference and the decisions are found. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Begin',
    pages: [
      page(
        'first-hour',
        'The first hour',
        'dev, run, approve, break a tool, explain, retry, promote, eval: in a project of yours',
      ),
      page('project', 'Your own project', 'a configuration, a tool, a graph, an image for production'),
      page('builder', 'Graphs in TypeScript', '`StateGraph`, whose types know nodes and channels'),
      page('client', 'The client', 'start, wait, follow and decide from a program'),
      page('cli', 'The command line', 'init, dev, publish, run, approve, setup, doctor, promote, eval and the others'),
      page('testing', 'Tests of graphs', 'in memory, with scripted models; a recorded run as a test'),
      page('recipes', 'Recipes', 'by the words that people look for: saga, human in the loop, map-reduce, supervisor'),
    ],
  },
  {
    title: 'Write',
    pages: [
      page('agents', 'Agents', 'a tour of the `agent` node, with curl'),
      page('tools', 'Tools', 'HTTP, code, classes; effects, terms, short calls'),
      page('code', 'Code in a graph', 'functions with schemas, commands, node types; when to take which'),
      page('models', 'Models', 'providers, what they are sent, what is retried'),
      page('mcp', 'MCP servers', 'tools of other servers, and how they are pinned'),
      page('context', 'Long conversations', 'how messages are fitted to a model'),
      page('memory', 'Long-term memory', 'values that outlive runs, found by key and by words'),
      page('files', 'Files', 'stored as they are; how long they stay, who reads them'),
    ],
  },
  {
    title: 'People',
    pages: [
      page('approvals', 'Approvals', 'what a decision binds, and who may go past it'),
      page('console', 'The console', 'an inbox and pages for people, at `/console`; how they sign in'),
      page('chat', 'Chats', 'a graph behind `useChat`: words as they are made, approvals, reloads'),
    ],
  },
  {
    title: 'Run',
    pages: [
      page('guarantees', 'What is guaranteed', 'effects, failures, deadlines, steering, requests, threads'),
      page('streams', 'Watching runs', 'events and tokens as they come; tickets for browsers'),
      page('schedules', 'Schedules', 'runs at times of their own: cron, time zones, overlap, backfill'),
      page('hooks', 'Hooks', 'signed messages of GitHub, Stripe, Slack and others start runs or are events'),
      page('webhooks', 'Webhooks', 'addresses that are told of runs and approvals; Slack'),
      page(
        'many-runs',
        'Versions and many runs',
        'aliases and canaries of graphs; runs found and steered by the hundred',
      ),
    ],
  },
  {
    title: 'Mend',
    pages: [
      page(
        'explain',
        'Why, and what was called',
        'why a run waits or has stopped, with the commands; prompts and arguments of its calls',
      ),
      page('recovery', 'When a run went wrong', 'retry, skip, fork, compare, undo: a tour with curl'),
    ],
  },
  {
    title: 'Operate',
    pages: [
      page('production', 'In production', 'processes, Docker Compose, Helm, Temporal Cloud, tokens'),
      page(
        'store',
        'A store of your own',
        'in place of PostgreSQL or around it: what it must keep, and checks of that',
      ),
      page('operations', 'Operations', 'probes, shutdown, outages, task queues, memory'),
      page('troubleshooting', 'What is wrong', 'causes of trouble, and where each shows'),
      page('backup', 'Backup and restore', 'what is lost and what heals, whichever database is older; another region'),
      page(
        'capacity',
        'Sizes, capacity, cost',
        'what to give it, a billion runs a month, a million steps on Temporal Cloud',
      ),
      page(
        'monitoring',
        'Monitoring',
        'metrics, a dashboard, alerts and what to do for each, logs; Prometheus, Datadog',
      ),
      page('tracing', 'Traces', 'OpenTelemetry: spans of requests, runs, models and tools; Tempo, Langfuse and others'),
      page('administration', 'Administration', 'quotas and switches at run time; the audit'),
      page('versioning', 'Versions', 'new workers beside old ones'),
      page('releasing', 'Releasing', 'for whoever publishes the package: one command and a checklist'),
      page('security', 'Security', 'tokens, tenants, redaction, secrets, the network'),
      page('threat-model', 'Threat model', 'who is trusted with what'),
      page('failure-semantics', 'When something fails', 'case by case, with the test that proves it'),
      page(
        'reliability',
        'Tried on tasks of others',
        '114 tasks of τ²-bench, while processes are killed and answers dropped',
      ),
      page('limits', 'All limits', 'each bound, with the line of code that sets it'),
      page('performance', 'What it costs', 'measured, beside others'),
    ],
  },
  {
    title: 'Coming from',
    pages: [
      page('coming-from-langgraph', 'LangGraph', 'what is the same, what is not'),
      page('coming-from-temporal', 'Plain Temporal', 'what it adds, what it costs'),
      page('why-not', 'Why not …', 'LangGraph, Conductor, DBOS, Restate, eve'),
    ],
  },
];
