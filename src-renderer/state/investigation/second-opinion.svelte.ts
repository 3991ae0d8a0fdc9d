import type { TraceMlFile } from '../../../src-main/shared/library/traceml-summary.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { Tab } from '../../../src-main/shared/tabs/tabs.ts';

interface Screen {
  /** The trace on the screen. */
  readonly opened: object | undefined;
  showTab(tab: Tab): void;
}

/** TraceML's summary beside the trace on the screen, until it is closed: it is kept with the investigation. */
export class SecondOpinionState {
  readonly #screen: Screen;
  #file = $state.raw<TraceMlFile | undefined>();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get file(): TraceMlFile | undefined {
    return this.#file;
  }

  /** Why it can't be shown, where there is nothing that it could be beside. */
  show({ fileName, summary }: TraceMlFile): Failure | undefined {
    if (this.#screen.opened === undefined)
      return {
        code: 'not-open',
        message: `“${fileName}” is a summary by TraceML, which holds averages and no events: open a trace of the same run first, then this file.`,
      };
    this.#file = { fileName, summary };
    this.#screen.showTab('overview');
    return undefined;
  }

  /** As it was kept with the investigation. */
  restore(file: TraceMlFile | undefined): void {
    this.#file = file;
  }

  close(): void {
    this.#file = undefined;
  }
}
