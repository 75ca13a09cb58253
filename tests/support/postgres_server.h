/* A real PostgreSQL server for a test: its cluster is a folder under /tmp, it listens on a socket
 * there and on no port.  PostgreSQL refuses to run as root, so root becomes the user postgres. */
#ifndef NLN_TESTS_POSTGRES_SERVER_H
#define NLN_TESTS_POSTGRES_SERVER_H

#include <glob.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct postgres_server {
    char bin[128];   /* the folder of initdb and postgres */
    char folder[64]; /* of the cluster, the socket and the log */
    char url[192];
    pid_t pid;
} postgres_server;

static inline void postgres_become_user(void)
{
    const struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;
    if (!user)
        user = geteuid() == 0 ? getpwnam("nobody") : NULL;
    if (user && (setgid(user->pw_gid) || setuid(user->pw_uid)))
        _exit(126);
}

/* Starts a program of the server with its output in the log. */
static inline pid_t postgres_spawn(const postgres_server *s, const char *program,
                                   char *const arguments[])
{
    char path[192], log[96];
    snprintf(path, sizeof path, "%s/%s", s->bin, program);
    snprintf(log, sizeof log, "%s/log", s->folder);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    postgres_become_user();
    if (chdir(s->folder) || !freopen(log, "a", stdout) || dup2(1, 2) < 0)
        _exit(126);
    execv(path, arguments);
    _exit(127);
}

static inline int postgres_wait(pid_t pid)
{
    int state;
    return pid > 0 && waitpid(pid, &state, 0) == pid && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/* Executes SQL with the server's own psql; 0 on success. */
static inline int postgres_psql(const postgres_server *s, const char *database, const char *sql)
{
    char *arguments[] = {"psql",
                         "-q",
                         "-X",
                         "-v",
                         "ON_ERROR_STOP=1",
                         "-h",
                         (char *)s->folder,
                         "-U",
                         "nln",
                         "-d",
                         (char *)database,
                         "-c",
                         (char *)sql,
                         NULL};
    return postgres_wait(postgres_spawn(s, "psql", arguments));
}

/* Starts the server on the cluster and waits until it answers; 0 on success. */
static inline int postgres_resume(postgres_server *s)
{
    char *arguments[] = {"postgres", "-D", "data", "-k", s->folder, "-h", "", NULL};
    s->pid = postgres_spawn(s, "postgres", arguments);
    for (int i = 0; i < 600; i++) {
        if (!postgres_psql(s, "postgres", "SELECT 1"))
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    }
    return -1;
}

/* SIGKILL for the whole server: what a power failure does to it. */
static inline void postgres_kill(postgres_server *s)
{
    if (s->pid > 0) {
        kill(s->pid, SIGQUIT); /* the immediate shutdown: its children die without a checkpoint */
        postgres_wait(s->pid);
    }
    s->pid = 0;
}

static inline void postgres_stop(postgres_server *s)
{
    char command[128];
    postgres_kill(s);
    snprintf(command, sizeof command, "rm -rf %s", s->folder);
    if (s->folder[0] && system(command))
        perror(s->folder);
}

/* 0 on success; 1 and a line SKIPPED where PostgreSQL is not installed; -1 on failure. */
static inline int postgres_start(postgres_server *s)
{
    glob_t found = {0};
    *s = (postgres_server){0};
    if (glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) || found.gl_pathc == 0) {
        printf("SKIPPED: PostgreSQL is not installed (apt-get install postgresql)\n");
        globfree(&found);
        return 1;
    }
    const char *path = found.gl_pathv[found.gl_pathc - 1];
    snprintf(s->bin, sizeof s->bin, "%.*s", (int)(strlen(path) - strlen("/initdb")), path);
    globfree(&found);
    snprintf(s->folder, sizeof s->folder, "/tmp/nln-postgres-XXXXXX");
    if (!mkdtemp(s->folder) || chmod(s->folder, 0777))
        return -1;
    snprintf(s->url, sizeof s->url, "postgresql:///nln?host=%s&user=nln", s->folder);
    char *arguments[] = {"initdb", "-D",           "data",      "-U",
                         "nln",    "-E",           "UTF8",      "--locale",
                         "C",      "--auth=trust", "--no-sync", "--no-instructions",
                         NULL};
    if (postgres_wait(postgres_spawn(s, "initdb", arguments)) || postgres_resume(s) ||
        postgres_psql(s, "postgres", "CREATE DATABASE nln")) {
        postgres_stop(s);
        return -1;
    }
    return 0;
}

#endif
