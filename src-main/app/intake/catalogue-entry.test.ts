import { expect, test } from 'vitest';
import { UNNAMED_HOST } from '../../shared/model/hosts.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import { catalogueEntryOf } from './catalogue-entry.ts';

const gpus = ['NVIDIA A100', 'NVIDIA H200', 'NVIDIA H200'].map((model, at) => ({
  model,
  host: Math.min(at, 1),
}));

test('names the GPUs of every machine, each model once, and no machine that is not named', async () => {
  const hosts = ['alpha', 'beta', UNNAMED_HOST].map((hostname) => ({ hostname }));
  const summary = fakeSummary({}, { hosts, gpus: [...gpus, { model: '(not known)' }] });
  const entry = await catalogueEntryOf('/nowhere/merged.db', summary, {
    sample: false,
    storage: 'referenced',
  });
  expect(entry).toMatchObject({ gpu: 'NVIDIA A100; NVIDIA H200', machine: 'alpha; beta' });
});

test('leaves out what the trace does not tell', async () => {
  const entry = await catalogueEntryOf('/nowhere/x.db', fakeSummary({}), {
    sample: false,
    storage: 'referenced',
  });
  expect(entry).not.toHaveProperty('gpu');
  expect(entry).not.toHaveProperty('machine');
});
