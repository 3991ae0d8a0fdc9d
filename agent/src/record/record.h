/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* One recording, from its options to its finished file. The command line and progress are cli/'s. */
#ifndef STALLTRACE_RECORD_H
#define STALLTRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../generated/schema.h"
#include "event_source.h"
#include "recorder.h"

enum target_kind { TARGET_PIDS, TARGET_COMMAND, TARGET_ALL };

struct record_options {
	enum target_kind target;
	/* TARGET_PIDS; for TARGET_COMMAND the one stopped child, let go by `released`. */
	pid_t pids[64];
	unsigned int pid_count;
	const char *out;
	uid_t owner; /* of the file; -1 = ours */
	gid_t group;
	uint64_t duration_ns; /* 0 = until the target ends, or a signal */
	uint64_t max_bytes;
	bool wanted[SOURCE_COUNT];
	unsigned int samples_per_second; /* 0 = none */
	bool no_bpf;                     /* poll /proc instead */
	const char *command;             /* TARGET_COMMAND: its first word */
	const char *inside_socket; /* COMMAND has the library inside, which asks here; NULL = not */
	bool inside_waits;         /* processes that run already may come in */
	const char *inside_line;   /* by this line, pasted into them */
	const char *inside_script; /* which they are asked to run: Python; NULL = they are not */
	const char *inside_missing; /* why it has not, in one sentence */
	bool inside_notice;         /* and that this is worth a word */
	bool inside_asked;          /* by name: that nobody calls the library is worth a word */
	bool no_cupti; /* it records what goes through imports, and leaves CUPTI to others */
	unsigned int gpu_records;  /* enum inside_gpu_records: what it asks CUPTI for */
	const char *libraries[16]; /* --library: probe these too, before they are mapped */
	unsigned int library_count;
	const char *nvidia_smi;      /* its path; NULL = looked for */
	const char *pretend_missing; /* tests only */
	const char *options_json;    /* for meta.options, secrets redacted */
};

enum record_end {
	END_TARGET_EXITED,
	END_DURATION,
	END_STOPPED, /* signal, or `stop` */
	END_MAX_SIZE,
	END_DISK_FULL,
	END_MEMORY_FULL, /* the recorder's own */
	END_FAILED,
};

/* What a recorder could not keep. */
struct loss {
	const char *name; /* of what; a static text */
	uint64_t count;
};
#define MOST_LOSSES 32

struct slow_call {
	char name[64];
	uint64_t duration_ns;
	int64_t bytes;
	int direction;
	pid_t pid;
};

/* Every 500 ms while it records. Rates are the reader's to work out. */
struct record_progress {
	uint64_t elapsed_ns;
	uint64_t rows[TRACE_TABLES];
	uint64_t events;
	struct loss losses[MOST_LOSSES];
	unsigned int loss_count;
	uint64_t file_bytes;
	double cpu_percent, gpu_percent; /* < 0 = not known */
	double agent_cpu_percent;
	unsigned int processes, threads; /* living targets */
	unsigned int inside_processes;   /* recorded from inside now */
	struct slow_call slowest[5];     /* since the last progress */
	unsigned int slowest_count;
};

struct record_result {
	enum record_end end;
	char message[512]; /* one sentence with the next step where it is not as asked */
	uint64_t length_ns;
	uint64_t file_bytes;
	uint64_t events;
	uint64_t rows[TRACE_TABLES];
	struct loss losses[MOST_LOSSES];
	unsigned int loss_count;
	uint64_t bpf_run_ns, bpf_runs;
	uint64_t agent_cpu_ns;
	uint64_t start_up_ns; /* from record_run to recording */
};

struct record_callbacks {
	void *context;
	/* Everything is in place; a stopped COMMAND is to be let go now. */
	void (*released)(void *context, const struct source_status status[SOURCE_COUNT],
			 const struct capture_mode *mode);
	void (*progress)(void *context, const struct record_progress *progress);
	/* One sentence worth telling: a library was probed late, nvidia-smi ended … */
	void (*notice)(void *context, const char *level, const char *text);
	/* Asked at least every 50 ms; true ends the recording. */
	bool (*should_stop)(void *context);
};

/* Records no more, from any thread: what is traced is spared, while the recording itself is stuck. */
void record_silence(void);

/* 0 where there is a file, however it ended; -errno with result->message where there is none. */
int record_run(const struct record_options *options, const struct record_callbacks *callbacks,
	       struct record_result *result);

#endif /* STALLTRACE_RECORD_H */
