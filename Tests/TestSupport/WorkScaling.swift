import Glibc

/// How much more work something is for an input four times as long.
public enum WorkScaling {
  /// The processor's time of this thread alone, so that a busy machine says little: of several rounds the least.
  ///
  /// - Returns: about 4 for work that is linear in its input, 16 for work that is quadratic.
  public static func ratio(rounds: Int = 4, from small: Int, _ work: (Int) -> Void) -> Double {
    var (one, four) = (Double.infinity, Double.infinity)
    for _ in 0..<rounds {
      one = min(one, seconds { work(small) })
      four = min(four, seconds { work(4 * small) })
      if four < 6 * one { break }
    }
    return four / max(one, 1e-6)
  }

  private static func seconds(_ work: () -> Void) -> Double {
    let before = now()
    work()
    return now() - before
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
