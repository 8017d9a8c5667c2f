import config from '../../../holdfast.config.ts';

/** The demo's configuration; a worker that was killed is missed sooner. */
export default { ...config, graphs: '../../../graphs', defaults: { heartbeatTimeout: '2s' } };
