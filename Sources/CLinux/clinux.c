#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int linux_accept4(int fd, void *address, uint32_t *length, int flags) {
  return accept4(fd, address, length, flags);
}

int linux_is_spare(int fd) {
  struct rlimit limit;
  return fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > LINUX_SPARE_FILES &&
         (rlim_t)fd >= limit.rlim_cur - LINUX_SPARE_FILES;
}

int linux_unless_spare(int fd) {
  if (!linux_is_spare(fd)) return fd;
  close(fd);
  errno = EMFILE;
  return -1;
}

int linux_leaves_spare(int count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return 1;
  int end = (int)limit.rlim_cur - LINUX_SPARE_FILES;
  if (count < 0 || count > end) return 0;
  int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return 0;
  // Of many the highest are free unless all have been in use; else each is counted.
  if (end > 4096) {
    int high = fcntl(probe, F_DUPFD_CLOEXEC, end - count);
    if (high >= 0) close(high);
    if (high == end - count) {
      close(probe);
      return 1;
    }
  }
  int taken[4096], had = 0, last = probe;
  while (last >= 0 && last < end && had + 1 < count && had < 4096) {
    last = fcntl(probe, F_DUPFD_CLOEXEC, 0);
    if (last >= 0) taken[had++] = last;
  }
  while (had > 0) close(taken[--had]);
  close(probe);
  return last >= 0 && last < end;
}

pid_t linux_gettid(void) { return (pid_t)syscall(SYS_gettid); }

ssize_t linux_pread_nowait(int fd, void *buffer, size_t count, int64_t offset) {
  struct iovec part = {buffer, count};
  return preadv2(fd, &part, 1, offset, RWF_NOWAIT);
}

// 256 KiB of pages: more than that has no use for who reads slowly.
#define PAGES_BESIDE 64

ssize_t linux_pread_beside(int fd, void *buffer, size_t count, int64_t offset) {
  int64_t page = sysconf(_SC_PAGESIZE);
  int64_t first = offset / page * page;
  size_t most = (size_t)(PAGES_BESIDE * page - (offset - first));
  if (count > most) count = most;
  if (count == 0) return 0;
  size_t pages = (size_t)((offset - first + (int64_t)count + page - 1) / page);
  unsigned char present[PAGES_BESIDE];
  memset(present, 1, sizeof present);
  // Without it the kernel would read ahead, and those pages would look as if somebody else had wanted them.
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  void *map = mmap(NULL, pages * (size_t)page, PROT_READ, MAP_SHARED, fd, first);
  if (map != MAP_FAILED) {
    if (mincore(map, pages * (size_t)page, present) != 0) memset(present, 1, sizeof present);
    munmap(map, pages * (size_t)page);
  }
  ssize_t got = pread(fd, buffer, count, offset);
  int error = errno;
  for (size_t begin = 0; begin < pages;) {
    size_t end = begin;
    while (end < pages && !(present[end] & 1)) end++;
    if (end > begin) posix_fadvise(fd, first + (int64_t)begin * page, (int64_t)(end - begin) * page, POSIX_FADV_DONTNEED);
    begin = end + 1;
  }
  errno = error;
  return got;
}

void linux_set_idle_io(void) {
  // IOPRIO_WHO_PROCESS, the calling thread, IOPRIO_CLASS_IDLE.
  syscall(SYS_ioprio_set, 1, 0, 3 << 13);
}

int linux_open_beneath(int folder, const char *path, int flags) {
#ifdef SYS_openat2
  struct open_how how = {.flags = (uint64_t)(unsigned)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
#else
  errno = ENOSYS;
  return -1;
#endif
}

ssize_t linux_sendfile(int socket, int file, int64_t offset, size_t count) {
  // sendfile takes no MSG_NOSIGNAL. A blocked SIGPIPE stays with the thread that has earned it; threads that send do
  // nothing else.
  static __thread int is_blocked;
  if (!is_blocked) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    is_blocked = 1;
  }
  off_t from = offset;
  return sendfile(socket, file, &from, count);
}

int linux_fdatasync(int fd) { return fdatasync(fd); }

int linux_processors_allowed(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

void linux_name_thread(const char *name) {
  // The kernel takes 15 bytes and refuses more.
  char cut[16] = {0};
  strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
}

// The reflected Castagnoli polynomial.
#define POLYNOMIAL 0x82f63b78u

static uint32_t table[8][256];

__attribute__((constructor)) static void fill_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1;
    table[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (int k = 1; k < 8; k++) table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xff];
}

