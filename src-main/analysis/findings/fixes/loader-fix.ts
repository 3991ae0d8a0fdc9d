import type { Fix, FixSource } from '../../../shared/answers/diagnosis.ts';
import { pytorchDocs } from './sources.ts';

/** Batches that workers make, for a job without a DataLoader. */
export const batchesInWorkers = `from torch.utils.data import DataLoader, Dataset

class Ahead(Dataset):
    def __len__(self):
        return len(your_parts)

    def __getitem__(self, index):
        return your_make(your_parts[index])  # in a worker: it leaves the GPU alone

for batch in DataLoader(Ahead(), batch_size=None, num_workers=2):  # in the same order
    your_step(batch)`;

/**
 * A dataset that makes all samples of a batch at once: `all` does for many what `one` does for one, and `why` says what is
 * saved, `one request`.
 */
export function wholeBatches(
  one: string,
  all: string,
  why: string,
): Pick<Fix, 'before' | 'after' | 'language' | 'sources'> {
  const head = `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):`;
  return {
    before: `${head}
        return ${one}(your_inputs[index])  # ${why} for each sample`,
    after: `${head}
        return self.__getitems__([index])[0]

    def __getitems__(self, indices):  # PyTorch 2 asks it for a whole batch
        return ${all}([your_inputs[index] for index in indices])  # ${why} for all`,
    language: 'python',
    sources: [
      pytorchDocs('Map-style datasets, __getitems__()', 'docs/stable/data.html#map-style-datasets'),
    ],
  };
}

/** What has to be known of `wholeBatches`: for the text of a fix. */
export const WHOLE_BATCHES =
  'PyTorch 2 or newer calls __getitems__() where a dataset has it, for all samples of a batch; the loader, its order and its collate_fn stay as they are.';

export const loadingDocs: FixSource = {
  title: 'PyTorch: Single- and multi-process data loading',
  url: 'https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading',
};
