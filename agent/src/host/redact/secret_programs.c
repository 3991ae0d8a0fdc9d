// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Programs that take a password after one letter, or ids where others take keys. */
#include "secret_words.h"

#include <string.h>

#define ANY '\0'

static const struct password_option password_options[] = {
	{"mysql", 'p', true, false, ANY, false},
	{"mysqldump", 'p', true, false, ANY, false},
	{"mysqladmin", 'p', true, false, ANY, false},
	{"mysqlimport", 'p', true, false, ANY, false},
	{"mysqlcheck", 'p', true, false, ANY, false},
	{"mysqlshow", 'p', true, false, ANY, false},
	{"mysqlslap", 'p', true, false, ANY, false},
	{"mysqlbinlog", 'p', true, false, ANY, false},
	{"mysqlsh", 'p', true, false, ANY, false},
	{"mariadb", 'p', true, false, ANY, false},
	{"mariadb-dump", 'p', true, false, ANY, false},
	{"mariadb-admin", 'p', true, false, ANY, false},
	{"mytop", 'p', true, true, ANY, false},
	{"sshpass", 'p', true, true, ANY, false},
	{"mongo", 'p', true, true, ANY, false},
	{"mongosh", 'p', true, true, ANY, false},
	{"mongodump", 'p', true, true, ANY, false},
	{"mongorestore", 'p', true, true, ANY, false},
	{"mongoexport", 'p', true, true, ANY, false},
	{"mongoimport", 'p', true, true, ANY, false},
	{"cqlsh", 'p', true, true, ANY, false},
	{"7z", 'p', true, false, ANY, false},
	{"7za", 'p', true, false, ANY, false},
	{"7zr", 'p', true, false, ANY, false},
	{"rar", 'p', true, false, ANY, false},
	{"unrar", 'p', true, false, ANY, false},
	{"zip", 'P', true, true, ANY, false},
	{"unzip", 'P', true, true, ANY, false},
	{"sqlcmd", 'P', true, true, ANY, false},
	{"tsql", 'P', true, true, ANY, false},
	{"bcp", 'P', true, true, ANY, false},
	{"mosquitto_pub", 'P', false, true, ANY, false},
	{"mosquitto_sub", 'P', false, true, ANY, false},
	{"ipmitool", 'P', true, true, ANY, false},
	{"redis-cli", 'a', false, true, ANY, false},
	{"redis-benchmark", 'a', false, true, ANY, false},
	{"valkey-cli", 'a', false, true, ANY, false},
	{"ldapsearch", 'w', true, true, ANY, false},
	{"ldapmodify", 'w', true, true, ANY, false},
	{"ldapadd", 'w', true, true, ANY, false},
	{"ldapwhoami", 'w', true, true, ANY, false},
	{"ldappasswd", 'w', true, true, ANY, false},
	{"snmpwalk", 'c', true, true, ANY, false},
	{"snmpget", 'c', true, true, ANY, false},
	{"snmpwalk", 'A', true, true, ANY, false},
	{"snmpget", 'A', true, true, ANY, false},
	{"snmpwalk", 'X', true, true, ANY, false},
	{"snmpget", 'X', true, true, ANY, false},
	{"useradd", 'p', true, true, ANY, false},
	{"usermod", 'p', true, true, ANY, false},
	{"rabbitmqadmin", 'p', true, true, ANY, false},
	{"smbclient", 'U', true, true, '%', false},
	{"rpcclient", 'U', true, true, '%', false},
	{"lftp", 'u', true, true, ',', false},
	{"curl", 'u', true, true, ':', false},
	{"curl", 'U', true, true, ':', false},
	{"curl", 'b', true, true, '=', false},
	{"http", 'a', true, true, ':', false},
	{"https", 'a', true, true, ':', false},
	{"twine", 'p', true, true, ANY, false},
	{"ttyd", 'c', true, true, ':', false},
	{"gotty", 'c', true, true, ':', false},
	{"docker", 'p', true, true, ANY, true},
	{"podman", 'p', true, true, ANY, true},
	{"skopeo", 'p', true, true, ANY, true},
	{"buildah", 'p', true, true, ANY, true},
	{"nerdctl", 'p', true, true, ANY, true},
	{"helm", 'p', true, true, ANY, true},
	{"oc", 'p', true, true, ANY, true},
	{"cf", 'p', true, true, ANY, true},
	{"az", 'p', true, true, ANY, true},
};

static const char *const id_programs[] = {
	"git",    "docker",          "podman", "nerdctl", "runc",   "crun", "ctr",
	"crictl", "containerd-shim", "hg",     "conmon",  "ollama", NULL,
};
/* Of which word behind the program is a password, options not counted. */
static const struct {
	const char *program;
	unsigned int place;
} password_places[] = {
	{"wpa_passphrase", 2}, {"htpasswd", 3}, {"mc", 6}, /* alias set NAME URL KEY SECRET */
};
/* user/password@place is what they take. */
static const char *const slash_programs[] = {"sqlplus", "expdp", "impdp", "sqlldr", "rman", NULL};
static const char *const account_programs[] = {"docker", "podman", "nerdctl", "chown", NULL};
/* Run by those above, with options of their own. */
static const char *const other_programs[] = {"ssh",      "scp",   "rsync",    "python", "python3",
					     "torchrun", "wandb", "xfreerdp", NULL};

static const char *listed(const char *word, size_t length, const char *const *list)
{
	for (; *list; list++) {
		if (strlen(*list) == length && !memcmp(*list, word, length))
			return *list;
	}
	return NULL;
}

const char *known_program(const char *word, size_t length)
{
	const char *slash = memrchr(word, '/', length), *found;
	const char *base = slash ? slash + 1 : word;
	size_t base_length = length - (size_t)(base - word), i;

	for (i = 0; i < sizeof(password_options) / sizeof(*password_options); i++) {
		const char *program = password_options[i].program;

		if (strlen(program) == base_length && !memcmp(program, base, base_length))
			return program;
	}
	for (i = 0; i < sizeof(password_places) / sizeof(*password_places); i++) {
		const char *program = password_places[i].program;

		if (strlen(program) == base_length && !memcmp(program, base, base_length))
			return program;
	}
	found = listed(base, base_length, id_programs);
	if (!found)
		found = listed(base, base_length, slash_programs);
	if (!found)
		found = listed(base, base_length, account_programs);
	return found ? found : listed(base, base_length, other_programs);
}

const struct password_option *find_password_option(const char *program, char letter, bool login)
{
	size_t i;

	for (i = 0; program && i < sizeof(password_options) / sizeof(*password_options); i++) {
		const struct password_option *option = &password_options[i];

		if (!strcmp(option->program, program) && option->letter == letter &&
		    (!option->after_login || login))
			return option;
	}
	return NULL;
}

bool program_takes_ids(const char *program)
{
	return program && is_listed_word(program, id_programs);
}

bool program_takes_accounts(const char *program)
{
	return program && is_listed_word(program, account_programs);
}

bool program_takes_slash_login(const char *program)
{
	return program && is_listed_word(program, slash_programs);
}

bool program_has_password_at(const char *program, unsigned int place)
{
	size_t i;

	for (i = 0; program && i < sizeof(password_places) / sizeof(*password_places); i++) {
		if (!strcmp(password_places[i].program, program))
			return password_places[i].place == place;
	}
	return false;
}
