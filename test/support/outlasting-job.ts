import { standIn } from './agent-run.ts';

/** Half a minute, where nobody tells it to end. */
const MOST_LOOKS = 600;

/**
 * A job that is still there when `event` happens, however late: test/agent/jobs/account.c for so many
 * seconds, a wait for the file `event`, and account once more, which writes the report.
 */
export function jobThatOutlasts(event: string, seconds: number): string[] {
  const script = `"$0" "$1" & looks=0
    while [ ! -e "$2" ] && [ $looks -lt ${MOST_LOOKS} ]; do looks=$((looks + 1)); sleep 0.05; done
    wait; exec "$0" 0.2`;
  return ['/bin/sh', '-c', script, standIn('account'), String(seconds), event];
}
