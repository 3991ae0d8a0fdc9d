import { standIn } from './agent-run.ts';

/** A minute, where nobody tells it to end. */
const MOST_LOOKS = 1200;

/** A line for a shell that is still there when `event`, a file, is made, however late, and ends then. */
export function lineUntil(event: string): string {
  return `looks=0; while [ ! -e '${event}' ] && [ $looks -lt ${MOST_LOOKS} ]; do looks=$((looks + 1)); sleep 0.05; done`;
}

/** A command that does nothing until then. */
export function commandUntil(event: string): string[] {
  return ['/bin/sh', '-c', lineUntil(event)];
}

/**
 * A job of which something can be recorded until then: test/agent/jobs/account.c for so many seconds,
 * a wait for the file `event`, and account once more, which writes the report.
 */
export function jobThatOutlasts(event: string, seconds: number): string[] {
  const script = `"$0" "$1" & ${lineUntil(event)}; wait; exec "$0" 0.2`;
  return ['/bin/sh', '-c', script, standIn('account'), String(seconds)];
}
