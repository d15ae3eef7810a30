/* Makes real programs meet what no test can bring about on the machine it runs on: a clock that is set, a disk that
 * fails. CLOCK_SHIFT names a file with the seconds that the time of day is ahead; BAD_DISK names one that, once it
 * is there, lets every write and read of a file called "data" that was asked for a place beyond 0 end in EIO;
 * SLOW_SYNC lets fsync of a file called "late" take 8 s, as a pool does that is behind with what it was given. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
  char text[32] = "";
  const char *name = getenv("CLOCK_SHIFT");
  int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  return got > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += shift();
  return (int)failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  int failed = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *told) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (told != NULL)
    *told = exact.tv_sec;
  return exact.tv_sec;
}

static int is_bad(int file, off64_t place) {
  char link[64], path[4096];
  const char *name = getenv("BAD_DISK");
  if (name == NULL || place == 0 || access(name, F_OK) != 0)
    return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 5)
    return 0;
  path[length] = 0;
  return strcmp(path + length - 5, "/data") == 0;
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t place) {
  if (is_bad(file, place)) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pwrite64, file, data, size, place);
}

ssize_t pread64(int file, void *data, size_t size, off64_t place) {
  if (is_bad(file, place)) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pread64, file, data, size, place);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t place) { return pwrite64(file, data, size, place); }

ssize_t pread(int file, void *data, size_t size, off_t place) { return pread64(file, data, size, place); }

int fsync(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = getenv("SLOW_SYNC") == NULL ? 0 : readlink(link, path, sizeof path - 1);
  if (length >= 5 && strncmp(path + length - 5, "/late", 5) == 0)
    sleep(8);
  return (int)syscall(SYS_fsync, file);
}
