/* One call of the system fails, once: for LD_PRELOAD.
 *
 *   CUESTA_FAULT=write:3:EIO,/tmp/x   the third write(2) or pwrite(2) into a file under /tmp/x fails with EIO
 *   CUESTA_FAULT=open:1:EMFILE,/tmp/x the first open(2) of a path under it
 *   CUESTA_FAULT=thread:2:EAGAIN      the second thread that is to be made
 *   CUESTA_FAULT=malloc:100:ENOMEM    the hundredth allocation
 *   CUESTA_FAULT=malloc:@1f2e:ENOMEM  the first allocation at this place
 *   CUESTA_FAULT_COUNT=FILE           appends one line a process: how many calls of each kind there were
 *   CUESTA_FAULT_PLACES=FILE          writes every place at which CUESTA_FAULT's kind, malloc or new, was called, a line each
 *   CUESTA_FAULT_REPORT=FILE          appends in which libraries a call failed ("fault"), and in which ones a signal ended
 *                                     the process ("signal N"), innermost first
 *
 * Calls are counted from main() on. Kinds: write close fsync rename link lseek open thread malloc new. A number or place with
 * a "+" behind it fails every call from there on. "0" fails none, so that CUESTA_FAULT_COUNT tells how many there are to fail.
 * A file without a name (O_TMPFILE) lies in its folder as any other. A place is the innermost calls of the stack, as offsets
 * into their libraries: the same one in every run, whatever the threads do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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
static _Atomic uint64_t wanted_place;
static atomic_int place_came;

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
      if (number[0] == '@')
        wanted_place = strtoull(number + 1, NULL, 16);
      else
        wanted = atol(number);
      forever = strchr(number, '+') != NULL;
    }
    /* Children run as they would. */
    unsetenv("CUESTA_FAULT");
  }
}

/* ---- places: which calls led here */

enum { DEPTH = 8, MOST_PLACES = 1 << 16 };
static const char *places_file, *report_file;
static _Atomic uint64_t places[MOST_PLACES];
static __thread int inside __attribute__((tls_model("initial-exec")));

/* The calls that led here, innermost first, without this library's own. */
static int calls_of(struct dl_find_object* modules, void** frames, int most) {
  static struct dl_find_object ours;
  void* all[64];
  if (!ours.dlfo_map_end) _dl_find_object((void*)&calls_of, &ours);
  const int found = backtrace(all, most + 4 < 64 ? most + 4 : 64);
  int n = 0;
  for (int i = 0; i < found && n < most; ++i) {
    if (_dl_find_object(all[i], &modules[n]) != 0 || modules[n].dlfo_map_start == ours.dlfo_map_start) continue;
    frames[n++] = all[i];
  }
  return n;
}

static uint64_t place_of(const void* caller) {
  if (inside) return 0; /* the unwinder's own */
  inside = 1;
  struct dl_find_object modules[DEPTH];
  void* frames[DEPTH];
  const int n = calls_of(modules, frames, DEPTH);
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < n; ++i) {
    const uint64_t size = (uint64_t)((char*)modules[i].dlfo_map_end - (char*)modules[i].dlfo_map_start);
    const uint64_t offset = (uint64_t)((char*)frames[i] - (char*)modules[i].dlfo_map_start);
    hash = (hash ^ size) * 1099511628211u;
    hash = (hash ^ offset) * 1099511628211u;
  }
  inside = 0;
  /* Its last three digits are the caller's whatever the library's address is, and tell most other places apart by themselves. */
  return hash << 12 | ((uintptr_t)caller & 0xfff);
}

static void note_place(uint64_t place) {
  for (size_t i = place >> 12;; ++i) {
    uint64_t old = 0;
    if (atomic_compare_exchange_strong(&places[i % MOST_PLACES], &old, place) || old == place) return;
  }
}

/* ---- reports */

static void put(int file, const char* text) { (void)!syscall(SYS_write, file, text, strlen(text)); }

