import type { Fix, FixSource } from '../../../shared/answers/diagnosis.ts';
import { pytorchDocs } from './sources.ts';

/** Files that workers decode, for a job without a DataLoader. */
export const filesInWorkers = `class Files(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        return torch.from_numpy(decode(files[index]))

for inputs in DataLoader(Files(), batch_size=batch_size, num_workers=2):
    inputs = inputs.to(device)`;

/**
 * A loader whose dataset makes a whole batch at once, for a dataset that waits for each sample: `wait` is what it waits for,
 * `a request`; `name` the class.
 */
export function wholeBatches(
  wait: string,
  name: string,
  workers: string,
): Pick<Fix, 'before' | 'after' | 'language' | 'sources'> {
  const setUp = `def fetch(names):  # ${wait}, however many names there are
    return [decode(name) for name in names]`;
  return {
    before: `${setUp}

class ${name}(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        return torch.from_numpy(fetch([files[index]])[0])  # ${wait} for each sample

loader = DataLoader(${name}(), batch_size=batch_size, shuffle=True, ${workers})`,
    after: `from torch.utils.data import BatchSampler, RandomSampler

${setUp}

class ${name}(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, indices):
        return torch.from_numpy(np.stack(fetch([files[index] for index in indices])))

batches = BatchSampler(RandomSampler(range(len(files))), batch_size, drop_last=False)
loader = DataLoader(${name}(), sampler=batches, batch_size=None, ${workers})  # ${wait} for each batch`,
    language: 'python',
    sources: [
      pytorchDocs(
        'loading batched and non-batched data',
        'docs/stable/data.html#disable-automatic-batching',
      ),
    ],
  };
}

export const loadingDocs: FixSource = {
  title: 'PyTorch: Single- and multi-process data loading',
  url: 'https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading',
};