void linux_raise_flag(uint32_t *flag) {
  if (__atomic_exchange_n(flag, 1, __ATOMIC_ACQ_REL)) return;
  syscall(SYS_futex, flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void linux_await_flag(uint32_t *flag, int milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  // The kernel looks once more whether it is still clear: no flag is missed in between.
  if (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
    syscall(SYS_futex, flag, FUTEX_WAIT_PRIVATE, 0, milliseconds < 0 ? NULL : &time, NULL, 0);
  __atomic_exchange_n(flag, 0, __ATOMIC_ACQ_REL);
}

static int signal_events = -1;
// Set by the handler, cleared by the reader; the eventfd only wakes it.
static volatile sig_atomic_t stop_came, reload_came, reopen_came;

static void on_signal(int number) {
  int saved = errno;
  if (number == SIGHUP) reload_came = 1;
  else if (number == SIGUSR1) reopen_came = 1;
  else stop_came = 1;
  uint64_t one = 1;
  ssize_t written = write(signal_events, &one, sizeof one);
  (void)written;
  errno = saved;
}

int linux_watch_signals(void) {
  signal_events = eventfd(0, EFD_CLOEXEC);
  if (signal_events < 0) return -1;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  return 0;
}

int linux_next_signal(void) {
  while (1) {
    if (stop_came) {
      stop_came = 0;
      return LINUX_SIGNAL_STOP;
    }
    if (reload_came) {
      reload_came = 0;
      return LINUX_SIGNAL_RELOAD;
    }
    if (reopen_came) {
      reopen_came = 0;
      return LINUX_SIGNAL_REOPEN;
    }
    uint64_t count;
    ssize_t got = read(signal_events, &count, sizeof count);
    (void)got;
  }
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_hardware(uint32_t crc, const uint8_t *p, size_t n) {
  uint64_t wide = crc;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  for (; n; p++, n--) crc = __builtin_ia32_crc32qi(crc, *p);
  return crc;
}
#endif

static uint32_t crc_tables(uint32_t crc, const uint8_t *p, size_t n) {
  for (; n >= 8; p += 8, n -= 8) {
    crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    crc = table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^ table[4][crc >> 24] ^
          table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
  }
  for (; n; p++, n--) crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xff];
  return crc;
}

uint32_t linux_crc32c(uint32_t seed, const void *bytes, size_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~crc_hardware(~seed, bytes, count);
#endif
  return ~crc_tables(~seed, bytes, count);
}

// In a child of a process with threads: nothing but system calls.
static void ask_folder(char *path, const char *name, int writes) {
  static char names[32768];
  syscall(SYS_close_range, 0u, ~0u, 0u);
  int folder;
  while ((folder = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    char *end = strrchr(path, '/');
    if (errno != ENOENT || !end || !path[1]) return;
    writes = 0;
    end[end == path] = 0;
  }
  syscall(SYS_getdents64, folder, names, sizeof names);
  if (!writes) return;
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  // A file system may take a name and none of its bytes.
  if (write(file, names, 4096) > 0) fsync(file);
  unlinkat(folder, name, 0);
}

int linux_folder_answers(const char *path, int writes, int milliseconds) {
  char copy[PATH_MAX], name[64];
  if (strlen(path) >= sizeof copy) return 1;
  strcpy(copy, path);
  snprintf(name, sizeof name, ".longwave-ask-%d", (int)getpid());
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    ask_folder(copy, name, writes);
    _exit(0);
  }
  for (int waited = 0;; waited += 5) {
    pid_t ended = waitpid(child, NULL, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return 1;
    // It is not killed: it takes its file away when the disk comes back.
    if (waited >= milliseconds) return 0;
    struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
  }
}

static int begins(const char *text, const char *const beginnings[]) {
  for (size_t i = 0; beginnings[i]; i++)
    if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0) return 1;
  return 0;
}

// The environment without the variables whose names begin so. The strings are not copied.
static char **environment_without(const char *const beginnings[]) {
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **variables = malloc((count + 1) * sizeof *variables);
  if (!variables) return NULL;
  for (size_t i = 0; i < count; i++)
    if (!begins(environ[i], beginnings)) variables[kept++] = environ[i];
  variables[kept] = NULL;
  return variables;
}

// Whoever started us may have had children vanish by themselves: their numbers would then be anybody's.
static void keep_children(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) != 0) return;
  if (action.sa_handler != SIG_IGN && !(action.sa_flags & SA_NOCLDWAIT)) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, NULL);
}

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int linux_spawn(const char *path, char *const arguments[], const char *folder, const char *const hidden[], int input,
                int output, int errors, pid_t *child) {
  keep_children();
  char **variables = environment_without(hidden);
  if (!variables) return ENOMEM;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // The pipes have numbers above 2: none is overwritten before it is copied.
  int code = input < 0 ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                       : posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, errors, 2);
  if (!code) code = posix_spawn_file_actions_addchdir_np(&actions, folder);
  // All of ours close by themselves. libcurl's pair of sockets does not.
  if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // A session's leader leads a group of its own as well.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!code) code = posix_spawn(child, path, &actions, &attributes, arguments, variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free(variables);
  return code;
}

int linux_await_end(pid_t child) {
  siginfo_t end;
  memset(&end, 0, sizeof end);
  while (waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) return LINUX_END_UNKNOWN;
  return end.si_code == CLD_EXITED ? end.si_status & 0xff : -end.si_status;
}

void linux_reap(pid_t child) {
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

ssize_t linux_send_file(int socket, const void *bytes, size_t count, int file) {
  union {
    char room[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {.room = {0}};
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(head), &file, sizeof file);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t linux_receive_file(int socket, void *bytes, size_t count, int *file) {
  union {
    char room[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct iovec part = {bytes, count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  *file = -1;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return got;
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
    memcpy(file, CMSG_DATA(head), sizeof *file);
  return got;
}

static void limit(int resource, rlim_t most) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
  now.rlim_cur = now.rlim_max = most;
  setrlimit(resource, &now);
}

void linux_confine(uint64_t memory) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Of all processes this one is the first to go when memory is short.
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    ssize_t count = write(score, "1000", 4);
    (void)count;
    close(score);
  }
  limit(RLIMIT_AS, memory);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_CORE, 0);
  // The socket, the pipes and one file at a time.
  limit(RLIMIT_NOFILE, 16);
}

void linux_limit_processor(unsigned seconds) {
  struct timespec used;
  struct rlimit now;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0 || getrlimit(RLIMIT_CPU, &now) != 0) return;
  rlim_t end = (rlim_t)used.tv_sec + seconds + 1;
  // Raised for each file: only the soft limit.
  if (now.rlim_cur != end && (now.rlim_max == RLIM_INFINITY || end <= now.rlim_max)) {
    now.rlim_cur = end;
    setrlimit(RLIMIT_CPU, &now);
  }
}