static void report(const char* what) {
  enum { MOST = 48 };
  struct dl_find_object modules[MOST];
  void* frames[MOST];
  const int n = calls_of(modules, frames, MOST);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, report_file, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0) return;
  put(file, what);
  const void* before = NULL;
  for (int i = 0; i < n; ++i) {
    if (modules[i].dlfo_link_map == before) continue;
    before = modules[i].dlfo_link_map;
    const char* name = modules[i].dlfo_link_map->l_name;
    const char* last = strrchr(name, '/');
    put(file, " ");
    put(file, last ? last + 1 : *name ? name : "cuesta");
  }
  put(file, "\n");
  syscall(SYS_close, file);
}

/* What the program does about a signal that ends it, it does after the report. */
static struct sigaction theirs[NSIG];
static int (*real_sigaction)(int, const struct sigaction*, struct sigaction*);

static int is_crash(int number) {
  return number == SIGABRT || number == SIGTRAP || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
}

static void crashed(int number) {
  struct sigaction usual;
  memset(&usual, 0, sizeof usual);
  usual.sa_handler = SIG_DFL;
  real_sigaction(number, &usual, NULL);
  char what[] = "signal 00";
  what[7] = (char)('0' + number / 10), what[8] = (char)('0' + number % 10);
  report(what);
  if (theirs[number].sa_handler != SIG_DFL && theirs[number].sa_handler != SIG_IGN)
    theirs[number].sa_handler(number);
  else
    raise(number);
}

int sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  if (!real_sigaction)
    real_sigaction = (int (*)(int, const struct sigaction*, struct sigaction*))next("sigaction");
  if (!report_file || !is_crash(number)) return real_sigaction(number, action, old);
  if (old) *old = theirs[number];
  if (action) theirs[number] = *action;
  return 0;
}

static void watch_signals(void) {
  void* frames[4];
  backtrace(frames, 4); /* which loads the unwinder */
  places_file = getenv("CUESTA_FAULT_PLACES");
  report_file = getenv("CUESTA_FAULT_REPORT");
  if (!report_file) return;
  sigaction(SIGABRT, NULL, &theirs[SIGABRT]); /* which finds the real one */
  static char stack[1 << 16]; /* for what recurses without an end */
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK;
  for (int number = 1; number < NSIG; ++number)
    if (is_crash(number)) real_sigaction(number, &action, NULL);
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
  watch_signals();
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
              void*);
  *(void**)&real = next("__libc_start_main");
  return real(begin, argc, argv, init, fini, loader, stack);
}

static void tell_places(void) {
  const int file = (int)syscall(SYS_openat, AT_FDCWD, places_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return;
  for (size_t i = 0; i < MOST_PLACES; ++i) {
    char line[32];
    if (!places[i]) continue;
    snprintf(line, sizeof line, "%llx\n", (unsigned long long)places[i]);
    put(file, line);
  }
  syscall(SYS_close, file);
}

__attribute__((destructor)) static void tell(void) {
  if (places_file) tell_places();
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

int cuesta_fault_at(int which, const void* caller);
int cuesta_fault_at(int which, const void* caller) {
  if (!ready) return 0;
  const long number = ++counts[which];
  if (which != kind) return 0;
  int fails = 0;
  if (places_file) note_place(place_of(caller));
  if (wanted_place) {
    if (atomic_load(&place_came))
      fails = forever;
    else if (((uintptr_t)caller & 0xfff) == (wanted_place & 0xfff) && place_of(caller) == wanted_place)
      fails = atomic_exchange(&place_came, 1) == 0 || forever;
  } else if (wanted > 0) {
    fails = forever ? number >= wanted : number == wanted;
  }
  if (!fails) return 0;
  static atomic_int told;
  if (report_file && atomic_exchange(&told, 1) == 0) report("fault");
  errno = error;
  return 1;
}
static int cuesta_fault(int which) { return cuesta_fault_at(which, NULL); }

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
extern void* __libc_memalign(size_t, size_t);
#define ALLOCATION_FAILS cuesta_fault_at(MALLOC, __builtin_return_address(0))
void* malloc(size_t size) { return ALLOCATION_FAILS ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return ALLOCATION_FAILS ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return ALLOCATION_FAILS ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return ALLOCATION_FAILS ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return ALLOCATION_FAILS ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (ALLOCATION_FAILS) return ENOMEM;  // errno is set, as glibc does
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
