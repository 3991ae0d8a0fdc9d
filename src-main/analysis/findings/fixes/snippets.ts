/**
 * Parts of the Python that findings show. What a reader has too stands there as a placeholder, `your_loader`, `YourDataset`: own-names.ts
 * puts what the trace knows in its place, placeholders.ts says in words what the others are. Snippets run after
 * test/support/snippet-setup.py, which has those names, torch and DataLoader, and nothing else.
 */

/** A loader with one thing that matters; what else it has stays. */
export function loaderLine(option: string): string {
  return `loader = DataLoader(your_dataset, batch_size=your_batch_size, ${option}, **your_options)`;
}

/** The options of a loader as `loaderLine` writes them, after the first two. */
const LOADER = /^(loader = DataLoader\(\w+(?:\(\.\.\.\))?, batch_size=\w+), ([^()\n]*)\)/m;

/** Options of the loader in `code`, by name; undefined where it has none that `loaderLine` wrote. */
export function loaderOptions(code: string): ReadonlyMap<string, string> | undefined {
  const options = LOADER.exec(code)?.[2]?.split(', ');
  return options && new Map(options.filter((option) => !isDict(option)).map(namedOption));
}

/** `code` whose loader has `changed` options, those that it had not at the end. */
export function withLoaderOptions(code: string, changed: ReadonlyMap<string, string>): string {
  return code.replace(LOADER, (_, loader: string, options: string) => {
    const all = new Map([...options.split(', ').map(namedOption), ...changed]);
    const named = [...all]
      .filter(([name]) => !isDict(name))
      .map(([name, value]) => `${name}=${value}`);
    // What unpacks a dict comes last.
    return `${[loader, ...named, ...[...all.keys()].filter(isDict)].join(', ')})`;
  });
}

const isDict = (option: string) => option.startsWith('**');

function namedOption(option: string): [string, string] {
  const at = option.indexOf('=');
  return at < 0 ? [option, ''] : [option.slice(0, at), option.slice(at + 1)];
}

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
