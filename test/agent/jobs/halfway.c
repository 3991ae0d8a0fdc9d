/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * halfway LIBPYTHON ARGUMENT...: maps the library as the loader does: whole, then its code in its place. Before
 * its data would follow it waits for a while, then lets go of it, loads it and runs its Python with the arguments.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HALFWAY_US 150000
#define PAGE 4096ul

/* The part that is executed; 0 where it is found. */
static int read_code(int fd, Elf64_Phdr *code)
{
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return -1;
	for (int i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(*code));

		if (pread(fd, code, sizeof(*code), at) != sizeof(*code))
			return -1;
		if (code->p_type == PT_LOAD && code->p_flags & PF_X)
			return 0;
	}
	return -1;
}

static int map_halfway(const char *path)
{
	struct stat status;
	Elf64_Phdr code;
	char *whole;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status) || read_code(fd, &code))
		return -1;
	whole = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (whole == MAP_FAILED)
		return -1;
	if (mmap(whole + (code.p_vaddr & -PAGE), code.p_filesz, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_FIXED, fd, (off_t)(code.p_offset & -PAGE)) == MAP_FAILED)
		return -1;
	close(fd);
	usleep(HALFWAY_US);
	return munmap(whole, (size_t)status.st_size);
}

int main(int argc, char **argv)
{
	int (*run)(int, char **);
	void *library;

	if (argc < 3 || map_halfway(argv[1])) {
		perror("halfway");
		return 2;
	}
	library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	run = library ? (int (*)(int, char **))dlsym(library, "Py_BytesMain") : NULL;
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 3;
	}
	return run(argc - 1, argv + 1);
}
