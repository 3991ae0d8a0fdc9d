import { describe, expect, test } from 'vitest';
import { provenanceWord } from './provenance-words.ts';

describe('provenanceWord', () => {
  test.each([
    ['exact', undefined, 'exact'],
    ['aggregated', 6e10, 'aggregated per 60 s'],
    ['sampled', 1.5e8, 'sampled every 150 ms'],
    ['sampled', 1.25e6, 'sampled every 1.250 ms'],
  ] as const)('%s, every %s ns', (kind, everyNs, word) => {
    expect(provenanceWord({ kind, ...(everyNs !== undefined && { everyNs }) })).toBe(word);
  });
});
