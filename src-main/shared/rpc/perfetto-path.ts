/** Where the browser host serves the timeline for Perfetto; whether private words are hidden is part of the address that a ticket is for. */

interface PerfettoWanted {
  readonly traceId: string;
  readonly hidePrivate: boolean;
}

const PERFETTO_PATH = /^\/perfetto\/([0-9a-f-]{36})\/(hidden|shown)$/;

export function perfettoPath({ traceId, hidePrivate }: PerfettoWanted): string {
  return `/perfetto/${traceId}/${hidePrivate ? 'hidden' : 'shown'}`;
}

/** What a path asks for; `undefined` for a path that asks for none. */
export function parsePerfettoPath(pathname: string): PerfettoWanted | undefined {
  const [, traceId, words] = PERFETTO_PATH.exec(pathname) ?? [];
  return traceId === undefined ? undefined : { traceId, hidePrivate: words === 'hidden' };
}
