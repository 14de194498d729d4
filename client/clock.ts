/** Time as the client sees it, so that tests can own it. */

export interface Clock {
  /** Milliseconds since the epoch; never runs backwards. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The machine's clock; monotonic, since a step back of the system time would stall the pacing. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
