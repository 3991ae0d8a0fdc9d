import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimFunction, folderFunctions, folderName } from './folder-script.ts';

describe('our folder on a host, made by another Stalltrace at the same moment', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'stalltrace-claim-'));
  });
  afterEach(() => rmSync(place, { recursive: true }));

  /** What `claim` says, where `meanwhile` replaces a command. */
  function claim(meanwhile: string, path: string): string {
    const script = `${folderFunctions}${claimFunction}${meanwhile}
if claim "$1" id; then echo ours; else echo "problem: $problem"; fi`;
    return execFileSync('sh', ['-c', script, 'sh', path], { encoding: 'utf8' }).trim();
  }
  const marker = (path: string) =>
    readFileSync(join(path, folderName(process.getuid?.() ?? 0), '.stalltrace'), 'utf8');

  test('is ours where the other makes the place before us', () => {
    const path = join(place, '.cache');
    const said = claim('mkdir() { command mkdir "$@"; command mkdir "$@"; }', path);
    expect(said).toBe('ours');
    expect(marker(path)).toBe('stalltrace-folder 1 id\n');
  });

  test('is ours where the other marks and fills it while we look', () => {
    const said = claim(
      `ls() {
  if [ "$1" = -A ]; then
    echo 'stalltrace-folder 1 other' > "$2/.stalltrace"
    command mkdir "$2/agent"
  fi
  command ls "$@"
}`,
      place,
    );
    expect(said).toBe('ours');
    expect(marker(place)).toBe('stalltrace-folder 1 other\n');
  });

  test('is not ours where it holds what nobody marked', () => {
    const said = claim(
      'mkdir() { command mkdir "$@"; for folder; do :; done; command mkdir "$folder/x"; }',
      place,
    );
    expect(said).toBe('problem: unmarked');
  });
});
