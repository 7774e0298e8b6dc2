/* One call of the system fails, once: for LD_PRELOAD.
 *
 *   CUESTA_FAULT=write:3:EIO,/tmp/x   the third write(2) or pwrite(2) into a file under /tmp/x fails with EIO
 *   CUESTA_FAULT=open:1:EMFILE,/tmp/x the first open(2) of a path under it
 *   CUESTA_FAULT=thread:2:EAGAIN      the second thread that is to be made
 *   CUESTA_FAULT=malloc:100:ENOMEM    the hundredth allocation
 *   CUESTA_FAULT_COUNT=FILE           appends one line a process: how many calls of each kind there were
 *
 * Calls are counted from main() on. Kinds: write close fsync rename link lseek open thread malloc new. A number with a "+" behind it fails every call from
 * there on. "0" fails none, so that CUESTA_FAULT_COUNT tells how many there are to fail. A file without a name (O_TMPFILE)
 * lies in its folder as any other.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, CLOSE, FSYNC, RENAME, LINK, LSEEK, OPEN, THREAD, MALLOC, NEW, KINDS };
static const char* const names[KINDS] = {"write", "close", "fsync",  "rename", "link",
                                         "lseek", "open",  "thread", "malloc", "new"};
static const struct {
  const char* name;
  int value;
} errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EMFILE", EMFILE},
              {"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM}, {"EINTR", EINTR},   {"EFBIG", EFBIG}};

static atomic_long counts[KINDS];
static int kind = -1, error = EIO, forever;
static long wanted;
static char folder[PATH_MAX];
static int ready;

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void start(void) {
  const char* text = getenv("CUESTA_FAULT");
  if (text) {
    char what[32] = "", which[32] = "";
    char number[32] = "";
    if (sscanf(text, "%31[^:]:%31[^:]:%31[^,],%4095s", what, number, which, folder) >= 3) {
      for (int i = 0; i < KINDS; ++i)
        if (!strcmp(what, names[i])) kind = i;
      for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
        if (!strcmp(which, errors[i].name)) error = errors[i].value;
      wanted = atol(number);
      forever = strchr(number, '+') != NULL;
    }
    /* Children run as they would. */
    unsetenv("CUESTA_FAULT");
  }
}

/* Calls count from main() on: what the loader and the runtime need before it, nobody can do without. */
static int (*real_main)(int, char**, char**);
static int begin(int argc, char** argv, char** environment) {
  ready = 1;
  const int code = real_main(argc, argv, environment);
  ready = 0;
  return code;
}
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void* stack) {
  real_main = main;
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
              void*);
  *(void**)&real = next("__libc_start_main");
  return real(begin, argc, argv, init, fini, loader, stack);
}

__attribute__((destructor)) static void tell(void) {
  const char* name = getenv("CUESTA_FAULT_COUNT");
  if (!name) return;
  char line[512];
  int size = 0;
  for (int i = 0; i < KINDS; ++i)
    size += snprintf(line + size, sizeof line - (size_t)size, "%s=%ld ", names[i], counts[i]);
  line[size - 1] = '\n';
  const int file = ((int (*)(const char*, int, ...))next("open"))(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0) return;
  (void)!((ssize_t (*)(int, const void*, size_t))next("write"))(file, line, (size_t)size);
  ((int (*)(int))next("close"))(file);
}

int cuesta_fault(int which);
int cuesta_fault(int which) {
  if (!ready) return 0;
  const long number = ++counts[which];
  if (which != kind || wanted == 0) return 0;
  if (forever ? number < wanted : number != wanted) return 0;
  errno = error;
  return 1;
}

static int lies_inside(const char* path) {
  char whole[PATH_MAX];
  if (!*folder) return 1;
  if (path[0] != '/') {
    if (!getcwd(whole, sizeof whole)) return 0;
    return !strncmp(whole, folder, strlen(folder));
  }
  return !strncmp(path, folder, strlen(folder));
}

static int is_inside(int descriptor) {
  char link[64], path[PATH_MAX];
  if (!*folder) return 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return !strncmp(path, folder, strlen(folder));
}

#define CALL(result, name, parameters, arguments, which, inside)        \
  result name parameters {                                              \
    static result(*real) parameters;                                    \
    if (!real) real = (result(*) parameters)next(#name);                \
    if ((inside) && cuesta_fault(which)) return -1;                            \
    return real arguments;                                              \
  }

CALL(ssize_t, write, (int fd, const void* data, size_t size), (fd, data, size), WRITE, is_inside(fd))
CALL(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t at), (fd, data, size, at), WRITE, is_inside(fd))
CALL(ssize_t, pwrite64, (int fd, const void* data, size_t size, off64_t at), (fd, data, size, at), WRITE, is_inside(fd))
CALL(ssize_t, writev, (int fd, const struct iovec* data, int count), (fd, data, count), WRITE, is_inside(fd))
CALL(int, fsync, (int fd), (fd), FSYNC, is_inside(fd))
CALL(int, fdatasync, (int fd), (fd), FSYNC, is_inside(fd))
CALL(int, rename, (const char* from, const char* to), (from, to), RENAME, lies_inside(to))
CALL(int, link, (const char* from, const char* to), (from, to), LINK, lies_inside(to))
CALL(int, linkat, (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags), LINK, lies_inside(to))
CALL(off_t, lseek, (int fd, off_t to, int whence), (fd, to, whence), LSEEK, is_inside(fd))
CALL(off64_t, lseek64, (int fd, off64_t to, int whence), (fd, to, whence), LSEEK, is_inside(fd))

/* The descriptor is closed all the same, as Linux does it. */
int close(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))next("close");
  const int failed = is_inside(fd) && cuesta_fault(CLOSE);
  const int result = real(fd);
  if (!failed) return result;
  errno = error;
  return -1;
}

#define OPENS(name)                                                            \
  int name(const char* path, int flags, ...) {                                 \
    static int (*real)(const char*, int, ...);                                 \
    if (!real) real = (int (*)(const char*, int, ...))next(#name);             \
    va_list list;                                                              \
    va_start(list, flags);                                                     \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                              \
    if (lies_inside(path) && cuesta_fault(OPEN)) return -1;                           \
    return real(path, flags, mode);                                            \
  }
OPENS(open)
OPENS(open64)

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (!real)
    real = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))next("pthread_create");
  if (cuesta_fault(THREAD)) return error;
  return real(thread, attributes, body, argument);
}

/* glibc's own names: dlsym() itself allocates. */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
void* malloc(size_t size) { return cuesta_fault(MALLOC) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return cuesta_fault(MALLOC) ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return cuesta_fault(MALLOC) ? NULL : __libc_realloc(old, size); }
