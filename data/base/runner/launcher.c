/* Starts the runner's own Python through its own loader and libc.
 *
 * Linked statically, so that nothing of the image (LD_PRELOAD, a replaced libc, /bin/sh, python3)
 * takes part. `run --pause` is the first process of a grading container: it waits and reaps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIXED 11

static void leave(int number) { _exit(128 + number); }

static int pause_for_ever(void) {
  signal(SIGTERM, leave);
  signal(SIGINT, leave);
  for (;;) {
    if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD) usleep(50000);
  }
}

static char *join(const char *home, const char *rest) {
  char *text = NULL;
  if (asprintf(&text, "%s/%s", home, rest) < 0) _exit(125);
  return text;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--pause") == 0) return pause_for_ever();
  char home[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", home, sizeof home - 1);
  if (length <= 0) return 125;
  home[length] = 0;
  *strrchr(home, '/') = 0;

  /* Variables that would bend the loader; Python itself runs with -I and reads none. */
  static const char *bad[] = {"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG",
                              "LD_DEBUG_OUTPUT", "LD_BIND_NOW", "LD_PROFILE", "GLIBC_TUNABLES",
                              "GCONV_PATH", "LOCPATH", "MALLOC_TRACE", NULL};
  for (int i = 0; bad[i]; i++) unsetenv(bad[i]);

  char **args = calloc((size_t)argc + FIXED + 2, sizeof *args);
  if (!args) return 125;
  int n = 0;
  args[n++] = join(home, "ld.so");
  args[n++] = "--inhibit-cache";
  args[n++] = "--library-path";
  args[n++] = join(home, "lib");
  if (getenv("FACET_CLOCK")) {
    setenv("FAKETIME", getenv("FACET_CLOCK"), 1);
    args[n++] = "--preload";
    args[n++] = join(home, "lib/libfaketime.so.1");
  }
  args[n++] = join(home, "python/bin/python3");
  args[n++] = "-I";
  args[n++] = "-S";
  args[n++] = "-B";
  args[n++] = join(home, "main.py");
  for (int i = 1; i < argc; i++) args[n++] = argv[i];
  execv(args[0], args);
  perror("facet runner");
  return 125;
}
