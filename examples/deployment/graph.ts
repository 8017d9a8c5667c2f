import { END, START, StateGraph } from 'holdfast';

const PLAN = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    risk: { enum: ['low', 'high'] },
    percent: { type: 'integer', minimum: 1, maximum: 100 },
  },
  required: ['summary', 'risk', 'percent'],
  additionalProperties: false,
} as const;

/**
 * A model plans a deployment, two checks run beside each other, two people agree, then it is deployed. If the new version
 * is not healthy, it is rolled back, and then the channel is told.
 */
export const deployment = new StateGraph({
  name: 'deployment',
  channels: {
    service: { schema: { type: 'string' } },
    version: { schema: { type: 'string' } },
    changes: { schema: { type: 'string' } },
    plan: {},
    tests: {},
    scan: {},
    decision: {},
    deployed: {},
    health: {},
  },
  input: ['service', 'version', 'changes'],
  required: ['service', 'version', 'changes'],
  output: ['plan', 'deployed', 'health'],
  onFail: 'announce',
})
  .addNode('plan', {
    type: 'llm',
    system: 'You plan deployments. Choose how many percent of the traffic the new version gets at first.',
    prompt: 'Service {{ state.service }}, version {{ state.version }}. What has changed:\n{{ state.changes }}',
    output: PLAN,
    write: { plan: '{{ result.object }}' },
  })
  .addNode('test', {
    type: 'tool',
    tool: 'run_tests',
    args: { service: '{{ state.service }}', version: '{{ state.version }}' },
    write: 'tests',
  })
  .addNode('scan', {
    type: 'tool',
    tool: 'scan_image',
    args: { service: '{{ state.service }}', version: '{{ state.version }}' },
    write: 'scan',
  })
  .addNode('judge', { type: 'set', write: {} })
  .addNode('agree', {
    type: 'approval',
    title: 'Deploy {{ state.service }} {{ state.version }}?',
    details: { plan: '{{ state.plan }}', tests: '{{ state.tests }}', scan: '{{ state.scan }}' },
    args: { percent: '{{ state.plan.percent }}' },
    argsSchema: {
      type: 'object',
      properties: { percent: PLAN.properties.percent },
      required: ['percent'],
      additionalProperties: false,
    },
    policy: { roles: ['approver'], quorum: 2, excludeRequester: true, requireReason: true },
    timeout: '4h',
    onTimeout: 'reject',
    write: 'decision',
  })
  .addNode('deploy', {
    type: 'tool',
    tool: 'deploy',
    args: {
      service: '{{ state.service }}',
      version: '{{ state.version }}',
      percent: '{{ state.decision.args.percent }}',
    },
    compensate: { tool: 'roll_back', args: { service: '{{ state.service }}', to: '{{ result.previous }}' } },
    onError: 'intervene',
    write: 'deployed',
  })
  .addNode('watch', {
    type: 'tool',
    tool: 'check_health',
    args: { service: '{{ state.service }}' },
    retry: { maxAttempts: 3, initialInterval: '10s' },
    write: 'health',
  })
  .addNode('announce', {
    type: 'tool',
    tool: 'post_message',
    args: { channel: 'deployments', text: '{{ state.service }} {{ state.version }} failed, and is rolled back.' },
  })
  .addEdge(START, ['plan', 'test', 'scan'])
  .addEdge(['plan', 'test', 'scan'], 'judge')
  .addBranches('judge', [{ when: 'state.tests.failed == 0 && state.scan.critical == 0', to: 'agree' }, { to: END }])
  .addBranches('agree', [{ when: "state.decision.decision == 'approved'", to: 'deploy' }, { to: END }])
  .addSequence(['deploy', 'watch', END]);
