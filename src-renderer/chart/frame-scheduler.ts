/** Draws at most once per frame, whatever changed how often. One per screen. */
export interface FrameScheduler {
  /** `draw` runs in the next frame, once. */
  request(draw: () => void): void;
  stop(): void;
}

export function createFrameScheduler(
  requestFrame: (callback: () => void) => number = requestAnimationFrame,
  cancelFrame: (handle: number) => void = cancelAnimationFrame,
): FrameScheduler {
  const waiting = new Set<() => void>();
  let handle: number | undefined;
  const run = () => {
    handle = undefined;
    const draws = [...waiting];
    waiting.clear();
    for (const draw of draws) draw();
  };
  return {
    request(draw) {
      waiting.add(draw);
      handle ??= requestFrame(run);
    },
    stop() {
      if (handle !== undefined) cancelFrame(handle);
      handle = undefined;
      waiting.clear();
    },
  };
}
