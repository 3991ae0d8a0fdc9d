// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Files that threads waited on: named by what the kernel said of them, whatever the number stands for or is mapped. */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include "../src/host/proc.h"
#include "../src/record/bpf/file_names.h"
#include "../src/symbol/maps_parser.h"
#include "trace_file.h"

/* The number that stands for one file after the other. */
#define FD 200

static struct trace_writer *writer;
static struct file_names *names;

/* The record of a wait on what FD stands for just now. */
static struct off_cpu_record wait_on(enum file_type type, uint64_t at_ns)
{
	struct off_cpu_record record = {
		.start_ns = at_ns,
		.tgid = getpid(),
		.file_type = type,
		.syscall = SYS_read,
	};
	struct proc_fd file;

	assert(!proc_read_fd(getpid(), FD, &file));
	record.syscall_arguments[0] = FD;
	record.file.inode = file.inode;
	record.file.mount = file.mount;
	record.file.generation = 7;
	return record;
}

static void open_fifo(const char *path)
{
	int fd;

	assert(!mkfifo(path, 0600) || errno == EEXIST);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert(fd >= 0 && dup2(fd, FD) == FD);
	close(fd);
}

static bool is_named(const struct off_cpu_record *record, const char *name)
{
	return file_name(names, record) == trace_name(writer, "", name);
}

static const char *fifo_name(const char *path)
{
	static char name[256];

	snprintf(name, sizeof(name), "%s (named pipe)", path);
	return name;
}

static void names_two_files_of_one_number(void)
{
	const char *a = in_folder("a"), *b = in_folder("b");
	struct off_cpu_record wait_a, wait_b;

	open_fifo(a);
	wait_a = wait_on(FILE_FIFO, NS_PER_SECOND);
	open_fifo(b);
	wait_b = wait_on(FILE_FIFO, NS_PER_SECOND + 1000);
	/* The look-up comes late. That it finds another file must not hide that one. */
	assert(is_named(&wait_a, "named pipe"));
	assert(is_named(&wait_b, fifo_name(b)));
	open_fifo(a);
	assert(is_named(&wait_b, fifo_name(b)));
	assert(is_named(&wait_a, "named pipe")); /* was tried a moment ago */
	wait_a.start_ns += NS_PER_SECOND;
	assert(is_named(&wait_a, fifo_name(a)));
	/* A name that was proved stays the file's when the descriptor is gone. */
	close(FD);
	wait_a.start_ns += 3600 * NS_PER_SECOND;
	wait_b.start_ns += 3600 * NS_PER_SECOND;
	assert(is_named(&wait_a, fifo_name(a)) && is_named(&wait_b, fifo_name(b)));
	wait_a.file.generation++;
	assert(is_named(&wait_a, "named pipe"));
}

static void forgets_where_inodes_are_used_again(void)
{
	const char *path = in_folder("again");
	struct off_cpu_record wait;

	open_fifo(path);
	wait = wait_on(FILE_FIFO, NS_PER_SECOND);
	wait.file.generation = 0;
	assert(is_named(&wait, fifo_name(path)));
	close(FD);
	wait.start_ns += 5 * NS_PER_SECOND;
	assert(is_named(&wait, fifo_name(path)));
	wait.start_ns += 5 * NS_PER_SECOND;
	assert(is_named(&wait, "named pipe"));
}

static uint16_t hash_of(const char *name)
{
	__u64 words[FILE_NAME_HASHED / 8] = {0};

	strncpy((char *)words, name, sizeof(words) - 1);
	return file_name_hash(words);
}

static void takes_no_name_of_the_next_file_of_an_inode(void)
{
	const char *path = in_folder("second");
	struct off_cpu_record first, second;

	open_fifo(path);
	/* As of a file that is gone: the next one has its descriptor and its inode. */
	first = second = wait_on(FILE_FIFO, NS_PER_SECOND);
	first.file.generation = second.file.generation = 0;
	first.name_hash = hash_of("first");
	second.name_hash = hash_of("second");
	assert(is_named(&first, "named pipe"));
	assert(is_named(&second, fifo_name(path)));
	assert(is_named(&first, "named pipe"));
	close(FD);
}

static void knows_a_removed_file_by_its_name(void)
{
	const char *path = in_folder("removed");
	struct off_cpu_record wait;
	char name[256];

	open_fifo(path);
	wait = wait_on(FILE_FIFO, NS_PER_SECOND);
	wait.name_hash = hash_of("removed");
	assert(!unlink(path));
	snprintf(name, sizeof(name), "%s (deleted) (named pipe)", path);
	assert(is_named(&wait, name));
	close(FD);
}

static void sees_that_a_file_was_renamed(void)
{
	const char *before = in_folder("before"), *after = in_folder("after");
	struct off_cpu_record wait;

	open_fifo(before);
	wait = wait_on(FILE_FIFO, NS_PER_SECOND);
	assert(is_named(&wait, fifo_name(before)));
	assert(!rename(before, after));
	wait.start_ns += NS_PER_SECOND;
	assert(is_named(&wait, fifo_name(after)));
	close(FD);
}

