import type { CallOptions, Progress } from '../../../src-main/shared/rpc/rpc.ts';

/** A task shorter than this shows nothing: a flash of progress is worse than none. */
const SLOW_MS = 200;

/** A long call that the user may watch and cancel. */
export class Task {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  /** What is being done, for as long as it takes. */
  readonly title: string;
  #progress = $state.raw<Progress>({ text: '' });
  #soFar = $state.raw<unknown>();
  #slow = $state(false);

  constructor(title: string) {
    this.title = title;
    this.#timer = setTimeout(() => {
      this.#slow = true;
    }, SLOW_MS);
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** What was told last of what is asked for; undefined where nothing was. */
  get soFar(): unknown {
    return this.#soFar;
  }

  /** Whether it has taken long enough to be shown. */
  get slow(): boolean {
    return this.#slow;
  }

  get options(): CallOptions {
    return {
      signal: this.#controller.signal,
      onProgress: (progress) => {
        this.#progress = progress;
        this.#soFar = progress.soFar ?? this.#soFar;
      },
    };
  }

  cancel(): void {
    this.end();
    this.#controller.abort();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
