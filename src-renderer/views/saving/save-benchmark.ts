import type { AppState } from '../../state/app.svelte.ts';
import { download } from '../../ui/download.ts';

/** The name that the script tells its user to run. */
const SCRIPT_NAME = 'stalltrace-benchmark.py';

/** Saves the benchmark script of the trace on the screen: the desktop asks where, a browser downloads it. */
export async function saveBenchmark({ benchmark, toasts }: AppState): Promise<void> {
  const script = await benchmark.script();
  if (!script.ok) {
    toasts.error(script.error.message);
    return;
  }
  download(new Blob([script.value], { type: 'text/x-python;charset=utf-8' }), SCRIPT_NAME);
  toasts.show(`${SCRIPT_NAME}: run it on the host of the job, then open the JSON that it writes.`);
}