static void names_what_has_no_path(void)
{
	struct off_cpu_record wait = {.tgid = getpid(), .file_type = FILE_ANONYMOUS};
	int ends[2];

	memcpy(wait.file.name, "[eventpoll]", sizeof("[eventpoll]"));
	assert(is_named(&wait, "eventpoll"));
	memcpy(wait.file.name, "inotify", sizeof("inotify"));
	assert(is_named(&wait, "inotify"));
	wait.file_type = FILE_SOCKET;
	memset(&wait.file, 0, sizeof(wait.file));
	assert(is_named(&wait, "socket"));
	assert(!pipe2(ends, O_CLOEXEC) && dup2(ends[0], FD) == FD);
	wait = wait_on(FILE_FIFO, 0);
	close(FD);
	assert(is_named(&wait, "pipe"));
	close(ends[0]);
	close(ends[1]);
	wait.file_type = FILE_UNKNOWN;
	assert(file_name(names, &wait) == TRACE_NULL);
}

static void tells_kinds_of_files_that_are_closed(void)
{
	const char *path = in_folder("data");
	struct off_cpu_record wait;

	assert(dup2(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600), FD) == FD);
	wait = wait_on(FILE_REGULAR, 0);
	close(FD);
	assert(is_named(&wait, "regular file"));
	wait.file_type = FILE_DIRECTORY;
	assert(is_named(&wait, "directory"));
	wait.file_type = FILE_OTHER;
	assert(file_name(names, &wait) == TRACE_NULL);
}

/* With a second of its own for each thousand files, all would be found. */
static void looks_up_so_many_a_second_only(void)
{
	const char *path = in_folder("busy");
	struct off_cpu_record wait;
	unsigned int found = 0;

	open_fifo(path);
	wait = wait_on(FILE_FIFO, 9000 * NS_PER_SECOND);
	for (unsigned int i = 0; i < 5000; i++) {
		wait.file.generation = 100 + i;
		found += is_named(&wait, fifo_name(path));
	}
	assert(found > 1000 && found < 5000);
	wait.start_ns += 2 * NS_PER_SECOND;
	assert(is_named(&wait, fifo_name(path)));
	close(FD);
}

#define MAPPED_BYTES 4096

static void *map_file(const char *path)
{
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	void *mapped;

	assert(fd >= 0 && !ftruncate(fd, MAPPED_BYTES));
	mapped = mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	assert(mapped != MAP_FAILED);
	close(fd);
	return mapped;
}

struct touched {
	uint64_t address;
	struct off_cpu_record record;
};

static int find_touched(void *context, const struct maps_line *line)
{
	struct touched *touched = context;

	if (touched->address < line->start || touched->address >= line->end)
		return 0;
	touched->record.file.inode = line->inode;
	touched->record.file.device = major(line->device) << 20 | minor(line->device);
	return 1;
}

/* The record of a wait for a page of what is mapped there. */
static struct off_cpu_record wait_for_page(const void *mapped, uint64_t at_ns)
{
	struct touched touched = {
		.address = (uintptr_t)mapped,
		.record = {.start_ns = at_ns, .tgid = getpid(), .file_type = FILE_MAPPED},
	};

	assert(maps_read(getpid(), find_touched, &touched) == 1);
	return touched.record;
}

static uint64_t device_of(const struct off_cpu_record *record)
{
	return makedev(record->file.device >> 20, record->file.device & 0xfffff);
}

/* Where a container does not mount the device its type is not known. */
static bool is_mapped_as(const struct off_cpu_record *record, const char *path)
{
	char name[256], type[32];

	proc_device_type(getpid(), device_of(record), type, sizeof(type));
	snprintf(name, sizeof(name), type[0] ? "%s (%s)" : "%s", path, type);
	return is_named(record, name);
}

static bool is_on_overlay(const struct off_cpu_record *record)
{
	char type[32];

	proc_device_type(getpid(), device_of(record), type, sizeof(type));
	return !strcmp(type, "overlay");
}

static void names_what_is_mapped(void)
{
	const char *before = in_folder("rows.npy"), *after = in_folder("moved.npy");
	void *mapped = map_file(before);
	struct off_cpu_record wait = wait_for_page(mapped, 20000 * NS_PER_SECOND);
	struct off_cpu_record other = wait;
	char removed[256];

	wait.file.generation = 7;
	other.file.inode = ~0ull;
	assert(is_named(&other, "mapped file"));
	other = wait;
	other.file.device ^= 1;
	other.start_ns += NS_PER_SECOND;
	/* The pages of an overlay's files are those of another device. */
	assert(is_on_overlay(&wait) || is_named(&other, "mapped file"));
	wait.start_ns += 2 * NS_PER_SECOND;
	assert(is_mapped_as(&wait, before));
	assert(!rename(before, after));
	wait.start_ns += NS_PER_SECOND;
	assert(is_mapped_as(&wait, before)); /* was looked up a moment ago */
	wait.start_ns += 10 * NS_PER_SECOND;
	assert(is_mapped_as(&wait, after));
	assert(!unlink(after));
	snprintf(removed, sizeof(removed), "%s (deleted)", after);
	wait.start_ns += 10 * NS_PER_SECOND;
	assert(is_mapped_as(&wait, removed));
	/* What was found stays the file's when it is not mapped any more. */
	assert(!munmap(mapped, MAPPED_BYTES));
	wait.start_ns += 3600 * NS_PER_SECOND;
	assert(is_mapped_as(&wait, removed));
}

