/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A library of 4 KiB with three functions and an import, to be read as it is or damaged. */
#ifndef STALLTRACE_SMALL_ELF_H
#define STALLTRACE_SMALL_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SMALL_ELF_ADDRESS 0x10000u /* of its offset 0 */
#define SMALL_ELF_TEXT 0x800u      /* offset of its code */

struct small_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	struct {
		Elf64_Nhdr header;
		char owner[4];
		unsigned char id[20];
	} note;
	Elf64_Shdr sections[6];
	Elf64_Sym symbols[6];
	char names[96];
	char section_names[64];
	unsigned char rest[4096 - 904];
};
_Static_assert(sizeof(struct small_elf) == 4096, "the offset of its code counts on it");

static inline Elf64_Sym small_elf_symbol(uint32_t name, uint64_t offset, uint64_t size, int section)
{
	return (Elf64_Sym){
		.st_name = name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, section ? STT_FUNC : STT_NOTYPE),
		.st_shndx = section,
		.st_value = section ? SMALL_ELF_ADDRESS + SMALL_ELF_TEXT + offset : 0,
		.st_size = size,
	};
}

static inline Elf64_Shdr small_elf_section(uint32_t name, uint32_t type, uint64_t offset,
					   uint64_t size)
{
	return (Elf64_Shdr){
		.sh_name = name,
		.sh_type = type,
		.sh_offset = offset,
		.sh_addr = SMALL_ELF_ADDRESS + offset,
		.sh_size = size,
	};
}

static inline void make_small_elf(struct small_elf *elf)
{
	/* 1 outer, 7 outer's alias, 15 inner, 21 unsized, 33 the import */
	static const char names[] = "\0outer\0__outer\0inner\0unsized@@V1\0__cudaRegisterFatBinary";
	static const char section_names[] = "\0.text\0.dynsym\0.dynstr\0.shstrtab\0.nv_fatbin";

	memset(elf, 0, sizeof(*elf));
	memcpy(elf->header.e_ident, ELFMAG, SELFMAG);
	elf->header.e_ident[EI_CLASS] = ELFCLASS64;
	elf->header.e_ident[EI_DATA] = ELFDATA2LSB;
	elf->header.e_ident[EI_VERSION] = EV_CURRENT;
	elf->header.e_type = ET_DYN;
	elf->header.e_phoff = offsetof(struct small_elf, segments);
	elf->header.e_phentsize = sizeof(Elf64_Phdr);
	elf->header.e_phnum = 2;
	elf->header.e_shoff = offsetof(struct small_elf, sections);
	elf->header.e_shentsize = sizeof(Elf64_Shdr);
	elf->header.e_shnum = 6;
	elf->header.e_shstrndx = 4;
	elf->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
					.p_flags = PF_R | PF_X,
					.p_vaddr = SMALL_ELF_ADDRESS,
					.p_filesz = sizeof(*elf),
					.p_memsz = sizeof(*elf)};
	elf->segments[1] = (Elf64_Phdr){.p_type = PT_NOTE,
					.p_offset = offsetof(struct small_elf, note),
					.p_filesz = sizeof(elf->note)};
	elf->note.header = (Elf64_Nhdr){4, 20, NT_GNU_BUILD_ID};
	memcpy(elf->note.owner, "GNU", 4);
	memset(elf->note.id, 0xab, sizeof(elf->note.id));
	elf->sections[1] = small_elf_section(1, SHT_PROGBITS, SMALL_ELF_TEXT, 0x400);
	elf->sections[2] = small_elf_section(7, SHT_DYNSYM, offsetof(struct small_elf, symbols),
					     sizeof(elf->symbols));
	elf->sections[2].sh_link = 3;
	elf->sections[2].sh_entsize = sizeof(Elf64_Sym);
	elf->sections[3] = small_elf_section(15, SHT_STRTAB, offsetof(struct small_elf, names),
					     sizeof(elf->names));
	elf->sections[4] = small_elf_section(23, SHT_STRTAB,
					     offsetof(struct small_elf, section_names),
					     sizeof(elf->section_names));
	elf->sections[5] = small_elf_section(33, SHT_PROGBITS, 0xc00, 16);
	memcpy(elf->names, names, sizeof(names));
	memcpy(elf->section_names, section_names, sizeof(section_names));
	elf->symbols[1] = small_elf_symbol(7, 0, 0x100, 1);
	elf->symbols[2] = small_elf_symbol(1, 0, 0x100, 1);
	elf->symbols[3] = small_elf_symbol(15, 0x40, 0x10, 1);
	elf->symbols[4] = small_elf_symbol(21, 0x200, 0, 1);
	elf->symbols[5] = small_elf_symbol(33, 0, 0, 0);
}

#endif /* STALLTRACE_SMALL_ELF_H */
