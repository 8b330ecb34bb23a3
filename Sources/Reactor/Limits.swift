import CLinux
import Glibc

/// The resources that the machine gives this process.
public enum Limits {
  /// Raises the soft limit on open files to the hard limit and returns the resulting limit.
  public static func raiseOpenFiles() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Returns the number of processors that this process may use: the scheduler's number, cut to the cgroup's quota. At
  /// least 1.
  public static func processors() -> Int {
    let allowed = Int(linux_processors_allowed())
    guard let quota = cgroupQuota() else { return allowed }
    return max(1, min(allowed, quota))
  }

  /// Reads `cpu.max` of cgroup v2, "max 100000" or "150000 100000": microseconds of CPU per period.
  private static func cgroupQuota() -> Int? {
    guard let file = fopen("/sys/fs/cgroup/cpu.max", "re") else { return nil }
    defer { fclose(file) }
    var quota = 0
    var period = 0
    guard withVaList2(file, &quota, &period) == 2, period > 0 else { return nil }
    return (quota + period - 1) / period
  }

  private static func withVaList2(
    _ file: UnsafeMutablePointer<FILE>, _ quota: inout Int, _ period: inout Int
  ) -> Int32 {
    withUnsafeMutablePointer(to: &quota) { quota in
      withUnsafeMutablePointer(to: &period) { period in
        withVaList([quota, period]) { vfscanf(file, "%ld %ld", $0) }
      }
    }
  }
}
