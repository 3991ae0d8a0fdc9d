import { describe, expect, test } from 'vitest';
import { ingeroTrace } from '../../../../test/fixtures/ingero/open.ts';
import type { Release } from '../../../../test/fixtures/ingero/schemas.ts';

const launch = (pid: number, node: string) => ({
  ...{ pid, source: 1, op: 3, timestampNs: 1_000_000, durationNs: 5000, node },
});

/** `pid: rank/local rank/world size` of each process. */
function ranksOf(nodes: readonly string[], sql: string, release: Release = '0.17.0'): string[] {
  const events = nodes.flatMap((node) => [launch(96, node), launch(96, node), launch(97, node)]);
  return ingeroTrace({ events, sql }, release).processes.map(
    ({ pid, rank, localRank, worldSize }) => `${pid}: ${rank}/${localRank}/${worldSize}`,
  );
}

const set = (what: string, where: string) => `UPDATE events SET ${what} WHERE ${where};`;
const all = (rank: number) => `rank = ${rank}, local_rank = ${rank % 2}, world_size = 4`;
const NOBODY = 'undefined/undefined/undefined';

describe('ranks of processes', () => {
  test('are those that their events carry', () => {
    expect(ranksOf(['node-1'], set(all(3), 'pid = 96'))).toEqual(['96: 3/1/4', `97: ${NOBODY}`]);
  });

  test('are told apart by machine', () => {
    const sql = set(all(0), "node = 'a'") + set(all(2), "node = 'b'");
    expect(ranksOf(['a', 'b'], sql)).toEqual(['96: 0/0/4', '97: 0/0/4', '96: 2/0/4', '97: 2/0/4']);
  });

  test('are not known where the events of a process disagree, or hold what is no rank', () => {
    const differing = `${set(all(1), 'pid = 96')}UPDATE events SET rank = 2 WHERE rowid = 1;`;
    expect(ranksOf(['node-1'], differing)[0]).toBe('96: undefined/1/4');
    const strange = set("rank = 1, local_rank = x'00', world_size = 9223372036854775807", '1');
    expect(ranksOf(['node-1'], strange)[0]).toBe('96: 1/undefined/undefined');
    expect(ranksOf(['node-1'], set("rank = 'first'", '1'))[0]).toBe(`96: ${NOBODY}`);
    expect(ranksOf(['node-1'], set('rank = -1', '1'))[0]).toBe(`96: ${NOBODY}`);
  });

  test('are unknown in files from before the columns', () => {
    expect(ranksOf(['node-1'], '', '0.8.1')).toEqual([`96: ${NOBODY}`, `97: ${NOBODY}`]);
  });
});
