import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileNames, UNREADABLE } from '../../../test/fixtures/hostile/names.ts';
import type { PictureOptions } from '../../shared/answers/report.ts';
import type { TraceData } from '../../timeline/model/trace-data.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import { noSavedTracks } from '../../timeline/view/track-view.ts';
import { readRectangles, readTexts } from '../testing/read-svg.ts';
import { pictureThemes } from './picture-theme.ts';
import { timelineSvg } from './timeline-svg.ts';

const HOSTILE = `]]><script>alert(1)</script>" onload='x' &amp; \u0007\u202e\uffff\ud800`;

function traceOf(name: string): TraceData {
  const summary = fakeSummary(
    { cuda_call: 3, off_cpu: 2, sample: 2, gap: 1 },
    {
      hosts: [{ hostname: 'secret-box', cpuCount: 4 }],
      gpus: [{ model: `GPU ${name}` }],
      processes: [
        {
          pid: 10,
          name: `/home/ada/run ${name}`,
          commandLine: '/home/ada/bin/python train.py --token=abc123',
          parent: -1,
          role: 'main',
          roleBasis: 'test',
        },
      ],
      threads: [{ tid: 10, process: 0, name, role: 'main' }],
      names: ['cudaMemcpyAsync', name, `${name} (%)`],
      nameSources: ['CUDA', 'CUDA', ''],
      sourceFindings: [],
    },
  );
  return {
    traceId: 't',
    summary,
    tables: {
      cuda_call: {
        startNs: Float64Array.of(1e8, 3e8, 6e8),
        durationNs: Float64Array.of(1e8, 2e8, 1e8),
        thread: Int32Array.of(0, 0, 0),
        op: Uint16Array.of(0, 1, 1),
      },
      off_cpu: {
        startNs: Float64Array.of(2e8, 7e8),
        durationNs: Float64Array.of(1e8, 1e8),
        thread: Int32Array.of(0, 0),
        state: Int32Array.of(0, 2),
      },
      sample: {
        startNs: Float64Array.of(0, 9e8),
        metric: Uint16Array.of(2, 2),
        value: Float64Array.of(10, 90),
      },
      gap: { startNs: Float64Array.of(4e8), durationNs: Float64Array.of(1e8) },
    },
  };
}

const options: PictureOptions = {
  view: { tab: 'timeline' },
  name: 'run one',
  notes: [],
  widthPx: 1_000,
  theme: 'light',
  hidePrivate: false,
};
const data = traceOf('kernel');
const picture = (changes: Partial<PictureOptions> = {}, trace = data) =>
  timelineSvg(trace, { ...options, ...changes }, { host: 'desk-of-quentin', user: 'quentin' });
const tracks = (changes: Partial<typeof noSavedTracks>): Partial<PictureOptions> => ({
  view: { tab: 'timeline', tracks: { ...noSavedTracks, ...changes } },
});

