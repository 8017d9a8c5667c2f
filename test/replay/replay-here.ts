import { readRecording } from '../support/readers/recordings.ts';
import { replayAll } from '../support/servers/replays.ts';

/* Replays the recordings that it is given in the time zone of its process, and says what went wrong. */

const recordings = await Promise.all(process.argv.slice(2).map((name) => readRecording(`${name}.json`)));
const outcomes = [...(await replayAll(recordings))].map(([name, errors]) => [name, errors.map(String)]);
process.stdout.write(JSON.stringify({ hour: new Date(0).getHours(), outcomes }));
process.exit();
