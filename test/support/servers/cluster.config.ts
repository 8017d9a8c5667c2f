import config from '../../../holdfast.config.ts';

/** The demo's configuration; a killed worker is detected sooner. */
export default { ...config, graphs: '../../../graphs', defaults: { heartbeatTimeout: '2s' } };
