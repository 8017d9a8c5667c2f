/** Wakes one waiting consumer. If none waits when it rings, the next wait returns at once. */
export interface Bell {
  readonly ring: () => void;
  rung(withinMs: number): Promise<void>;
}

export function createBell(): Bell {
  let hasRung = false;
  let wake = (): void => undefined;
  return {
    ring() {
      hasRung = true;
      wake();
    },
    async rung(withinMs) {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hasRung = false;
    },
  };
}
