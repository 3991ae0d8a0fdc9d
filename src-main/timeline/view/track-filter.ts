import type { Track } from '../model/track-model.ts';

/**
 * The filter box: `name:memcpy pid:2233 dur>10ms worker`. `name:` and `dur>` choose events, `pid:`
 * and free text choose tracks. Words are joined by "and"; case does not matter.
 */
export interface TrackFilter {
  readonly words: readonly string[];
  readonly eventNames: readonly string[];
  readonly pids: readonly number[];
  readonly minimumNs: number;
}

const UNIT_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
};

/** A duration or moment as typed: `10ms`, `1.5 s`, `200`: without a unit it is `defaultUnit`. */
export function parseDuration(text: string, defaultUnit = 'ms'): number | undefined {
  const match = /^([\d.]+)(ns|us|µs|ms|s)?$/i.exec(text.replaceAll(/[\s\u202f+]/g, ''));
  const unitNs = UNIT_NS[(match?.[2] ?? defaultUnit).toLowerCase()];
  const number = Number(match?.[1]);
  if (unitNs === undefined || !Number.isFinite(number)) return undefined;
  return Math.round(number * unitNs);
}

/** What was typed into the filter box; never fails: what is no key is a word to look for. */
export function parseFilter(text: string): TrackFilter {
  const words: string[] = [];
  const eventNames: string[] = [];
  const pids: number[] = [];
  let minimumNs = 0;
  for (const term of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const [, key, value] = /^(name:|pid:|dur>=?)(.*)$/.exec(term) ?? [];
    if (value === undefined) words.push(term);
    // Half typed, it picks nothing yet: the tracks must not vanish on the way to `dur>10ms`.
    else if (value === '') continue;
    else if (key === 'name:') eventNames.push(value);
    else if (key === 'pid:') pids.push(Number.parseInt(value, 10));
    else minimumNs = parseDuration(value) ?? minimumNs;
  }
  return { words, eventNames, pids, minimumNs };
}

/** The filter that picks events by a name: by each of its words, since a space ends a term. */
export function filterOfName(name: string): string {
  return name
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => `name:${word}`)
    .join(' ');
}

/** Whether the filter picks events out, beside tracks. */
export function choosesEvents(filter: TrackFilter): boolean {
  return filter.eventNames.length > 0 || filter.minimumNs > 0;
}

const pidsOf = ({ pid = -1, parts }: Track): readonly number[] =>
  parts?.map((part) => part.pid) ?? [pid];

/** What the words of a filter look for in a track. */
export function searchText(track: Track, groupLabel: string): string {
  const op = track.kind === 'buckets' ? track.op : '';
  const pids = track.parts === undefined ? '' : pidsOf(track).join(' ');
  return `${groupLabel} ${track.label} ${track.detail} ${op} ${pids}`.toLowerCase();
}

/** Whether the words and pids of a filter choose a track by its `searchText`; which events it has is asked elsewhere. */
export function matchesTrack(filter: TrackFilter, track: Track, text: string): boolean {
  if (filter.pids.length > 0 && !pidsOf(track).some((pid) => filter.pids.includes(pid)))
    return false;
  return filter.words.every((word) => text.includes(word));
}

/** Whether the filter picks an event by its name: asked once for each of the few names of a trace. */
export function nameMatcher({ eventNames }: TrackFilter): (name: string) => boolean {
  const answers = new Map<string, boolean>();
  return (name) => {
    const known = answers.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const answer = eventNames.every((part) => lower.includes(part));
    answers.set(name, answer);
    return answer;
  };
}
