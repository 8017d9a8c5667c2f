import type { Overlap, TickKind } from '../../store/schedules/schedule.ts';

/** What stands around a tick when it is judged. */
export interface TickPlace {
  readonly kind: TickKind;
  /** A run of the schedule is not over. */
  readonly isBusy: boolean;
  /** An older tick waits. */
  readonly isBehind: boolean;
  /** A younger tick waits, too. */
  readonly isFollowed: boolean;
}

export type TickVerdict = 'start' | 'wait' | 'skip' | 'cancel-others';

/** Judges a tick by the runs of its schedule. A time that a person has asked for afterwards is never skipped. */
export function judgeTick(overlap: Overlap, place: TickPlace): TickVerdict {
  if (place.kind === 'backfill' && overlap !== 'allow') return place.isBusy || place.isBehind ? 'wait' : 'start';
  return VERDICTS[overlap](place);
}

const VERDICTS: Readonly<Record<Overlap, (place: TickPlace) => TickVerdict>> = {
  allow: () => 'start',
  skip: ({ isBusy }) => (isBusy ? 'skip' : 'start'),
  buffer: ({ isBusy, isBehind }) => {
    if (isBehind) return 'skip';
    return isBusy ? 'wait' : 'start';
  },
  cancelOther: ({ isBusy, isFollowed }) => {
    if (isFollowed) return 'skip';
    return isBusy ? 'cancel-others' : 'start';
  },
};
