import type { TraceSummary } from '../../shared/answers/summary.ts';
import { ofEachHost, ofHosts } from '../../shared/model/hosts.ts';
import { dateOfUnixNs, formatUtcMinute } from '../../shared/text/dates.ts';
import { formatDuration, formatMoment, plural } from '../../shared/text/units.ts';
import type { TimeWindow } from '../../timeline/model/time-window.ts';
import type { EventHit } from '../../timeline/view/locate-event.ts';
import type { SavedTracks } from '../../timeline/view/track-view.ts';

interface HeaderFacts {
  readonly name: string;
  readonly summary: TraceSummary;
  readonly window: TimeWindow;
  readonly range: TimeWindow | undefined;
  readonly selected: EventHit | undefined;
  readonly tracks: SavedTracks;
  readonly hidden: number;
  readonly hidePrivate: boolean;
}

const stretch = ({ startNs, endNs }: TimeWindow): string =>
  `${formatMoment(startNs)} to ${formatMoment(endNs)} (${formatDuration(endNs - startNs)})`;

function recordedOn(summary: TraceSummary, hidePrivate: boolean) {
  const { format, version, beginUnixNs } = summary;
  const begun = dateOfUnixNs(beginUnixNs);
  const gpus = new Map<string, number>();
  for (const { model } of summary.gpus) gpus.set(model, (gpus.get(model) ?? 0) + 1);
  return [
    hidePrivate ? '' : ofHosts(summary, ({ hostname }) => hostname),
    ...[...gpus].map(([model, count]) => (count === 1 ? model : `${count} × ${model}`)),
    ofEachHost(summary, ({ cpuCount }) =>
      cpuCount === undefined ? undefined : plural(cpuCount, 'CPU'),
    ),
    ofHosts(summary, ({ kernel }) => (kernel === undefined ? undefined : `Linux ${kernel}`)),
    begun === undefined ? '' : `${formatUtcMinute(begun.toISOString())} UTC`,
    `${format} ${version}`.trim(),
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}

function notShown({ filter }: SavedTracks, hidden: number): string[] {
  const facts = [
    hidden === 0 ? '' : `${plural(hidden, 'track is', 'tracks are')} hidden`,
    filter.trim() === '' ? '' : `filter: ${filter.trim()}`,
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? [] : [`Not everything is shown: ${facts.join('; ')}`];
}

/** What stands above a picture, the title first. */
export function headerLines(facts: HeaderFacts): [title: string, ...lines: string[]] {
  const { summary, range, selected } = facts;
  const event =
    selected === undefined
      ? []
      : [
          `Selected: ${selected.track.nameOf(selected.lane, selected.index)}, ` +
            `${formatDuration(selected.lane.times.durationNs(selected.index))} ` +
            `at ${formatMoment(selected.lane.times.startNs(selected.index))}`,
        ];
  return [
    facts.name,
    `${stretch(facts.window)} of ${formatDuration(summary.lengthNs)}`,
    recordedOn(summary, facts.hidePrivate),
    ...(summary.synthetic === undefined
      ? []
      : [`Made by a script, not captured: ${summary.synthetic}`]),
    ...(summary.simulated === undefined ? [] : [`Not all was real: ${summary.simulated}`]),
    ...(range === undefined ? [] : [`Selected range: ${stretch(range)}`]),
    ...event,
    ...notShown(facts.tracks, facts.hidden),
  ];
}
