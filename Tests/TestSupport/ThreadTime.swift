import Glibc

/// How the work on some bytes grows with them, by the CPU time of the thread that does it: what others take from the
/// machine does not count.
public enum ThreadTime {
  /// Less than this says nothing.
  private static let secondsMin = 0.003

  /// How many times as long four times as much takes: about 4 where the work is linear, 16 where it is quadratic.
  ///
  /// The least of several each: caches and interrupts only ever add.
  /// - Parameter enough: no more is measured once it is no more than that.
  public static func growth(
    from short: [UInt8], to long: [UInt8], enough: Double = 8, _ work: ([UInt8]) -> Void
  ) -> Double {
    var (least, most) = (Double.infinity, Double.infinity)
    for _ in 0..<6 {
      most = min(most, seconds { work(long) })
      if most < secondsMin { return 1 }
      least = min(least, seconds { work(short) })
      if most <= enough * least { break }
    }
    return most / max(least, secondsMin / 16)
  }

  /// Of this thread's CPU.
  public static func seconds(_ body: () -> Void) -> Double {
    let before = now()
    body()
    return now() - before
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
