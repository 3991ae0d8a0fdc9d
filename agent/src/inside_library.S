/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The library that CUDA loads into a job, as it was built: see cli/inside_file.h. */
	.section .rodata
	.balign 64
	.global inside_library
	.global inside_library_end
inside_library:
	.incbin LIBRARY
inside_library_end:
	.section .note.GNU-stack, "", %progbits
