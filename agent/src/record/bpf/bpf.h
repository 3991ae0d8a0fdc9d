/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the recorder with BPF shares with the sources (../sources), which turn its records into rows. */
#ifndef STALLTRACE_BPF_H
#define STALLTRACE_BPF_H

#include "../../probe/cuda/functions.h"
#include "../../probe/kernel/kernel_support.h"
#include "../../probe/cuda/libraries.h"
#include "../../probe/load/programs.h"
#include "../../probe/uprobes.h"
#include "../call_rows.h"
#include "../session.h"
#include "file_names.h"

/* Who mapped a CUDA library, and when. */
struct mapper {
	pid_t pid;
	uint64_t mapped_ns;
};

/* Processes whose calls are recorded from inside, as far as they are remembered. */
#define MOST_LEFT 64

/* Of the probes on launches: launch_probes.c. */
struct launch_probes {
	/* Processes whose calls are recorded from inside. */
	struct {
		pid_t pid;
		uint64_t since_ns;
	} left[MOST_LEFT];
	unsigned int left_count;
	bool are_away;
	uint64_t away_ns, back_ns; /* the last time: from before they went until they were back */
	/* When it is looked next whether they may go. */
	uint64_t next_look_ns, pause_ns;
};

/* Launches that come so fast that they are probed in windows only: launch_windows.c. */
struct launch_windows {
	bool used, open;
	bool said_refused, said_back; /* once is enough */
	/* Of the stretch that lasts: a window, or a second without windows. */
	unsigned int stretch;
	uint64_t stretch_ns; /* its begin; 0 = none yet */
	uint32_t most;       /* launches of one thread in it */
	unsigned int in_row; /* stretches that speak for a change, one after the other */
	uint64_t used_ns, closed_ns, next_ns;
	uint64_t seen_ns, unseen_ns, seen; /* of the whole recording, while windows were used */
};

struct bpf_recorder {
	struct session *session;
	uint32_t sources; /* bits: what it records, all but what another recorder does */
	struct programs *programs;
	struct uprobes *uprobes;
	struct mapping_watch *watch;
	struct host_ranges *ranges;
	struct file_names *file_names;

	/* Before the record of its fork was read. */
	struct mapper unknown_mappers[64];
	unsigned int unknown_mapper_count;
	/* Whose lists of mappings are to be read for CUDA libraries, at this look. */
	struct mapper due_mappers[64];
	unsigned int due_mapper_count;
	uint64_t mappings_lost_ns; /* since when records of mappings are missing; 0 = none */
	uint64_t looked_for_lost_ns;
	/* Libraries of which it was said that they can't be probed. */
	struct {
		uint64_t device, inode;
	} refused[64];
	unsigned int refused_count;
	struct launch_probes launches;
	struct launch_windows windows;

	/* By kind of record; NULL = there is no such kind. */
	const struct record_type *types[RECORD_KINDS];
	uint64_t *losses[RECORD_KINDS]; /* as of the last look */
	uint64_t quiet_ns;              /* when nothing was lost yet, at the last look */
	bool packages_described;
	struct call_names call_names;
};

static inline struct task_priority priority_of(const struct priority *sent)
{
	return (struct task_priority){
		.known = sent->known,
		.policy = sent->policy,
		.real_time = sent->real_time,
		.nice = sent->nice,
	};
}

/* Which record is whose. */
void bpf_list_records(struct bpf_recorder *bpf);
/* Hands one record to the source it is of. */
int bpf_handle(void *context, const struct record_header *record);

/* Looks for the interpreters of targets that have just begun. */
void bpf_find_python(struct bpf_recorder *bpf);

/* CUDA libraries: those of a process, one that is mapped just now, and those known by path. */
/* mapped_ns: since when it may map them; 0 = before the recording began. */
void bpf_probe_process(struct bpf_recorder *bpf, pid_t pid, uint64_t mapped_ns);
void bpf_probe_known(struct bpf_recorder *bpf);
void bpf_read_mappings(struct bpf_recorder *bpf);
/* After the records that were there when the mappings were read: those whose process was not known. */
void bpf_probe_unknown(struct bpf_recorder *bpf);

/* Calls of the process, of a time until now, were not probed: a gap. */
void bpf_note_unprobed(struct bpf_recorder *bpf, pid_t pid, uint64_t from_ns);

/* launch_probes.c */
void bpf_leave_launches(struct bpf_recorder *bpf, pid_t pid, bool left);
/* Whether its calls are recorded from inside; true too where there is no room to remember of whom. */
bool bpf_calls_left(const struct bpf_recorder *bpf, pid_t pid);
void bpf_probe_launches_again(struct bpf_recorder *bpf);
void bpf_consider_launches(struct bpf_recorder *bpf);
/* Whether they were there when it mapped CUDA, and what is said where they were not. */
void bpf_note_mapped(struct bpf_recorder *bpf, pid_t pid, uint64_t mapped_ns);

/* launch_windows.c */
/* Launches of the thread that were seen, the last of them at that time. */
void bpf_count_launches(struct bpf_recorder *bpf, struct task *task, uint32_t count,
			uint64_t at_ns);
/* A sum of launches may reach beyond the window it is of. */
uint64_t bpf_length_in_window(const struct bpf_recorder *bpf, uint64_t start_ns,
			      uint64_t duration_ns);
void bpf_pace_launches(struct bpf_recorder *bpf);
/* Launches are probed no more, or all the time again; at the capture's end too. */
void bpf_end_windows(struct bpf_recorder *bpf, uint64_t at_ns);
void bpf_describe_windows(const struct bpf_recorder *bpf);

/* Losses since the last look become gaps. */
void bpf_note_losses(struct bpf_recorder *bpf);
/* At the end: what is known only then. */
void bpf_write_losses(struct bpf_recorder *bpf);

#endif /* STALLTRACE_BPF_H */
