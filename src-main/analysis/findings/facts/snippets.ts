/**
 * Parts of the Python that findings show. Snippets run after test/support/snippet-setup.py, which
 * has the names that a reader has too: `dataset`, `model`, `device`, and settings that a trace does
 * not show: `batch_size`, and `num_workers` where it is not what the finding is about.
 */

/** A loader as most jobs write it, with one thing that matters. */
export function loaderLine(option: string): string {
  return `loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, ${option})`;
}

/** A dataset of one file a sample. */
export const filesDataset = `class Files(Dataset):
    def __init__(self, folder):
        self.paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return torch.from_numpy(np.load(self.paths[index]))`;

/** A dataset that reads the rows of one array on disk. */
export function rowsDataset(name: string): string {
  return `class ${name}(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index].copy())`;
}
