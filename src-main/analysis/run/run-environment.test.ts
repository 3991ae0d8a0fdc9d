import { expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { diagnose } from '../findings/diagnose.ts';
import { gpuTrace } from '../testing/gpu-job.ts';
import { starved } from '../testing/gpu-jobs.ts';
import { runEnvironment } from './run-environment.ts';

function environmentOf(trace: Trace) {
  const [rank] = diagnose(trace).ranks;
  return runEnvironment(trace, rank.facts, { count: 1, h2dBytes: undefined });
}

function workersIn(trace: Trace) {
  const { workers, someWorkers } = environmentOf(trace);
  return someWorkers ? 'some' : workers;
}

/** What the loader's range is called. */
function loading(called: string, trace = gpuTrace([starved()])): Trace {
  const names = trace.names.map((name) => name.replace(/^enumerate\(.*/, called));
  return { ...trace, names };
}

test('that a job has no workers is told by the class of its loader, or by all processes that were started', () => {
  expect(workersIn(loading('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__'))).toBe(0);
  expect(workersIn(loading('enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'))).toBe(
    'some',
  );
  // Without either, workers may just not be recorded.
  expect(workersIn(loading('load'))).toBeUndefined();
  const process_event = { kind: 'exact', note: '' } as const;
  const alone = gpuTrace([starved()], { provenance: { process_event } });
  expect(workersIn(loading('load', alone))).toBe(0);
});

test('one recorder is told apart by how it recorded switches', () => {
  const by = (kind: 'exact' | 'partial' | 'sampled' | 'absent') =>
    environmentOf(gpuTrace([starved()], { provenance: { off_cpu: { kind, note: '' } } })).recorder;
  expect(by('sampled')).toBe(`${by('absent')}, context switches sampled`);
  expect(by('exact')).toBe(`${by('absent')}, context switches`);
  expect(by('partial')).toBe(by('exact'));
});

test('a GPU that the file only numbers is of no known model', () => {
  const trace = gpuTrace([starved()]);
  const gpus = (...models: string[]) =>
    environmentOf({ ...trace, gpus: models.map((model) => ({ ...trace.gpus[0], model })) }).gpus;
  expect(gpus('GPU 0', 'GPU 1')).toEqual([]);
  expect(gpus('Tesla V100', 'GPU 1')).toEqual(['Tesla V100']);
});
