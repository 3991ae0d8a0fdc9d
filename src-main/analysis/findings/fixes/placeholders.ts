import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { PLACEHOLDER } from './own-names.ts';

/** Of what another process runs. */
const APART =
  'It stands at the top level of a file, and makes its result from values alone: a method takes its whole object along, and what it changes there is lost';

/** What stands for what in the code of fixes: each placeholder, in words. */
const WORDS: Readonly<Record<string, string>> = {
  YourDataset: 'the class of your dataset',
  your_answer: 'the function that answers a request',
  your_answer_of: 'makes the answer of what the model gave, on the CPU',
  your_array: 'the array or list in a sample',
  your_batch_sampler: 'the batch sampler that you have',
  your_batch_size: 'how many samples a batch has',
  your_batches: 'your batches, of sizes as they come',
  your_build: 'compiles for a size, and returns what computes a batch of it',
  your_byte_images:
    'your dataset, without the division by 255: images as bytes (uint8), and targets',
  your_collate: 'your collate_fn, or torch.utils.data.default_collate',
  your_collate_fn: 'your collate_fn',
  your_command: 'the program and its arguments, as a list',
  your_connection:
    'an end of torch.multiprocessing.Pipe(), whose other process answers each message once it has read the values',
  your_database: 'the path of the database',
  your_dataset: 'your dataset',
  your_device: 'the GPU, as torch.device("cuda")',
  your_epochs: 'how often the data is gone through',
  your_eval_loader: 'the loader that you evaluate with',
  your_evaluate: `what your evaluation computes on the CPU. ${APART}`,
  your_every: 'do it every so many steps',
  your_example: 'a batch as yours are',
  your_features: 'the tensor with a row for each sample',
  your_fetch_all: 'fetches many samples at once: a list, in the order of what it is given',
  your_fetch_one: 'fetches a sample',
  your_figure: `the function that works out the figure. ${APART}`,
  your_files: 'the list of your files',
  your_float_images: 'your dataset: images in floats, and targets',
  your_folder: 'the folder of the data',
  your_function: `the function that takes the time. ${APART}`,
  your_helper: 'what the other process does',
  your_hunt_begin: 'starts the tool, as tracemalloc.start()',
  your_hunt_look: 'looks at what the tool found',
  your_images: 'your images as bytes (uint8)',
  your_inner_dataset: 'the dataset of the inner loader',
  your_inputs: 'what each sample is made of, in order: names of files, rows, …',
  your_inputs_of: 'makes the model’s inputs of a request, on the CPU',
  your_insert: 'your INSERT statement, with a ? for each value',
  your_keeper: 'what the other process does with the results, until it gets None',
  your_labels: 'the tensor with the label of each sample',
  your_lines: 'the lines that the program is asked in a step',
  your_loader: 'the DataLoader that you have, or what else gives batches',
  your_lists: 'your lists of numbers, one for each sample',
  your_local_folder: 'a folder on a fast local disk',
  your_lock: 'the lock that you have',
  your_locked: 'takes the lock, and does for all of these what is done under it',
  your_log: 'your logger, as logging.getLogger()',
  your_make: 'makes a batch of one of these, on the CPU',
  your_maker: 'what the other process does for one of these',
  your_mean: 'the mean that you subtract',
  your_metric: 'your metric of a batch, in operations of PyTorch',
  your_metrics: 'your dict of numbers, with the same names on all ranks',
  your_model: 'the model',
  your_num_workers: 'how many workers you have',
  your_numbers: 'the numbers that a step needs on the GPU',
  your_objects: 'your dataset: each sample a list of dicts of numbers',
  your_open: 'opens or loads the data of a path',
  your_options:
    'all other options that your loader has, as they are, in a dict, without those that stand here',
  your_parts: 'what each batch or result is made of, in order: names of files, rows, …',
  your_parts_of: 'what a sample is put together from, as the names of its files',
  your_path: 'the path of the file',
  your_prepare: 'makes a sample of one of your inputs',
  your_prepare_all: 'does the same for a list of them at once, in NumPy or PyTorch',
  your_raw_images: 'your dataset without its transforms: images as bytes (uint8)',
  your_read: 'reads one of them',
  your_refresh: 'what the other thread does',
  your_request: 'asks for what the step of a number needs, and returns the answer',
  your_rest: 'puts the batch together from these, as your collate_fn does now',
  your_rest_of_item: 'all else that __getitem__ does now, with what was made',
  your_row: 'computes one row, in operations of PyTorch',
  your_sample: 'makes a sample of what was read',
  your_samples: 'your dataset: each sample a dict of tensors',
  your_sampler: 'the sampler that you have',
  your_sequence: 'the tensor in a sample that differs in length',
  your_shuffle: 'True where yours is shuffled, else False',
  your_state: 'what you save, as {"model": model.state_dict()}',
  your_statement: 'your INSERT statement, with a ? for the number of the sample',
  your_std: 'the deviation that you divide by',
  your_step: 'what your loop does with a batch, as it is; it returns the loss or the outputs',
  your_step_number: 'the number of the step',
  your_stream: 'what your examples come from',
  your_table: 'the dict or array that the workers look things up in',
  your_tensors: 'the tensors that are copied again and again',
  your_tensors_by_name: 'gives the tensors that are sent, as model.state_dict',
  your_texts: 'the list of your texts',
  your_tokenize: 'makes tokens of a text',
  your_transform: 'the transforms of an image',
  your_use_of: 'what you do with the result, as to log it',
  your_values: 'what it is given: arrays and numbers',
  your_weights: 'the weight of each sample',
  your_work: 'the work that is waited for',
  your_write: 'writes values to a path',
};

/**
 * `fix` whose new code says first, in comments, what to put in place of what. `user`: the function of the job that takes the batches of
 * its loader, where that is known.
 */
export function withWords(fix: Fix, user?: string): Fix {
  if (fix.language !== 'python') return fix;
  const found = [...new Set(fix.after.match(PLACEHOLDER))];
  if (found.length === 0) return fix;
  const wordsOf = (name: string) => {
    const words = WORDS[name] ?? wordsOfObject(name, fix.after);
    return name === 'your_loader' && user !== undefined ? `${words}, as in ${user}` : words;
  };
  const told = found.map((name) => `#   ${name}: ${wordsOf(name)}`);
  return { ...fix, after: ['# Put yours in place of:', ...told, fix.after].join('\n') };
}

/** Of `your_tree`, whose method the code calls: no trace names the object that a method is of. */
function wordsOfObject(name: string, code: string): string {
  const method = new RegExp(`\\b${name}\\.(\\w+)`).exec(code)?.[1];
  return method === undefined ? 'the object that is called' : `the object whose ${method}() it is`;
}
