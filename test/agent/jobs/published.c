/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * To a tool that asks it to run a script, CPython 3.14: publishes the offsets of its structures, which are
 * other ones than CPython's, and looks between two "bytecodes" whether there is a script (PEP 768). Of a script it
 * understands the one expression ctypes.CDLL("PATH").NAME and calls that.
 *
 * published LIBRARY: loads CUDA, then does what lines on standard input say, and answers each with "done":
 * `calls N`; `bytecode`, which is when it looks; `asked`: what it is to run. PYTHON_DISABLE_REMOTE_DEBUG is heeded as CPython does;
 * STALLTRACE_PUBLISHED_VERSION is the version it claims, in hexadecimal.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 512
#define PLEASE_STOP (1u << 5)

struct interpreter;

struct thread_state {
	char before[40];
	struct interpreter *interpreter;
	uintptr_t eval_breaker;
	char between[200];
	struct {
		int32_t pending_call;
		char script_path[PATH_BYTES];
	} support;
	char after[64];
};

struct interpreter {
	char before[72];
	struct thread_state *main_thread;
	char between[300];
	int32_t remote_debug;
	char after[64];
};

/* In CPython's order; what nobody asks for is left 0. */
struct published {
	char cookie[8];
	uint64_t version, free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime_state;
	struct {
		uint64_t size, id, next, threads_head, threads_main, gc, imports_modules, sysdict;
		uint64_t builtins, ceval_gil, gil_runtime_state, gil_runtime_state_enabled;
		uint64_t gil_runtime_state_locked, gil_runtime_state_holder;
		uint64_t code_object_generation, tlbc_generation;
	} interpreter_state;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id, native_thread_id;
		uint64_t datastack_chunk, status;
	} thread_state;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus, owner, stackpointer;
		uint64_t tlbc_index;
	} interpreter_frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno, argcount;
		uint64_t localsplusnames, localspluskinds, co_code_adaptive, co_tlbc;
	} code_object;
	struct {
		uint64_t size, ob_type;
	} pyobject;
	struct {
		uint64_t size, tp_name, tp_repr, tp_flags;
	} type_object;
	struct {
		uint64_t size, ob_item, ob_size;
	} tuple_object, list_object;
	struct {
		uint64_t size, used, table, mask;
	} set_object;
	struct {
		uint64_t size, ma_keys, ma_values;
	} dict_object;
	struct {
		uint64_t size, ob_fval;
	} float_object;
	struct {
		uint64_t size, lv_tag, ob_digit;
	} long_object;
	struct {
		uint64_t size, ob_size, ob_sval;
	} bytes_object;
	struct {
		uint64_t size, state, length, asciiobject_size;
	} unicode_object;
	struct {
		uint64_t size, collecting;
	} gc;
	struct {
		uint64_t size, gi_name, gi_iframe, gi_frame_state;
	} gen_object;
	struct {
		uint64_t next, prev;
	} llist_node;
	struct {
		uint64_t eval_breaker, remote_debugger_support, remote_debugging_enabled;
		uint64_t debugger_pending_call, debugger_script_path, debugger_script_path_size;
	} debugger_support;
};

struct runtime {
	struct published offsets;
	char between[120];
	struct interpreter *interpreters;
};

/* The names that tools look for. */
unsigned long Py_Version = 0x030e00f0;
struct runtime _PyRuntime;

static struct interpreter interpreter;
static struct thread_state thread = {.interpreter = &interpreter};

