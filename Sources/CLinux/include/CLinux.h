#pragma once

// The Linux calls that the Glibc module does not carry. _GNU_SOURCE is defined in the .c file only: defined in a
// module's header it changes fd_set, and debug builds fail.

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>

// The EPOLL_EVENTS enum imports as a struct that cannot be or-ed.
static const uint32_t LINUX_EPOLLIN = EPOLLIN;
static const uint32_t LINUX_EPOLLOUT = EPOLLOUT;
static const uint32_t LINUX_EPOLLERR = EPOLLERR;
static const uint32_t LINUX_EPOLLHUP = EPOLLHUP;
static const uint32_t LINUX_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t LINUX_EPOLLET = (uint32_t)EPOLLET;

// Without <sys/socket.h>: the types it defines would then belong to this module in Swift's eyes, not to Glibc.
/// `address` is a struct sockaddr, `length` a socklen_t.
int linux_accept4(int fd, void *address, uint32_t *length, int flags);

/// How many descriptors stay free for those who cannot do without, once Longwave's own sockets and files have all others:
/// libdispatch ends the process when it cannot read the state of its threads (/proc/PID/task/TID/stat).
#define LINUX_SPARE_FILES 32

/// Whether a descriptor is one of these. The kernel gives out the lowest number that is free; so only the highest numbers
/// that the process may have are left then.
int linux_is_spare(int fd);

/// The descriptor, or what stands for none; of those that stay free -1 and EMFILE, and it is closed.
int linux_unless_spare(int fd);

/// Whether so many descriptors can be had beside those that stay free.
int linux_leaves_spare(int count);

/// The thread's own id. Not pthread_self(), which glibc declares const, so that the optimiser keeps it across an await.
pid_t linux_gettid(void);

/// preadv2 with RWF_NOWAIT: what is in the page cache, else -1 and EAGAIN; EOPNOTSUPP where the file system has no such call.
ssize_t linux_pread_nowait(int fd, void *buffer, size_t count, int64_t offset);

/// pread that leaves the page cache as it was: what it brought is dropped again. At most 252 KiB a call.
ssize_t linux_pread_beside(int fd, void *buffer, size_t count, int64_t offset);

/// The calling thread's reads wait for everybody else's, where the disk's scheduler knows of that (ioprio_set).
void linux_set_idle_io(void);

/// A file below a folder, by way of nothing that leads out of it: openat2 with RESOLVE_BENEATH and without magic links.
/// -1 and ENOSYS where the kernel has no such call.
int linux_open_beneath(int folder, const char *path, int flags);

/// sendfile to a socket that may be closed at its other end: no SIGPIPE comes of it.
ssize_t linux_sendfile(int socket, int file, int64_t offset, size_t count);

/// A file's data to the disk, without its times.
int linux_fdatasync(int fd);

/// Whether the disk of a folder, or of the nearest one above it that is there, answers within so many milliseconds: it is
/// listed and, if `writes`, a small file is made in it, synced and deleted. Whatever it answers is an answer. A process of
/// its own asks: who waits for a disk that hangs cannot end.
int linux_folder_answers(const char *path, int writes, int milliseconds);

/// How many processors this process may run on (sched_getaffinity), at least 1.
int linux_processors_allowed(void);

void linux_name_thread(const char *name);

/// CRC32C (Castagnoli, RFC 3720 B.4) of the bytes, going on from `seed` (0 to begin).
uint32_t linux_crc32c(uint32_t seed, const void *bytes, size_t count);

/// Sets a flag that one thread may wait for (futex), and wakes it if it was not set.
void linux_raise_flag(uint32_t *flag);

/// Waits until the flag is set, or for `milliseconds` (-1: for ever), and clears it. It may return early.
void linux_await_flag(uint32_t *flag, int milliseconds);

/// Signals by way of an eventfd. Installs handlers for SIGTERM, SIGINT, SIGHUP and SIGUSR1 and ignores SIGPIPE; -1 on
/// failure.
int linux_watch_signals(void);

static const int LINUX_SIGNAL_STOP = 1;
static const int LINUX_SIGNAL_RELOAD = 2;
static const int LINUX_SIGNAL_REOPEN = 3;

/// Blocks until a watched signal has come; of those that came together a stop is first, then a reload.
int linux_next_signal(void);

/// A pipe that closes on exec: reading end, writing end. -1 on failure.
int linux_pipe(int ends[2]);

/// Runs a program in a session of its own: no descriptor but its input (-1: nothing), its output and its errors, no signal
/// blocked or ignored. Returns 0, or the errno of what failed. Blocks until the program is loaded. `hidden`:
/// beginnings of the names of variables that it is not given, with NULL at the end.
int linux_spawn(const char *path, char *const arguments[], const char *folder, const char *const hidden[], int input,
                int output, int errors, pid_t *child);

/// Blocks until a child has ended; it stays a zombie, so that its number means nothing else. Returns its exit code, its
/// signal as a negative number, or LINUX_END_UNKNOWN where it is no child any more.
int linux_await_end(pid_t child);

static const int LINUX_END_UNKNOWN = 256;

/// Forgets a child that has ended.
void linux_reap(pid_t child);

/// Sends a few bytes and a descriptor over a Unix socket, without waiting: -1 and EAGAIN where it has no room. The bytes go
/// whole or not at all.
ssize_t linux_send_file(int socket, const void *bytes, size_t count, int file);

/// Receives what `linux_send_file` sent, no more than one call of it. `file` is -1 where none came.
ssize_t linux_receive_file(int socket, void *bytes, size_t count, int *file);

/// Bounds this process for good: so many bytes of address space, 16 descriptors, no writing to files, no core, no process
/// or thread more, no new privileges. What the system refuses is left as it was.
void linux_confine(uint64_t memory);

/// The processor time in seconds, from now on, after which this process is ended.
void linux_limit_processor(unsigned seconds);
