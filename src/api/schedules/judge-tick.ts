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
  /** No run may begin at the moment. */
  readonly isClosed: boolean;
}

export type TickVerdict = 'start' | 'wait' | 'skip' | 'cancel-others';

/** Judges a tick by the runs of its schedule. While none may begin, none is canceled for the next one. */
export function judgeTick(overlap: Overlap, place: TickPlace): TickVerdict {
  const verdict = place.kind === 'backfill' && overlap !== 'allow' ? judgeBackfill(place) : VERDICTS[overlap](place);
  return place.isClosed && verdict !== 'skip' ? 'wait' : verdict;
}

/** A time that a person has asked for afterwards is never skipped. */
function judgeBackfill({ isBusy, isBehind }: TickPlace): TickVerdict {
  return isBusy || isBehind ? 'wait' : 'start';
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
