import type { HostKind } from '../../shared/answers/host-time.ts';

/**
 * What a function on a stack says of the training loop's work. This is the one list to add a library to. A stack says
 * what the first entry says that one of its frames fits, so what tells most stands first: a checkpoint that is
 * saved within an evaluation is a checkpoint.
 */
export interface CallSign {
  readonly kind: HostKind;
  /** Of the function, without its class where it has one: `Trainer.save_model` is `save_model`. */
  readonly symbol?: RegExp;
  /** Of the source file, or of the program or library where there is none. */
  readonly file?: RegExp;
  /** Whether it is C code, or the kernel's; Python otherwise. */
  readonly isNative?: true;
}

/** Python/gc.c, Modules/gcmodule.c: all but the first are `static`, so that only programs with symbols show them. */
const COLLECTOR =
  /^(_?PyGC_Collect\w*|gc_collect(_\w+)?|deduce_unreachable(_heap)?|subtract_refs|update_refs|move_unreachable|visit_(decref|reachable)|untrack_(tuples|dicts)|delete_garbage|handle_weakrefs|finalize_garbage|collect_(generations|with_callback))(\.|$)/;

/** Functions of file systems that a write, an fsync or a rename of a file comes to. */
const FILE_WRITES =
  /^((ext[24]|xfs|btrfs|f2fs|fuse|nfs|ovl|shmem|generic)_(file_|da_|buffered_|block_)?(write|perform_write|fsync|sync)\w*|generic_perform_write|vfs_fsync\w*|do_fsync|ksys_sync\w*|file_write_and_wait_range|__filemap_fdatawrite\w*)(\.|$)/;

/** A write to what somebody else reads. Over a network it may be a request as well: that says nothing. */
const STREAM_WRITES =
  /^(anon_)?(pipe_write|tty_write|n_tty_write|file_tty_write|unix_(stream|dgram)_sendmsg)(\.|$)/;

/** The end of a file in shared memory: workers hand each batch over in one, and it ends with the batch. */
const SHARED_MEMORY_ENDS = /^shmem_(evict_inode|undo_range|truncate_range)(\.|$)/;

/** Where tensors, arrays and other values are made into text. */
export const TEXT_OF_VALUES =
  /\/(torch\/_tensor_str|numpy\/_?core\/arrayprint|pprint|reprlib)\.py$/;

/** All of TorchInductor but what also runs, or only configures, what it compiled. */
const INDUCTOR =
  /\/torch\/_inductor\/(?!(runtime|package|compile_worker)\/|(__init__|compile_fx|codecache|output_code|utils|cudagraph\w*|standalone_compile|stream_utils|aoti_eager|metrics|hooks|config)\.py$)[\w/]+\.py$/;

