import { createFrameScheduler, type FrameScheduler } from '../chart/frame-scheduler.ts';
import { type ChartTheme, readTheme, watchTheme } from '../chart/theme.ts';

/** What the canvases of one screen share: settled colours, the screen's density, one frame scheduler. */
export class ChartHost {
  readonly scheduler: FrameScheduler = createFrameScheduler();
  #theme = $state.raw<ChartTheme | undefined>();
  #pixelRatio = $state(1);

  get theme(): ChartTheme | undefined {
    return this.#theme;
  }

  get pixelRatio(): number {
    return this.#pixelRatio;
  }

  /** Reads colours through `probe` and follows their changes. Returns how to stop. */
  attach(probe: HTMLElement): () => void {
    const read = () => {
      this.#theme = readTheme(probe);
      this.#pixelRatio = window.devicePixelRatio;
    };
    read();
    const stopWatching = watchTheme(read);
    window.addEventListener('resize', read);
    return () => {
      stopWatching();
      window.removeEventListener('resize', read);
      this.scheduler.stop();
    };
  }
}