describe('a picture of the timeline', () => {
  test('says what it shows, and of what', () => {
    const texts = readTexts(picture()).join('\n');
    expect(texts).toContain('run one');
    expect(texts).toContain('secret-box');
    expect(texts).toContain('Training process');
    expect(texts).toContain('Waiting for a CPU (runnable)');
    expect(texts).toContain('The recorder lost events');
    expect(texts).not.toContain('Sleeping');
    expect(texts).not.toContain('Not everything is shown');
  });

  test('has no line where no sample came, and says so', () => {
    const at = (ms: readonly number[]) => ({
      startNs: Float64Array.from(ms, (each) => each * 1e6),
      metric: new Uint16Array(ms.length).fill(2),
      value: new Float64Array(ms.length).fill(50),
    });
    const runsOf = (ms: readonly number[]) => {
      const svg = picture({}, { ...data, tables: { ...data.tables, sample: at(ms) } });
      const line = /fill="none" stroke="[^"]+" stroke-width="1\.5"[^>]* d="([^"]+)"/.exec(svg)?.[1];
      return { runs: line?.match(/M/g)?.length, isSaid: readTexts(svg).includes('no sample') };
    };
    expect(runsOf([0, 100, 200, 300, 400])).toEqual({ runs: 1, isSaid: false });
    expect(runsOf([0, 100, 200, 700, 800, 900])).toEqual({ runs: 2, isSaid: true });
  });

  test('stays well-formed and harmless with any names', () => {
    const svg = picture({ name: HOSTILE, ...tracks({ filter: '' }) }, traceOf(HOSTILE));
    expect(readTexts(svg).join('')).toContain('&lt;script&gt;');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        const notes = [{ startNs: 5e8, endNs: 6e8, text: name }];
        readTexts(picture({ name, notes, hidePrivate: name.length % 2 === 0 }, traceOf(name)));
      }),
      { numRuns: 150 },
    );
  });

  test.each(Object.entries(hostileNames))('%s is text in it', (_kind, name) => {
    const notes = [{ startNs: 5e8, endNs: 6e8, text: name }];
    const svg = picture({ name, notes }, traceOf(name));
    readTexts(svg);
    expect(svg.split('\n').filter((line) => UNREADABLE.test(line))).toEqual([]);
    expect(svg.length).toBeLessThan(200_000);
  });

  test('needs nothing beside it', () => {
    expect(picture()).not.toMatch(/href|src=|style|@import|url\((?!#)/);
  });

  test('shows the tracks as the view does', () => {
    const namesOf = (changes: Partial<PictureOptions>) => {
      const texts = readTexts(picture(changes));
      return ['Pinned', 'Training process', 'CUDA calls', 'State', 'kernel']
        .filter((name) => texts.includes(name))
        .sort((a, b) => texts.indexOf(a) - texts.indexOf(b));
    };
    expect(namesOf({})).toEqual(['Training process', 'CUDA calls', 'State', 'kernel']);
    expect(namesOf(tracks({ pinned: ['off_cpu:0'] }))).toEqual([
      'Pinned',
      'State',
      'Training process',
      'CUDA calls',
      'kernel',
    ]);
    expect(namesOf(tracks({ order: ['off_cpu:0', 'cuda_call:0'] }))).toEqual([
      'Training process',
      'State',
      'CUDA calls',
      'kernel',
    ]);
    expect(namesOf(tracks({ hidden: ['off_cpu:0'] }))).not.toContain('State');
    expect(readTexts(picture(tracks({ hidden: ['off_cpu:0'] }))).join()).toContain(
      'Not everything is shown: 1 track is hidden',
    );
    expect(namesOf(tracks({ collapsedGroups: ['main:0'] }))).not.toContain('State');
    const telling = tracks({ telling: ['off_cpu:0'] });
    expect(readTexts(picture(telling))).toContain('What matters here');
    expect(namesOf(telling)).toEqual(['State']);
    expect(namesOf(tracks({ filter: 'state' }))).toEqual(['Training process', 'State']);
  });

  test('marks range, selected event and notes', () => {
    const marked = picture({
      view: {
        tab: 'timeline',
        range: { startNs: 2e8, endNs: 5e8 },
        event: { table: 'cuda_call', row: 1, startNs: 3e8, durationNs: 2e8, label: '' },
      },
      notes: [
        { startNs: 5e8, endNs: 5e8, text: 'look here' },
        { startNs: 2e9, endNs: 2e9, text: 'beside it' },
      ],
    });
    const texts = readTexts(marked).join('\n');
    expect(texts).toContain('Selected range: +0.200');
    expect(texts).toContain('Selected: kernel, 200.0 ms at +0.300');
    expect(texts).toContain('look here');
    expect(texts).not.toContain('beside it');
    expect(readRectangles(marked, 'none')).toHaveLength(2);
  });

  test('leaves out host, user, paths and arguments where asked', () => {
    const trace = traceOf('/data/ada/patients/a.bin --key k');
    const note = 'on secret-box by ada, seen by quentin: C:\\data\\x.bin, --token=abc123';
    const notes = [{ startNs: 1, endNs: 1, text: note }];
    const open = picture({ notes }, trace);
    const hidden = picture({ notes, hidePrivate: true, name: '/home/ada/run.db of ada' }, trace);
    for (const secret of ['secret-box', 'ada', 'quentin', 'patients', '--key', 'abc123', '/home']) {
      expect(hidden).not.toContain(secret);
    }
    expect(open).toContain('secret-box');
    expect(hidden).toContain('CUDA calls');
  });

  test('the window is the view’s, within the trace', () => {
    const view = { tab: 'timeline', window: { startNs: 9.5e8, endNs: 1.05e9 } } as const;
    expect(readTexts(picture({ view })).join('\n')).toMatch(/100\.0\sms in view/);
  });
});

test('pictures have the screen’s colours', () => {
  const css = readFileSync('src-renderer/theme.css', 'utf8');
  const [light = '', dark = ''] = css.split(':root[data-theme="dark"]');
  for (const [source, theme] of [
    [light, pictureThemes.light],
    [dark, pictureThemes.dark],
  ] as const) {
    const colourOf = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(source)?.[1];
    const { background, panel, text, muted, border, accent } = theme;
    expect([background, panel, text, muted, border, accent]).toEqual(
      ['bg', 'panel', 'fg', 'muted', 'border', 'accent'].map(colourOf),
    );
  }
});
