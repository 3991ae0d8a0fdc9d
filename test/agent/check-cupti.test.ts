import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../support/agent/agent.ts';
import { agentPath, cudart, standIn } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** Whether a job on this machine would find CUPTI, without which nothing is known of the GPU. */

const cupti = standIn('libcupti.so.12');
/** Where `check` looks besides, emptied: as on a machine that has neither toolkit nor packages. */
const EMPTIED = ['/usr/local', '/opt'];
/** Of processes there are the shell, the agent and, where one is named, a job that has loaded the library. */
const ALONE = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c'];
/** Mounts, says once that it has loaded `library`, and runs the rest; the job ends with its standard input. */
const SCRIPT = `for folder in ${EMPTIED.join(' ')}; do mount -t tmpfs none $folder; done
  library=$1 place=$2; shift 2
  if [ "$place" ]; then mkdir -p "$(dirname "$place")" && : > "$place"; fi
  [ "$library" ] || exec "$@"
  mkfifo "$0/loaded" "$0/end"
  /usr/bin/python3 -c 'import ctypes, sys
ctypes.CDLL(sys.argv[1]); open(sys.argv[2], "w").close(); open(sys.argv[3]).read()' "$library" "$0/loaded" "$0/end" &
  read word < "$0/loaded"; "$@"; : > "$0/end"; wait`;

interface Machine {
  /** What its one job has loaded. */
  readonly library?: string;
  /** A file that lies there. */
  readonly place?: string;
}

function check({ library = '', place = '' }: Machine, ...args: readonly string[]): string {
  const [program = '', ...words] = [...ALONE, SCRIPT, scratchFolder(), library, place];
  const { stdout, stderr } = spawnSync(program, [...words, agentPath, 'check', ...args], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout;
}

function detailOf(machine: Machine, ...args: readonly string[]): string {
  const { tiers } = JSON.parse(check(machine, '--json', ...args));
  const inside = tiers.find(({ id }: { id: string }) => id === 'inside');
  expect(inside.available).toBe(true);
  return inside.detail.replace(/^Tried: the job's memory can be shared with the agent\. /, '');
}

/** A folder as pip's, with copies of the stand-ins by these names below it. */
function packages(...files: readonly (readonly [from: string, to: string])[]): string {
  const folder = join(scratchFolder(), 'site-packages');
  for (const [from, to] of files) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
  }
  return folder;
}

describeWith(['agent', 'mount'], 'check, of CUPTI', () => {
  test('says where there is none what a job has then, and what the way would see all the same', () => {
    expect(detailOf({}, '--pretend-missing', 'bpf')).toBe(
      'CUPTI was not found on this machine; where the job brings none, its CUDA calls are recorded from imports, and nothing of the GPU.',
    );
    expect(check({})).toMatch(/^yes {3}From inside the job .*\n.*\n.*CUPTI was not found/m);
  });

  test('names the one that a process has loaded', () => {
    expect(detailOf({ library: cupti })).toBe(`CUPTI: ${cupti}`);
  });

  test.each([
    ['nvidia/cuda_runtime/lib/libcudart.so.12', 'nvidia/cuda_cupti/lib/libcupti.so.12'],
    ['nvidia/cu13/lib/libcudart.so.13', 'nvidia/cu13/lib/libcupti.so.13'],
    ['cuda/targets/x/lib/libcudart.so.11.8.89', 'cuda/extras/CUPTI/lib64/libcupti.so.11.8'],
  ])('names that of the runtime that a process has loaded: %s', (runtime, of) => {
    const folder = packages([cudart, runtime], [cupti, of]);
    expect(detailOf({ library: join(folder, runtime) })).toBe(`CUPTI: ${join(folder, of)}`);
  });

  test('does not name one of another CUDA version', () => {
    const runtime = 'nvidia/cuda_runtime/lib/libcudart.so.12';
    const folder = packages([cudart, runtime], [cupti, 'nvidia/cuda_cupti/lib/libcupti.so.13']);
    expect(detailOf({ library: join(folder, runtime) })).toMatch(/^CUPTI was not found/);
  });

  test.each([
    '/usr/local/cuda-12.4/extras/CUPTI/lib64/libcupti.so.12',
    '/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcupti.so.12',
    '/usr/local/lib/python3.12/dist-packages/nvidia/cuda_cupti/lib/libcupti.so.12',
  ])('names %s', (place) => {
    expect(detailOf({ place })).toBe(`CUPTI: ${place}`);
  });

  test('shows nothing that a terminal would obey of a name that another user chose', () => {
    const name = 'a\u001b[31m\u009b\nb/libcupti.so.12';
    const library = join(packages([cupti, name]), name);
    for (const text of [detailOf({ library }), check({ library })]) {
      expect(text).toMatch(/a\\x1b\[31m\\u009b\\x0ab\/libcupti\.so\.12$/m);
      expect(text).not.toContain('\u001b');
    }
  });
});
