import recording from './recording.config.ts';

/** The same, with runs that go on in a new execution at every chance. */
export default { ...recording, defaults: { continueAfter: 1 } };
