import Glibc

/// A stretch of time, and who used the machine in it.
struct Busy {
  private let begun = monotonicNow()
  private let machine = MachineFigures.busySeconds()
  private let ours = ProcessClock.secondsOfAll(getpid())

  var seconds: Double { Double(monotonicNow() - begun) / 1e9 }

  /// The cores that were used by others than the bench and its processes.
  var others: Double {
    let all = MachineFigures.busySeconds() - machine
    return max(0, all - (ProcessClock.secondsOfAll(getpid()) - ours)) / seconds
  }
}
