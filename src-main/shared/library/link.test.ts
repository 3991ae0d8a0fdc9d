import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tabs } from '../tabs/tabs.ts';
import { formatLink, MAX_LINK_LENGTH, parseLink, type ViewLink } from './link.ts';
import { flameOrders, flameWeights, type SavedView, savedView } from './view.ts';

const ns = fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }).map((each) => each + 0);
const stretch = fc
  .tuple(ns, ns)
  .map(([a, b]) => ({ startNs: Math.min(a, b), endNs: Math.max(a, b) }));
const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
const ids = fc.array(text(30), { maxLength: 6 });
const optional = { requiredKeys: ['tab'] as const };

const views = fc.record(
  {
    tab: fc.constantFrom(...tabs),
    window: stretch,
    range: stretch,
    rangeTracks: ids,
    event: fc.record({
      table: fc.constantFrom('cuda_call' as const, 'off_cpu' as const),
      row: fc.nat(),
      startNs: ns,
      durationNs: ns,
      label: text(60),
    }),
    tracks: fc.record(
      {
        pinned: ids,
        hidden: ids,
        expanded: ids,
        collapsedGroups: ids,
        order: ids,
        filter: text(60),
        telling: ids,
      },
      {
        requiredKeys: ['pinned', 'hidden', 'expanded', 'collapsedGroups', 'order', 'filter'],
      },
    ),
    flame: fc.record(
      {
        weight: fc.constantFrom(...flameWeights),
        order: fc.constantFrom(...flameOrders),
        symbol: text(60),
        file: text(60),
        search: text(60),
        byRole: fc.boolean(),
      },
      { requiredKeys: ['weight', 'order', 'search'] },
    ),
  },
  { requiredKeys: [...optional.requiredKeys] },
);
const links: fc.Arbitrary<ViewLink> = fc.record(
  {
    investigation: fc.integer({ min: 1, max: 999_999_999_999_999 }),
    sha: fc.stringMatching(/^[0-9a-f]{16}$/),
    view: views,
  },
  { requiredKeys: ['investigation'] },
);

describe('a link', () => {
  test('reads back as it was written, whatever names are in it', () => {
    fc.assert(
      fc.property(links, (link) => {
        const { hash, leftOut } = formatLink(link);
        fc.pre(leftOut.length === 0);
        expect(parseLink(hash)).toEqual({ kind: 'link', link, damaged: false });
        expect(hash).toMatch(/^#[\w=&-]+$/);
      }),
    );
  });

  test('never gets longer than its bound, and says what it left out', () => {
    const long = (length: number) => fc.string({ minLength: length, maxLength: length + 20 });
    fc.assert(
      fc.property(views, long(300), long(2_000), (view, id, symbol) => {
        const link: ViewLink = {
          investigation: 1,
          view: {
            ...view,
            tracks: {
              pinned: Array.from({ length: 20 }, () => id),
              hidden: [],
              expanded: [],
              collapsedGroups: [],
              order: [],
              filter: '',
            },
            flame: { weight: 'cuda-time', order: 'sandwich', symbol: symbol + symbol, search: '' },
          },
        };
        const { hash, leftOut } = formatLink(link);
        expect(hash.length).toBeLessThanOrEqual(MAX_LINK_LENGTH);
        expect(leftOut).toEqual(['tracks', 'flame']);
        const {
          tracks: _tracks,
          rangeTracks: _range,
          flame: _flame,
          ...rest
        } = link.view as SavedView;
        expect(parseLink(hash)).toMatchObject({ link: { view: rest } });
      }),
      { numRuns: 30 },
    );
  });

  test('leaves out the tracks alone where that is enough', () => {
    const tracks = {
      pinned: ['x'.repeat(300)],
      hidden: Array.from({ length: 20 }, () => 'y'.repeat(300)),
      expanded: [],
      collapsedGroups: [],
      order: [],
      filter: '',
    };
    const flame = { weight: 'cuda-time', order: 'time', search: 'x' } as const;
    const { hash, leftOut } = formatLink({
      investigation: 1,
      view: { tab: 'flame', tracks, flame },
    });
    expect(leftOut).toEqual(['tracks']);
    expect(parseLink(hash)).toMatchObject({ link: { view: { tab: 'flame', flame } } });
  });
});

describe('an address', () => {
  test.each(['', '#', '#content', '#token=x', '#investigations=3'])('%j is no link', (hash) => {
    expect(parseLink(hash)).toEqual({ kind: 'none' });
  });

  test.each([
    '#investigation=',
    '#investigation=0',
    '#investigation=-1',
    '#investigation=3x',
    '#investigation=3&sha=xyz',
    '#investigation=3&view=<script>',
    `#investigation=3&view=${'A'.repeat(3 * MAX_LINK_LENGTH)}`,
  ])('%.60j is a bad one', (hash) => {
    expect(parseLink(hash)).toEqual({ kind: 'bad' });
  });

  test('names an investigation alone', () => {
    expect(parseLink('#investigation=3')).toEqual({
      kind: 'link',
      link: { investigation: 3 },
      damaged: false,
    });
  });

  test('a view that cannot be read leaves the investigation', () => {
    const view = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '');
    for (const text of [
      '',
      'AAAA',
      'A',
      view(null),
      view([]),
      view({ b: 'nowhere' }),
      view({ b: 'timeline', w: [5, 1] }),
      view({ b: 'timeline', w: 'x' }),
      view({ b: 'timeline', e: ['sqlite_master', 0, 0, 0, ''] }),
      view({ b: 'timeline', t: [['x'.repeat(301)], [], [], [], [], ''] }),
    ]) {
      const parsed = parseLink(`#investigation=3&sha=${'0'.repeat(16)}&view=${text}`);
      expect(parsed).toMatchObject({ kind: 'link', damaged: true });
      expect(parsed).not.toHaveProperty('link.view');
    }
  });

  test('nothing that can be typed there throws, and what is read fits the schema', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }).map((each) => `#${each}`),
      fc.base64String().map((each) => `#investigation=1&view=${each.replace(/[+/=]/g, '')}`),
      fc
        .json()
        .map((each) => `#investigation=1&view=${btoa(encodeURI(each)).replace(/[+/=]/g, '')}`),
    );
    fc.assert(
      fc.property(hostile, (hash) => {
        const parsed = parseLink(hash);
        if (parsed.kind === 'link' && parsed.link.view !== undefined)
          expect(savedView.safeParse(parsed.link.view).success).toBe(true);
      }),
    );
  });
});