static void publish(void)
{
	struct published *offsets = &_PyRuntime.offsets;
	const char *version = getenv("STALLTRACE_PUBLISHED_VERSION");

	if (version)
		Py_Version = strtoul(version, NULL, 16);
	offsets->version = Py_Version;
	offsets->runtime_state.size = sizeof(_PyRuntime);
	offsets->runtime_state.interpreters_head = offsetof(struct runtime, interpreters);
	offsets->interpreter_state.size = sizeof(interpreter);
	offsets->interpreter_state.threads_main = offsetof(struct interpreter, main_thread);
	offsets->thread_state.size = sizeof(thread);
	offsets->thread_state.interp = offsetof(struct thread_state, interpreter);
	offsets->debugger_support.eval_breaker = offsetof(struct thread_state, eval_breaker);
	offsets->debugger_support.remote_debugger_support = offsetof(struct thread_state, support);
	offsets->debugger_support.remote_debugging_enabled =
		offsetof(struct interpreter, remote_debug);
	offsets->debugger_support.debugger_pending_call =
		offsetof(struct thread_state, support.pending_call) -
		offsetof(struct thread_state, support);
	offsets->debugger_support.debugger_script_path =
		offsetof(struct thread_state, support.script_path) -
		offsetof(struct thread_state, support);
	offsets->debugger_support.debugger_script_path_size = PATH_BYTES;
	interpreter.main_thread = &thread;
	interpreter.remote_debug = !getenv("PYTHON_DISABLE_REMOTE_DEBUG");
	/* Events that the process itself keeps beside the bit that asks it to stop. */
	thread.eval_breaker = 0x1234567800000001;
	_PyRuntime.interpreters = &interpreter;
	memcpy(offsets->cookie, "xdebugpy", sizeof(offsets->cookie));
}

static void run_script(const char *path)
{
	char text[4096] = "", library[1024], name[256];
	FILE *file = fopen(path, "r");
	struct stat info;
	const char *call;
	void *handle;
	const char *(*function)(void);

	if (!file || fstat(fileno(file), &info)) {
		printf("can't open %s\n", path);
		return;
	}
	fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	printf("ran a file of user %u, mode %o, that %s\n", info.st_uid, info.st_mode & 07777,
	       strstr(text, "print") ? "prints" : "prints nothing");
	call = strstr(text, "ctypes.CDLL(");
	if (!call || sscanf(call, "ctypes.CDLL(\"%1023[^\"]\").%255[a-z_]", library, name) != 2) {
		printf("does not understand %s\n", text);
		return;
	}
	handle = dlopen(library, RTLD_NOW);
	*(void **)&function = handle ? dlsym(handle, name) : NULL;
	printf("%s\n", function ? function() : dlerror());
}

static void look_for_script(void)
{
	char path[PATH_BYTES];

	if (!(thread.eval_breaker & PLEASE_STOP) || thread.support.pending_call != 1) {
		printf("nothing\n");
		return;
	}
	thread.eval_breaker &= ~(uintptr_t)PLEASE_STOP;
	thread.support.pending_call = 0;
	memcpy(path, thread.support.script_path, sizeof(path));
	if (thread.eval_breaker != 0x1234567800000001)
		printf("its own events are gone\n");
	run_script(path);
}

static void make_calls(void *cuda, int count)
{
	int (*allocate)(void **, size_t), (*copy)(void *, const void *, size_t, int);
	int (*release)(void *);
	char host[4096];
	void *device;

	memset(host, 1, sizeof(host));
	*(void **)&allocate = dlsym(cuda, "cudaMalloc");
	*(void **)&copy = dlsym(cuda, "cudaMemcpy");
	*(void **)&release = dlsym(cuda, "cudaFree");
	for (int i = 0; i < count; i++)
		if (allocate(&device, sizeof(host)) || copy(device, host, sizeof(host), 1) ||
		    release(device))
			exit(1);
}

int main(int argc, char **argv)
{
	void *cuda = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	char line[256];
	int count;

	if (!cuda)
		return 1;
	publish();
	make_calls(cuda, 1);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "calls %d", &count) == 1)
			make_calls(cuda, count);
		else if (!strcmp(line, "bytecode\n"))
			look_for_script();
		else if (!strcmp(line, "asked\n") && thread.support.pending_call)
			printf("%s\n", thread.support.script_path);
		printf("done\n");
		fflush(stdout);
	}
	return 0;
}
