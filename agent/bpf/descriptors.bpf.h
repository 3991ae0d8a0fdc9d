/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which file a thread waits on: the one behind the descriptor that its system call was given, when it
 * leaves the CPU. Afterwards the number may stand for another file.
 */
#ifndef STALLTRACE_DESCRIPTORS_BPF_H
#define STALLTRACE_DESCRIPTORS_BPF_H

#include "state.bpf.h"

static __always_inline bool takes_descriptor(__s32 syscall)
{
	__u32 number = syscall;

	if (number >= SYSCALL_WORDS * 64)
		return false;
	return config.descriptor_syscalls[number / 64] >> (number % 64) & 1;
}

/* Kernels whose structs are other than we know them name no files. */
static __always_inline bool knows_files(void)
{
	return bpf_core_field_exists(((struct task_struct *)0)->files) &&
	       bpf_core_field_exists(((struct files_struct *)0)->fdt) &&
	       bpf_core_field_exists(((struct fdtable *)0)->fd) &&
	       bpf_core_field_exists(((struct file *)0)->f_inode) &&
	       bpf_core_field_exists(((struct file *)0)->f_path.mnt) &&
	       bpf_core_field_exists(((struct vfsmount *)0)->mnt_root) &&
	       bpf_core_field_exists(((struct mount *)0)->mnt_id) &&
	       bpf_core_field_exists(((struct inode *)0)->i_generation) &&
	       bpf_core_field_exists(((struct dentry *)0)->d_name.name);
}

static __always_inline struct file *file_of(struct task_struct *task, __u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files, *file = NULL;

	if (!table || fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	return file;
}

static __always_inline __u32 mount_of(struct file *file)
{
	const void *mount = BPF_CORE_READ(file, f_path.mnt);

	return BPF_CORE_READ((struct mount *)(mount - bpf_core_field_offset(struct mount, mnt)),
			     mnt_id);
}

/* A file that is a mount itself has another name in its path than on its own file system. */
static __always_inline void keep_name(struct thread *thread, struct file *file)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);

	if (dentry == BPF_CORE_READ(file, f_path.mnt, mnt_root))
		return;
	__builtin_memset(thread->file_name, 0, sizeof(thread->file_name));
	if (bpf_probe_read_kernel_str(thread->file_name, sizeof(thread->file_name),
				      BPF_CORE_READ(dentry, d_name.name)) > 0)
		thread->name_hash = file_name_hash(thread->file_name);
}

#define AF_INET 2
#define AF_INET6 10

static __always_inline bool knows_sockets(void)
{
	return bpf_core_field_exists(((struct file *)0)->private_data) &&
	       bpf_core_field_exists(((struct socket *)0)->sk) &&
	       bpf_core_field_exists(((struct sock *)0)->__sk_common.skc_family) &&
	       bpf_core_field_exists(((struct sock *)0)->__sk_common.skc_dport) &&
	       bpf_core_field_exists(((struct sock *)0)->__sk_common.skc_daddr) &&
	       bpf_core_field_exists(((struct sock *)0)->__sk_common.skc_num);
}

/* The other end of a socket that speaks IPv6; one of IPv4 may be written as one of these. */
static __always_inline void keep_long_address(struct thread *thread, struct sock *sock)
{
	__u32 words[4] = {};

	thread->file.family = SOCKET_INET6;
	if (!bpf_core_field_exists(sock->__sk_common.skc_v6_daddr))
		return;
	BPF_CORE_READ_INTO(&words, sock, __sk_common.skc_v6_daddr.in6_u.u6_addr32);
	if (words[0] || words[1])
		return;
	if (words[2] == __builtin_bswap32(0xffff)) {
		thread->file.family = SOCKET_INET;
		thread->file.peer_address = words[3];
	} else if (!words[2] && words[3] == __builtin_bswap32(1)) {
		thread->file.family = SOCKET_INET6_LOOPBACK;
	}
}

static __always_inline void keep_socket(struct thread *thread, struct file *file, __u32 inode)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = socket && knows_sockets() ? BPF_CORE_READ(socket, sk) : NULL;
	__u16 family, port;

	thread->file.inode = 0;
	thread->file.mount = thread->file.generation = 0;
	thread->file.socket_inode = inode;
	if (!sock)
		return;
	family = BPF_CORE_READ(sock, __sk_common.skc_family);
	if (family != AF_INET && family != AF_INET6)
		return;
	port = BPF_CORE_READ(sock, __sk_common.skc_dport);
	if (!port)
		return;
	thread->file.peer_port = __builtin_bswap16(port);
	thread->file.own_port = BPF_CORE_READ(sock, __sk_common.skc_num);
	if (family == AF_INET6) {
		keep_long_address(thread, sock);
		return;
	}
	thread->file.family = SOCKET_INET;
	thread->file.peer_address = BPF_CORE_READ(sock, __sk_common.skc_daddr);
}

/*
 * The descriptor that it waits on; -1 = none. A socket with a timeout is waited for in a poll() of that one, which
 * stands in the memory of the thread.
 */
static __always_inline __s32 awaited_descriptor(const struct thread *thread)
{
	__s32 fd = -1;

	if (takes_descriptor(thread->syscall))
		return (__s32)thread->syscall_arguments[0];
	if (thread->syscall != config.poll_syscall && thread->syscall != config.ppoll_syscall)
		return -1;
	if (thread->syscall_arguments[1] == 1)
		bpf_probe_read_user(&fd, sizeof(fd), (void *)thread->syscall_arguments[0]);
	return fd;
}

static __always_inline void keep_file(struct thread *thread, struct task_struct *task, __u32 state)
{
	struct inode *inode;
	struct file *file;
	__s32 fd;

	thread->file_type = FILE_UNKNOWN;
	thread->name_hash = 0;
	if (!knows_files() || !state || !(thread->out_flags & OFF_CPU_IN_SYSCALL))
		return;
	fd = awaited_descriptor(thread);
	if (fd < 0)
		return;
	file = file_of(task, fd);
	inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
	if (!inode)
		return;
	thread->file.mount = mount_of(file);
	if (config.anonymous_mount && thread->file.mount == config.anonymous_mount) {
		bpf_probe_read_kernel_str(thread->file.name, sizeof(thread->file.name),
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
		thread->file_type = FILE_ANONYMOUS;
		return;
	}
	thread->file.inode = BPF_CORE_READ(inode, i_ino);
	thread->file.generation = BPF_CORE_READ(inode, i_generation);
	thread->file_type = BPF_CORE_READ(inode, i_mode) >> 12 ?: FILE_OTHER;
	if (thread->file_type == FILE_SOCKET)
		keep_socket(thread, file, thread->file.inode);
	else
		keep_name(thread, file);
}

#endif /* STALLTRACE_DESCRIPTORS_BPF_H */
