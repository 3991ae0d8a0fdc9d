import type { FixSource } from '../../../shared/answers/diagnosis.ts';

/** Files that workers decode, for a job without a DataLoader. */
export const filesInWorkers = `class Files(Dataset):
    def __len__(self):
        return len(files)

    def __getitem__(self, index):
        return torch.from_numpy(decode(files[index]))

for inputs in DataLoader(Files(), batch_size=batch_size, num_workers=2):
    inputs = inputs.to(device)`;

export const loadingDocs: FixSource = {
  title: 'PyTorch: Single- and multi-process data loading',
  url: 'https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading',
};
