/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * held_folder FOLDER FILE HOLD: mounts over FOLDER a folder with one file, `job`, which reads as FILE
 * (FUSE). From when there is a file HOLD on, nobody gets an answer any more, as from a server that is
 * gone. Ends with its standard input, and answers all then: with an error. Needs root.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE 2
#define REQUEST_BYTES (256 << 10)
#define MOST_READ (128 << 10)

static int device, content;
static struct stat of_content;

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

static void answer(const struct fuse_in_header *request, int error, const void *data, size_t size)
{
	struct fuse_out_header header = {.len = (uint32_t)(sizeof(header) + size),
					 .error = -error,
					 .unique = request->unique};
	struct iovec parts[] = {{&header, sizeof(header)}, {(void *)data, size}};

	if (writev(device, parts, size ? 2 : 1) < 0 && errno != ENOENT)
		perror("answer");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_NODE ? (uint64_t)of_content.st_size : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void look_up(const struct fuse_in_header *request, const char *name)
{
	struct fuse_entry_out entry = {.nodeid = FILE_NODE, .attr = attributes(FILE_NODE)};

	if (strcmp(name, "job"))
		answer(request, ENOENT, NULL, 0);
	else
		answer(request, 0, &entry, sizeof(entry));
}

static void read_file(const struct fuse_in_header *request, const struct fuse_read_in *read_in)
{
	static char bytes[MOST_READ];
	size_t size = read_in->size < MOST_READ ? read_in->size : MOST_READ;
	ssize_t got = pread(content, bytes, size, (off_t)read_in->offset);

	if (got < 0)
		answer(request, EIO, NULL, 0);
	else
		answer(request, 0, bytes, (size_t)got);
}

static void handle(const struct fuse_in_header *request, const void *body)
{
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
				     .minor = 31,
				     .max_readahead = 4096,
				     .flags = FUSE_ASYNC_READ,
				     .max_write = 4096};
	struct fuse_attr_out attr = {.attr = attributes(request->nodeid)};
	struct fuse_open_out opened = {0};

	switch (request->opcode) {
	case FUSE_INIT:
		return answer(request, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		return look_up(request, body);
	case FUSE_GETATTR:
		return answer(request, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		return answer(request, 0, &opened, sizeof(opened));
	case FUSE_READ:
		return read_file(request, body);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		return answer(request, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		return answer(request, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char request[REQUEST_BYTES];
	struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};
	char options[128];

	must(argc == 4, "usage: held_folder FOLDER FILE HOLD");
	content = open(argv[2], O_RDONLY | O_CLOEXEC);
	must(content >= 0 && !fstat(content, &of_content), argv[2]);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	must(device >= 0, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 device);
	must(!mount("held", argv[1], "fuse.held", MS_NOSUID, options), "mount");
	sources[1].fd = device;
	while (poll(sources, 2, -1) >= 0 && !sources[0].revents) {
		ssize_t got = read(device, request, sizeof(request));
		const struct fuse_in_header *header = (const void *)request;

		if (got < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
			break;
		if (got >= (ssize_t)sizeof(*header) && access(argv[3], F_OK))
			handle(header, header + 1);
	}
	umount2(argv[1], MNT_DETACH);
	return 0;
}
