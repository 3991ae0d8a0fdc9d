/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The kernel's structs as far as the programs read them; CO-RE finds the members' true places on the
 * running kernel. A name with ___suffix is the same struct under an older layout.
 */
#ifndef STALLTRACE_KERNEL_TYPES_H
#define STALLTRACE_KERNEL_TYPES_H

#include <linux/bpf.h>
#include <stdbool.h>

typedef int pid_t;

/* include/linux/sched.h */
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000
#define TASK_INTERRUPTIBLE 0x00000001
#define TASK_DEAD 0x00000080
#define TASK_FROZEN 0x00008000 /* 6.1 on, as of a control group of version 1 */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct rq {
	__u64 clock;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
	__u64 throttled_clock_self; /* since when; 0 = is not */
	__u64 throttled_clock_self_time;
};

struct task_group {
	struct cfs_rq **cfs_rq; /* one for each CPU */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	__u64 sum_exec_runtime;
};

struct thread_struct {
	unsigned long fsbase;
};

struct thread_info {
	unsigned int cpu;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
};

/* include/linux/fs.h, fs/mount.h */
struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	__u64 i_ino;
	__u32 i_generation;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
	int mnt_flags;
};

struct mount {
	struct vfsmount mnt;
	int mnt_id;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
};

struct address_space {
	struct inode *host;
};

/* include/linux/mm_types.h; before 5.16 the cache was of pages. */
struct folio {
	struct address_space *mapping;
};

struct page {
	struct address_space *mapping;
};

/* include/linux/net.h, net/sock.h */
struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__u32 skc_daddr;
	__u16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
};

struct socket {
	struct sock *sk;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	void *stack;
	unsigned int flags;
	int on_cpu;
	int on_rq;
	int static_prio;
	unsigned int rt_priority;
	unsigned int policy;
	pid_t pid;
	pid_t tgid;
	__u64 start_time;
	char comm[16];
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct sched_info sched_info;
	struct sched_entity se;
	struct task_group *sched_task_group;
	unsigned long min_flt;
	unsigned long maj_flt;
	unsigned in_execve : 1;
	unsigned in_iowait : 1;
	unsigned frozen : 1; /* 5.2 on */
	bool throttled;      /* 6.18 on: throttled task by task */
	int exit_code;
	struct files_struct *files;
	struct signal_struct *signal;
	struct thread_struct thread;
};

/* Before 5.14 the state was signed; before 5.16 the CPU was the task's own member on some. */
struct task_struct___old {
	volatile long state;
	unsigned int cpu;
};

/*
 * The registers that a system call's number and arguments are kept in; own names, as user space's
 * struct pt_regs calls them otherwise.
 */
struct pt_regs___kernel_x86 {
	unsigned long di;
	unsigned long si;
	unsigned long dx;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned short cs;
	unsigned long sp;
};

struct pt_regs___kernel_arm64 {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
	__u64 orig_x0;
	int syscallno;
};

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 __sector;
};

/* Until 5.16 the request knew its disk. */
struct request___old {
	struct gendisk *rq_disk;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif /* STALLTRACE_KERNEL_TYPES_H */
