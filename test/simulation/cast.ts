import type { ProcessInfo, ThreadInfo } from '../../src-main/shared/model/trace.ts';

/** Who is on the machine, by position: processes first, then their threads. */

export const WORKERS = 4;

const PYTHON = '/opt/train/bin/python3 train.py --epochs 1 --batch-size 64 --num-workers 4';

const workerNumbers = Array.from({ length: WORKERS }, (_, index) => index);

/** Position of the process of worker `index`; main is 0, rsync and its ssh come last. */
const workerProcess = (index: number) => 1 + index;

const MAIN_PID = 4_121;
const workerPid = (index: number) => MAIN_PID + 58 + index;

export const processes: readonly ProcessInfo[] = [
  {
    pid: MAIN_PID,
    name: 'python3',
    commandLine: PYTHON,
    parent: -1,
    role: 'main',
    roleBasis: 'makes the CUDA calls',
  },
  ...workerNumbers.map(
    (index): ProcessInfo => ({
      pid: workerPid(index),
      name: 'pt_data_worker',
      commandLine: PYTHON,
      parent: 0,
      role: 'dataloader-worker',
      roleBasis: 'forked by main, named pt_data_worker',
    }),
  ),
  {
    pid: 2_980,
    name: 'rsync',
    commandLine: 'rsync -az --partial /data/archive/ backup:/archive/',
    parent: -1,
    role: 'other',
    roleBasis: 'not of the job’s process tree',
  },
  {
    pid: 2_981,
    name: 'ssh',
    commandLine: 'ssh backup rsync --server -logDtprze.iLsfxCIvu --partial . /archive/',
    parent: WORKERS + 1,
    role: 'other',
    roleBasis: 'not of the job’s process tree',
  },
];

export const MAIN = 0;
export const PIN = 1;
export const workerThread = (index: number) => 2 + 2 * index;
export const feederThread = (index: number) => 3 + 2 * index;
export const RSYNC = 2 + 2 * WORKERS;
export const SSH = RSYNC + 1;

export const threads: readonly ThreadInfo[] = [
  { tid: MAIN_PID, process: 0, name: 'python3', role: 'main' },
  { tid: MAIN_PID + 70, process: 0, name: 'pt_data_pin', role: 'pin-memory' },
  ...workerNumbers.flatMap((index): ThreadInfo[] => {
    const task = { process: workerProcess(index), name: 'pt_data_worker' };
    const role = 'dataloader-worker';
    return [
      { ...task, tid: workerPid(index), role },
      { ...task, tid: workerPid(index) + 30, role },
    ];
  }),
  { tid: 2_980, process: WORKERS + 1, name: 'rsync', role: 'other' },
  { tid: 2_981, process: WORKERS + 2, name: 'ssh', role: 'other' },
];