export const callSigns: readonly CallSign[] = [
  { kind: 'garbage-collection', symbol: COLLECTOR, isNative: true },

  // What torch.compile does at a call whose shapes it does not know yet. What runs the compiled code is in other files.
  {
    kind: 'compiling',
    file: /\/torch\/_dynamo\/(convert_frame|symbolic_convert|output_graph|bytecode_\w+|variables\/\w+)\.py$/,
  },
  { kind: 'compiling', file: INDUCTOR },
  {
    kind: 'compiling',
    file: /\/torch\/_inductor\/(compile_fx|codecache|runtime\/\w+)\.py$/,
    symbol: /compil|codegen|autotune_to|benchmark|^(load|lookup|write|make_launcher|bench)/,
  },
  {
    kind: 'compiling',
    file: /\/torch\/_functorch\/(partitioners|_aot_autograd\/(graph_compile|graph_capture\w*|dispatch_and_compile_graph|traced_function_transforms|collect_metadata_analysis))\.py$/,
  },
  { kind: 'compiling', file: /\/torch\/utils\/cpp_extension\.py$/ },
  {
    kind: 'compiling',
    file: /\/triton\/(code_gen|compiler|compiler\/(code_generator|make_launcher)|backends\/\w+\/compiler|runtime\/build)\.py$/,
  },
  {
    kind: 'compiling',
    file: /\/triton\/(compiler\/compiler|runtime\/(jit|autotuner))\.py$/,
    symbol: /^(compile|_do_compile|make_ir|parse|_?bench\w*)$/,
  },
  {
    kind: 'compiling',
    file: /\/numba\/\w+\/\w*(compiler|dispatcher|codegen)\w*\.py$/,
    symbol: /compile|codegen|finalize|lower/,
  },
  {
    kind: 'compiling',
    file: /\/jax\/_src\/(compiler|interpreters\/mlir)\.py$/,
    symbol: /compile|lower/,
  },
  { kind: 'compiling', file: /\/cupy\/cuda\/compiler\.py$/ },
  // NVRTC, the compiler of the driver, and LLVM, within the process.
  {
    kind: 'compiling',
    file: /\/lib(nvrtc|nvvm|nvptxcompiler|nvidia-(ptxjitcompiler|nvvm)|LLVM|llvmlite|triton)\b/,
    isNative: true,
  },

  { kind: 'checkpoint', file: /\/torch\/serialization\.py$/, symbol: /save|writer/i },
  { kind: 'checkpoint', file: /\/torch\/distributed\/checkpoint\//, symbol: /save|writ|async/i },
  {
    kind: 'checkpoint',
    file: /\/safetensors\/\w+\.py$/,
    symbol: /^(save|save_\w+|_flatten|_tobytes)$/,
  },
  {
    kind: 'checkpoint',
    file: /\/numpy\/lib\/(_?npyio|_?format)\w*\.py$/,
    symbol: /^_?(save|write)/,
  },
  {
    kind: 'checkpoint',
    file: /\/(pickle|_compat_pickle|cloudpickle\w*|dill\w*)\.py$/,
    symbol: /^(dump|save|memoize|persistent_id)/,
  },
  { kind: 'checkpoint', file: /\/joblib\/numpy_pickle\.py$/, symbol: /dump|save|write/ },
  {
    kind: 'checkpoint',
    file: /\/h5py\/_hl\//,
    symbol: /^(create_dataset|__setitem__|flush|close)$/,
  },
  {
    kind: 'checkpoint',
    file: /\/(lightning|pytorch_lightning|lightning_fabric)\/.*(checkpoint|cloud_io)/,
    symbol: /save|dump|write/,
  },
  {
    kind: 'checkpoint',
    file: /\/(site|dist)-packages\//,
    symbol: /^_?(save_(checkpoint|pretrained|state|model|file|accelerator_state|weights)\w*)$/,
  },

  { kind: 'slow-output', file: /\/logging\/(__init__|handlers)\.py$/ },
  { kind: 'slow-output', file: /\/(loguru|structlog|absl\/logging|coloredlogs)\// },
  { kind: 'slow-output', file: /\/(tqdm|progressbar|alive_progress|fastprogress|rich)\// },
  { kind: 'slow-output', file: /\/(wandb|mlflow|neptune|comet_ml|clearml|aim|swanlab|dvclive)\// },
  { kind: 'slow-output', file: /\/(tensorboardX?|torch\/utils\/tensorboard)\// },
  { kind: 'slow-output', file: /\/(lightning|pytorch_lightning)\/.*(loggers|progress)\// },
  { kind: 'slow-output', file: /\/(csv|warnings)\.py$/ },
  // Behind those that put out lines: a log that is full is copied, packed and begun anew.
  { kind: 'checkpoint', file: /\/shutil\.py$/, symbol: /^_?(copy|fastcopy|move|make_archive)/ },
  // A value made into text is for somebody to read.
  { kind: 'slow-output', file: TEXT_OF_VALUES },

  {
    kind: 'subprocess-wait',
    file: /\/(subprocess|pexpect\/\w+|plumbum\/.*|sh|asyncio\/subprocess)\.py$/,
  },
  {
    kind: 'subprocess-wait',
    file: /\/multiprocessing\/(process|popen_\w+)\.py$/,
    symbol: /^(join|wait|poll)$/,
  },
  { kind: 'subprocess-wait', file: /\/os\.py$/, symbol: /^(popen|_execvpe?|spawn\w*|_spawnvef)$/ },

  { kind: 'evaluation', file: /\/(lightning|pytorch_lightning)\/.*eval\w*_loop/ },
  {
    kind: 'evaluation',
    file: /\/(transformers\/trainer\w*|keras\/.*|ignite\/.*|fastai\/.*|accelerate\/.*)\.py$/,
    symbol: /^(evaluat\w*|prediction_(loop|step)|validat\w*)$/,
  },
  {
    kind: 'evaluation',
    file: /\/(detectron2|mmengine|mmcv)\/.*(evaluat|val_?loop|test_?loop|loops)/i,
    symbol: /eval|val|test/i,
  },

  {
    kind: 'host-metrics',
    file: /\/(sklearn|torchmetrics|torcheval|ignite\/metrics|statsmodels|evaluate|sacrebleu|nltk|rouge_score|seqeval|pycocotools)\//,
  },
  { kind: 'host-metrics', file: /\/(matplotlib|seaborn|plotly)\// },
  {
    kind: 'host-metrics',
    file: /\/torch\/_tensor\.py$/,
    symbol: /^(__iter__|tolist|__array__|__float__)$/,
  },

  // It waits for other ranks, through a thread of its own. DDP's backward pass waits in native code.
  {
    kind: 'helper',
    file: /\/(torch\/distributed\/(distributed_c10d|c10d_logger|_functional_collectives|nn\/|algorithms\/)|horovod\/)/,
  },
  // What other threads or processes of the job make is taken from a queue, a pool or a pipe.
  { kind: 'producer', file: /\/queue\.py$/, symbol: /^get$/ },
  {
    kind: 'producer',
    file: /\/concurrent\/futures\/_base\.py$/,
    symbol: /^(result\w*|wait|as_completed)$/,
  },
  {
    kind: 'producer',
    file: /\/multiprocessing\/pool\.py$/,
    symbol: /^(next|_?get|wait|map|starmap|apply)$/,
  },
  {
    kind: 'producer',
    file: /\/multiprocessing\/(queues|connection|managers)\.py$/,
    symbol: /^(get|recv(_bytes)?|_recv(_bytes)?|poll|_poll)$/,
  },
  {
    kind: 'thread-lock',
    file: /\/threading\.py$/,
    symbol: /^(wait|wait_for|acquire|join|_wait_for_tstate_lock|__enter__)$/,
  },
  { kind: 'thread-lock', file: /\/(queue|concurrent\/futures\/(_base|thread))\.py$/ },
  { kind: 'sleep', file: /\/(tenacity|backoff|retrying|retry|ratelimit|stamina)(\/|\.py$)/ },

  { kind: 'checkpoint', symbol: FILE_WRITES, isNative: true },
  { kind: 'slow-output', symbol: STREAM_WRITES, isNative: true },

  { kind: 'loader', symbol: SHARED_MEMORY_ENDS, isNative: true },
];

/**
 * Libraries that compute on the CPU. What for their own functions do not say: only between a batch's arrival and its copy to
 * the GPU, where they prepare it.
 */
export const computing: readonly CallSign[] = [
  {
    kind: 'none',
    file: /\/(numpy|scipy|pandas|polars|cv2|PIL|skimage|numba|torchvision)\/|<__array_function__ internals>/,
  },
  {
    kind: 'none',
    file: /(_multiarray_umath|_umath_linalg|\/numpy\/|openblas|libblas|liblapack|libmkl_|\/(cv2|PIL|scipy|sklearn|pandas)\/|_imaging)/,
    isNative: true,
  },
];

/** PyTorch on the CPU. The launching of a model's kernels is in it too: it tells only of a batch that is not copied yet. */
export const tensorWork: readonly CallSign[] = [
  { kind: 'none', file: /\blibtorch_(cpu|python)\b|\blibc10\b/, isNative: true },
];

/** Who scores may work out figures; with a model that is run on batches it is an evaluation. Alone it says neither. */
export const scores = /(^|_)(scores?|scoring|precision|recall)(_|$)/;

/**
 * How the job's own functions are called in the field. A name is a weaker sign than a library: it says what a function is
 * for, and only where nothing else does what it did.
 */
export const ownNames: readonly {
  readonly kind: HostKind;
  readonly name: RegExp;
  readonly not?: RegExp;
  /** Of its class, where only that tells. */
  readonly inClass?: RegExp;
}[] = [
  {
    kind: 'garbage-collection',
    // The latter as in accelerate and diffusers, whose functions of these names collect.
    name: /(^|_)(garbage|gc_collect|(run|do|force)_gc|(release|free|reclaim)_(cpu_|gpu_|cuda_)?memory)(_|$)|^_*gc$/,
  },
  {
    kind: 'checkpoint',
    name: /(^|_)(save|saving|checkpoint(s|er|ing)?|ckpt|snapshot|serialize|persist)(_|$)|[a-z](Checkpoint|Snapshot)/,
    not: /load|restore|resume|gradient|activation|recompute|sequential|train|main/,
  },
  {
    kind: 'evaluation',
    // `test` as in PyTorch's examples, and not of what is tested. Who sets a model's mode, or checks what came, runs no model.
    name: /(^|_)(eval|evaluate|evaluation|validate|validation|val)(_|$)|^_?(test|testing)(_(epoch|loop|model|set|one_epoch))?$/,
    not: /train|fit|main|(^|_)mode(_|$)|^_?(set|enter|switch|toggle|restore)_|validat(e|ion)_(inputs?|arg(ument)?s|config|params|schema|shapes?|d?types?|format|request|response|path|keys|fields)(_|$)/,
  },
  {
    kind: 'host-metrics',
    // What is scored is mostly no figure: candidates of a draw, answers of a search. A score that a verb asks for is one.
    name: /metric|accuracy|histogram|percentile|(^|_)(acc|f1|auc|auroc|confusion|perplexity|bleu|rouge|iou|stats|statistics)(_|$)|(^|_)(scoring|precision|recall)$|(^_?|(^|_)(calc|calculate|compute|get|report|test|train|update|val)_)scores?$|(^|_)scores?_(batch|epoch|outputs?|predictions?|preds)$/,
    not: /train|main|mixed_precision|full_precision/,
  },
  {
    // As the classes of torchmetrics, and those that are written after them.
    kind: 'host-metrics',
    name: /^compute$/,
    inClass:
      /(Metric|Score|Accuracy|Distance|Precision|Recall|Error|Similarity|Measure|Perplexity)$/,
  },
  {
    kind: 'slow-output',
    name: /(^|_)(log|logs|logging|print|report|progress|emit|announce)(_|$)/,
    not: /train|main/,
  },
  {
    kind: 'host-data-movement',
    name: /(^|_)(collate|pin|to_(device|gpu|cuda|tensor|tensors|float|half)|as_tensor|from_numpy|contiguous|pre_?process|tokeni[sz]e|(prepare|prep|move|convert|cast|normali[sz]e|pack|pad|stack|encode|decode|load|read|resize|crop|augment|transform)_(batch|batches|inputs?|tensors?|images?|samples?|frames?|clips?|videos?|audio|texts?|sentences?|documents?|records?|examples?))(_|$)/,
    not: /train|main/,
  },
  {
    kind: 'sleep',
    name: /(^|_)(sleep|back_?off|throttle|rate_limit|retry)(_|$)/,
    not: /train|main/,
  },
];
