/**
 * Parts of the Python that findings show. What a reader has too stands there by a short name, `dataset`, `model`, `files`,
 * `batch_size`, that own-names.ts replaces. Snippets run after test/support/snippet-setup.py, which has those names.
 */

/** A loader as most jobs write it, with one thing that matters. */
export function loaderLine(option: string): string {
  return `loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, ${option})`;
}

/** The options of a loader as `loaderLine` writes them, after the first three. */
const LOADER =
  /^(loader = DataLoader\(\w+(?:\(\.\.\.\))?, batch_size=\w+, shuffle=True), ([^()\n]*)\)/m;

/** Options of the loader in `code`, by name; undefined where it has none that `loaderLine` wrote. */
export function loaderOptions(code: string): ReadonlyMap<string, string> | undefined {
  const options = LOADER.exec(code)?.[2]?.split(', ');
  return options && new Map(options.map(namedOption));
}

/** `code` whose loader has `changed` options, those that it had not at the end. */
export function withLoaderOptions(code: string, changed: ReadonlyMap<string, string>): string {
  return code.replace(LOADER, (_, loader: string, options: string) => {
    const all = new Map([...options.split(', ').map(namedOption), ...changed]);
    // What unpacks a dict comes last.
    const isDict = (name: string) => name.startsWith('**');
    const named = [...all]
      .filter(([name]) => !isDict(name))
      .map(([name, value]) => `${name}=${value}`);
    return `${[loader, ...named, ...[...all.keys()].filter(isDict)].join(', ')})`;
  });
}

function namedOption(option: string): [string, string] {
  const at = option.indexOf('=');
  return at < 0 ? [option, ''] : [option.slice(0, at), option.slice(at + 1)];
}

/** A dataset of one file a sample. */
export const filesDataset = `class Files(Dataset):
    def __init__(self, path):
        self.paths = sorted(os.path.join(path, name) for name in os.listdir(path))

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
