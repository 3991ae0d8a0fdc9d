import { describe, expect, test } from 'vitest';
import { ChannelPatience } from './channel-patience.ts';

const MIB = 1024 ** 2;

/** What is said at last, and after how many seconds; each first does `during`. */
function waited(
  patience: ChannelPatience,
  during: (second: number) => unknown = () => undefined,
  mostS = 100_000,
): { said: string | undefined; afterS: number } {
  for (let second = 1; second <= mostS; second++) {
    during(second);
    const said = patience.tick(true);
    if (said !== undefined) return { said, afterS: second };
  }
  return { said: undefined, afterS: mostS };
}

describe('patience with a channel', () => {
  test('ends where nothing comes', () => {
    expect(waited(new ChannelPatience())).toEqual({
      said: 'has sent nothing for 60 s',
      afterS: 60,
    });
  });

  test('has no end where nothing is waited for', () => {
    const patience = new ChannelPatience();
    for (let second = 0; second < 1000; second++) expect(patience.tick(false)).toBeUndefined();
  });

  test('ends with a drip, and not with a slow line', () => {
    const drip = new ChannelPatience();
    expect(waited(drip, (second) => second % 50 === 0 && drip.heard(1))).toEqual({
      said: 'has sent 6 bytes in 300 s',
      afterS: 300,
    });
    const slow = new ChannelPatience();
    expect(waited(slow, () => slow.heard(40), 5000).said).toBeUndefined();
  });

  test('ends where a checksum stands still, whatever is said of it', () => {
    const patience = new ChannelPatience();
    patience.awaitHash(100 * MIB);
    const sayAgain = () => {
      patience.heard(80);
      patience.hashed(7);
    };
    expect(waited(patience, sayAgain)).toEqual({
      said: 'has made no progress on the checksum of the trace for 60 s',
      afterS: 60,
    });
  });

  test('ends where a checksum gets on at a crawl', () => {
    const patience = new ChannelPatience();
    patience.awaitHash(100 * MIB);
    expect(waited(patience, (second) => patience.hashed(second))).toEqual({
      said: 'was not done with the checksum of the trace after 160 s',
      afterS: 161,
    });
  });

  test('lasts as long as a busy host needs', () => {
    const patience = new ChannelPatience();
    patience.awaitHash(1000 * MIB);
    const bytesAt = (second: number) => Math.min(1000, Math.floor(second / 5) * 10) * MIB;
    expect(waited(patience, (second) => patience.hashed(bytesAt(second)), 500).said).toBe(
      undefined,
    );
  });

  test.each([
    ['more than there is', [101 * MIB]],
    ['less than before', [50 * MIB, 49 * MIB]],
  ])('takes no progress of a checksum that is %s', (_, steps) => {
    const patience = new ChannelPatience();
    patience.awaitHash(100 * MIB);
    expect(steps.map((bytes) => patience.hashed(bytes)).at(-1)).toBe(false);
  });
});
