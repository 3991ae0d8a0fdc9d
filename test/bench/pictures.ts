import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { askedAbout } from '../../src-main/app/trace-process/asked-about.ts';
import { summarise } from '../../src-main/app/trace-process/summarise.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { buildTrackGroups } from '../../src-main/timeline/build/build-tracks.ts';
import type { LoadedTables } from '../../src-main/timeline/model/trace-data.ts';
import { isEventTrack } from '../../src-main/timeline/model/track-model.ts';
import { hasMatch, matchedLane } from '../../src-main/timeline/view/matched-lanes.ts';
import { parseFilter } from '../../src-main/timeline/view/track-filter.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { root } from '../support/built.ts';
import { largeTrace } from '../support/large-trace.ts';
import writeSimulatedTrace, { simulatedTrace } from '../support/simulated-trace.ts';

writeSimulatedTrace();

/**
 * Pictures of the timeline and filters for events: time of the first one (which builds the lanes) and of the
 * next, and the size of the file. Prints figures; asserts none.
 */

const scratchDir = mkdtempSync(join(tmpdir(), 'stalltrace-pictures-'));

function traceOf(path: string): Trace {
  const copy = join(scratchDir, 'trace.db');
  copyFileSync(path, copy);
  const scratch = join(scratchDir, 'scratch');
  mkdirSync(scratch, { recursive: true });
  const opened = openTrace(copy, { scratchDir: scratch, importers, progress: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  return withRoles(opened.value);
}

function timed<Value>(act: () => Value): { value: Value; ms: string } {
  const begun = performance.now();
  const value = act();
  return { value, ms: `${(performance.now() - begun).toFixed(0)} ms` };
}

function benchPictures(name: string, trace: Trace): void {
  const asked = askedAbout(trace, summarise(trace));
  const rest = { view: { tab: 'timeline' as const }, name, notes: [], hidePrivate: true };
  for (const widthPx of [1600, 3200]) {
    const { value, ms } = timed(() => asked.paint({ ...rest, widthPx, theme: 'light' }));
    const again = timed(() => asked.paint({ ...rest, widthPx, theme: 'dark' }));
    const kib = (value.length / 1024).toFixed(0);
    console.log(`${name}, ${widthPx} px: ${ms}, again ${again.ms}, ${kib} KiB`);
  }
}

function benchFilters(name: string, trace: Trace): void {
  const tables = Object.fromEntries(
    Object.entries(trace.tables).map(([table, { columns }]) => [table, { ...columns }]),
  ) as LoadedTables;
  const data = { traceId: '', summary: summarise(trace), tables };
  const tracks = buildTrackGroups(data)
    .flatMap((group) => group.tracks)
    .filter(isEventTrack);
  for (const text of [
    'name:cudam',
    'name:cudamemcpy',
    'dur>10ms',
    'name:running',
    'name:sleeping',
  ]) {
    const filter = parseFilter(text);
    const found = timed(() => tracks.filter((track) => hasMatch(track, filter)));
    for (const track of found.value) track.summary();
    const lanes = timed(() =>
      found.value.map((track) => matchedLane(track, track.summary(), filter).length),
    );
    console.log(
      `${name}, ${text}: ${found.value.length} of ${tracks.length} tracks in ${found.ms}, ` +
        `${lanes.value.reduce((sum, length) => sum + length, 0)} events picked in ${lanes.ms}`,
    );
  }
}

const files: readonly (readonly [name: string, path: string])[] = [
  ['sample', simulatedTrace],
  ['Ingero capture', join(root, '../shared/data/ingero/dataloader_starvation.db')],
  ['2 million events', largeTrace(2_000_000)],
  ['10 million events', largeTrace(10_000_000)],
];
try {
  for (const [name, path] of files) {
    if (!existsSync(path)) {
      console.log(`${name}: not run, ${path} is not there`);
      continue;
    }
    const trace = traceOf(path);
    benchPictures(name, trace);
    benchFilters(name, trace);
  }
} finally {
  rmSync(scratchDir, { recursive: true, force: true });
}
