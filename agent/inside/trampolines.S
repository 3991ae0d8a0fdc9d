/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What an import leads to instead of CUDA's function, in as many copies as there are wrappers: notes what the
 * registers hold (struct import_frame), asks import_enter() where to go, calls that with all it was given, tells
 * import_leave() the result, and returns it. So it needs to know no function's parameters. None of those
 * that are wrapped takes floating-point numbers, returns more than a word, or has more than 8 words on the stack.
 */
#define WRAPPERS 512 /* as in wrap.h */

	.text
	.globl import_wrappers
	.hidden import_wrappers
	.hidden import_enter
	.hidden import_leave
	.type import_wrappers, %function

#if defined(__x86_64__)

	.balign 16
import_wrappers:
	.cfi_startproc
	.set number, 0
	.rept WRAPPERS
	.balign 16
	endbr64
	movl $number, %r11d
	jmp common
	.set number, number + 1
	.endr
	.cfi_endproc
	.size import_wrappers, . - import_wrappers

	.balign 16
	.type common, %function
common:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq $96, %rsp
	movq %rdi, 0(%rsp)
	movq %rsi, 8(%rsp)
	movq %rdx, 16(%rsp)
	movq %rcx, 24(%rsp)
	movq %r8, 32(%rsp)
	movq %r9, 40(%rsp)
	movq %rax, 64(%rsp)
	movl %r11d, 72(%rsp)
	leaq 16(%rbp), %rax
	movq %rax, 80(%rsp)
	movq %rsp, %rdi
	call import_enter
	movq %rax, %r11
	.irp offset, 72, 64, 56, 48, 40, 32, 24, 16
	pushq \offset(%rbp)
	.endr
	movq -96(%rbp), %rdi
	movq -88(%rbp), %rsi
	movq -80(%rbp), %rdx
	movq -72(%rbp), %rcx
	movq -64(%rbp), %r8
	movq -56(%rbp), %r9
	movq -32(%rbp), %rax
	call *%r11
	movq %rax, -8(%rbp)
	leaq -96(%rbp), %rdi
	call import_leave
	movq -8(%rbp), %rax
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size common, . - common

#elif defined(__aarch64__)

	.balign 16
import_wrappers:
	.cfi_startproc
	.set number, 0
	.rept WRAPPERS
	.balign 16
	hint #34 /* bti c */
	mov w17, #number
	b common
	.set number, number + 1
	.endr
	.cfi_endproc
	.size import_wrappers, . - import_wrappers

	.balign 16
	.type common, %function
common:
	.cfi_startproc
	stp x29, x30, [sp, #-112]!
	.cfi_def_cfa_offset 112
	.cfi_offset x29, -112
	.cfi_offset x30, -104
	mov x29, sp
	.cfi_def_cfa_register x29
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	str w17, [sp, #88]
	add x9, sp, #112
	str x9, [sp, #96]
	add x0, sp, #16
	bl import_enter
	mov x17, x0
	sub sp, sp, #64
	.irp offset, 0, 16, 32, 48
	ldp x9, x10, [x29, #112 + \offset]
	stp x9, x10, [sp, #\offset]
	.endr
	ldp x0, x1, [x29, #16]
	ldp x2, x3, [x29, #32]
	ldp x4, x5, [x29, #48]
	ldp x6, x7, [x29, #64]
	ldr x8, [x29, #80]
	blr x17
	str x0, [x29, #104]
	add x0, x29, #16
	bl import_leave
	ldr x0, [x29, #104]
	mov sp, x29
	.cfi_def_cfa_register sp
	ldp x29, x30, [sp], #112
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size common, . - common

#endif

	.section .note.GNU-stack, "", %progbits