static void forgets_what_was_mapped_where_inodes_are_used_again(void)
{
	const char *path = in_folder("again.npy");
	void *mapped = map_file(path);
	struct off_cpu_record wait = wait_for_page(mapped, 40000 * NS_PER_SECOND);

	assert(is_mapped_as(&wait, path));
	assert(!munmap(mapped, MAPPED_BYTES));
	wait.start_ns += 12 * NS_PER_SECOND;
	assert(is_mapped_as(&wait, path));
	wait.start_ns += 12 * NS_PER_SECOND;
	assert(is_named(&wait, "mapped file"));
}

/* With a second of its own for each, all would be found. */
static void reads_mappings_so_many_times_a_second_only(void)
{
	const char *path = in_folder("shard.npy");
	void *mapped = map_file(path);
	struct off_cpu_record wait = wait_for_page(mapped, 50000 * NS_PER_SECOND);
	unsigned int found = 0;

	for (unsigned int i = 0; i < 100; i++) {
		wait.file.generation = 100 + i;
		found += is_mapped_as(&wait, path);
	}
	assert(found > 0 && found <= 20);
	wait.start_ns += 100 * NS_PER_SECOND;
	assert(is_mapped_as(&wait, path));
	assert(!munmap(mapped, MAPPED_BYTES));
}

static void parses_fdinfo(void)
{
	struct proc_fd file;

	assert(!proc_parse_fdinfo("pos:\t0\nflags:\t02\nmnt_id:\t31\nino:\t18446744073709551615\n",
				  &file));
	assert(file.mount == 31 && file.inode == UINT64_MAX);
	assert(proc_parse_fdinfo("pos:\t0\nflags:\t02\nmnt_id:\t31\n", &file) == -EBADMSG);
	assert(proc_parse_fdinfo("ino:\t1\n", &file) == -EBADMSG);
	assert(proc_parse_fdinfo("", &file) == -EBADMSG);
	assert(proc_read_fd(getpid(), 1 << 20, &file) == -ENOENT);
}

static bool describes(const char *line, const char *expected)
{
	char text[32];

	proc_describe_mount(line, text, sizeof(text));
	return !strcmp(text, expected);
}

static void tells_where_a_mount_lies(void)
{
	assert(describes("nfs4 nas:/data rw,vers=4.2", "nfs4 of nas:/data"));
	assert(describes("cifs //nas/data rw", "cifs of //nas/data"));
	assert(describes("lustre 10.0.0.7@tcp:/fs rw", "lustre of 10.0.0.7@tcp:/fs"));
	assert(describes("nfs [fd00::1]:/data rw", "nfs of [fd00::1]:/data"));
	/* What lies here is known by its path, and a bracket or an escape is no part of a name. */
	assert(describes("ext4 /dev/vda1 rw", "ext4"));
	assert(describes("overlay overlay rw", "overlay"));
	assert(describes("nfs4 nas:/our\\040data rw", "nfs4"));
	assert(describes("nfs4 nas:/data(2) rw", "nfs4"));
	/* A password, and one line that is cut. */
	assert(describes("fuse.dav https://me:word@nas/ rw", "fuse.dav"));
	assert(describes("fuse.ftp me:word@nas:/ rw", "fuse.ftp"));
	assert(describes("nfs4 nas:/a/folder/that/is/too/long rw", "nfs4"));
	assert(describes("tmpfs", "tmpfs") && describes("", ""));
}

int main(void)
{
	char message[512];

	make_folder();
	writer = begin_trace(in_folder("trace"), 0);
	names = file_names_new(writer);
	assert(names);
	parses_fdinfo();
	tells_where_a_mount_lies();
	names_two_files_of_one_number();
	forgets_where_inodes_are_used_again();
	takes_no_name_of_the_next_file_of_an_inode();
	knows_a_removed_file_by_its_name();
	sees_that_a_file_was_renamed();
	names_what_has_no_path();
	tells_kinds_of_files_that_are_closed();
	looks_up_so_many_a_second_only();
	names_what_is_mapped();
	forgets_what_was_mapped_where_inodes_are_used_again();
	reads_mappings_so_many_times_a_second_only();
	file_names_free(names);
	assert(!trace_finish(writer, now_ns(), message, sizeof(message)));
	remove_folder();
	printf("file_names: ok\n");
	return EXIT_SUCCESS;
}
