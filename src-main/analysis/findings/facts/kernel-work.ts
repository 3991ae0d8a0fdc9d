import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { perStacks } from '../../index/per-trace.ts';

/** What the kernel did in a stack, by the functions that the compiler left whole: bits of `kernelWork`. */
export const [MAKES_ROOM, READS, OPENS, SWAPS_IN] = [1, 2, 4, 8];

/** mm/vmscan.c */
const ROOM = /^(try_to_free_mem_cgroup_pages|do_try_to_free_pages|shrink_(node|lruvec))$/;
/** mm/readahead.c and mm/filemap.c */
const READING =
  /^(page_cache_ra_(unbounded|order)|page_cache_a?sync_ra|force_page_cache_ra|do_a?sync_mmap_readahead|read_pages|ra_submit|filemap_(create_folio|read_folio))$/;
/** mm/memory.c, mm/swap_state.c, mm/page_io.c, mm/zswap.c and mm/shmem.c */
const SWAPPING =
  /^(do_swap_page|swapin_readahead|swap_(cluster|vma)_readahead|swap_read(_folio|_unplug|page)|zswap_load|shmem_swapin_(folio|page))$/;
/** fs/open.c, fs/namei.c and fs/stat.c */
const OPENING = /^(do_sys_open(at2)?|do_filp_open|path_openat|vfs_(open|statx|fstatat))$/;

/** By stack, those of the bits above that apply; 0 where the stacks don’t show the kernel. */
export const kernelWork = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ language, symbol }) =>
    language === 'native'
      ? (ROOM.test(symbol) ? MAKES_ROOM : 0) |
        (READING.test(symbol) ? READS : 0) |
        (OPENING.test(symbol) ? OPENS : 0) |
        (SWAPPING.test(symbol) ? SWAPS_IN : 0)
      : 0,
  ),
);
