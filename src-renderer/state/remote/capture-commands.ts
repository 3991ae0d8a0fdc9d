import type { CommandActions } from '../common/command-registry.svelte.ts';
import { type CaptureFlow, steps } from './capture-flow.svelte.ts';

interface Screen {
  readonly focusSearch: () => void;
  readonly askAbandon: () => void;
}

/** What can be done on the screen of captures. */
export function captureCommands(flow: CaptureFlow, screen: Screen): CommandActions {
  const ofRun = (act: (run: NonNullable<CaptureFlow['run']>) => unknown) => () => {
    const { run } = flow;
    if (run !== undefined) void act(run);
  };
  const step = (by: 1 | -1) => () => {
    if (flow.runId !== undefined) return;
    const next = steps[steps.indexOf(flow.step) + by];
    if (next !== undefined) flow.goTo(next);
    else if (by === 1) void flow.start();
  };
  return {
    'capture-forward': step(1),
    'capture-back': step(-1),
    'capture-again': () => {
      if (flow.step === 'check') flow.checkAgain();
      else if (flow.step === 'capture') flow.processes.again();
      else void flow.hosts.load();
    },
    'capture-search': screen.focusSearch,
    'capture-stop': () => {
      if (flow.together.some(({ phase }) => phase === 'recording')) void flow.stopTogether();
    },
    'capture-bring-back': () => void flow.bringTogether(),
    'capture-abandon': ofRun(screen.askAbandon),
    'capture-retry': () => {
      if (flow.link?.state.kind === 'reconnecting') void flow.link.retry();
      else void flow.reconnect();
    },
    'capture-leave': () => flow.hide(),
  };
}
