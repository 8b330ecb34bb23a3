import Glibc
import Synchronization
import Threads
import Timeshift
import Wire

/// A radio station in a thread: composes without end, encodes at 128 kbit/s in 44.1 kHz stereo, and
/// appends packets and titles to a log as fast as they are heard.
///
/// The thread is called `studio`.
public final class Studio: Sendable {
  private static let sampleRate = 44_100
  private static let bitrate = 128
  /// 5 s are in the log before the first listener comes: enough for a burst.
  private static let slicesAhead = 50

  private enum State {
    case new
    case starting
    case running(SystemThread)
    case stopped
  }

  private struct Work {
    var desk: StudioDesk
    let writer: LogWriter

    /// 100 ms.
    mutating func appendSlice() {
      let slice: StudioDesk.Slice
      do {
        slice = try desk.slice(samples: Studio.sampleRate / 10)
      } catch {
        preconditionFailure("LAME encodes any samples: \(error)")
      }
      for piece in slice.pieces {
        switch piece {
        case .title(let title): writer.markTitle(title)
        case .packet(let packet):
          writer.append(
            slice.bytes.span.extracting(packet.range), samples: packet.samples,
            format: packet.format)
        }
      }
    }
  }

  private let work: Mutex<Work>
  private let state = Mutex(State.new)
  private let isStopping = Atomic<Bool>(false)

  /// Sets up the desk; nothing sounds before `start()`.
  ///
  /// - Parameter seed: another seed is another programme.
  public init(writer: sending LogWriter, seed: UInt64) {
    do {
      let desk = try StudioDesk(seed: seed, sampleRate: Self.sampleRate, bitrate: Self.bitrate)
      work = Mutex(Work(desk: desk, writer: writer))
    } catch {
      preconditionFailure("MP3 has 128 kbit/s at 44.1 kHz, and there was memory: \(error)")
    }
  }

  /// Puts five seconds of programme into the log and begins to play on in real time; call it once. False: the system gives
  /// no thread for it.
  public func start() -> Bool {
    state.withLock { state in
      guard case .new = state else {
        preconditionFailure("A studio starts once: make another for another programme.")
      }
      state = .starting
    }
    play(slices: Self.slicesAhead)
    guard let thread = SystemThread("studio", { [self] in run() }) else { return false }
    let isStopped = state.withLock { state in
      if case .stopped = state { return true }
      state = .running(thread)
      return false
    }
    // Who stopped it meanwhile could not wait for a thread that was not there yet.
    if isStopped { thread.join() }
    return true
  }

  /// Ends the programme; returns when the thread is gone, after a tenth of a second at most.
  public func stop() {
    isStopping.store(true, ordering: .relaxed)
    let thread = state.withLock { state -> SystemThread? in
      defer { state = .stopped }
      guard case .running(let thread) = state else { return nil }
      return thread
    }
    thread?.join()
  }

  private func run() {
    var pace = StudioPace(begin: Self.now())
    while !isStopping.load(ordering: .relaxed) {
      Self.sleep(nanoseconds: pace.wait(at: Self.now()))
      play(slices: 1, behind: pace.advance(at: Self.now()))
    }
  }

  /// Makes what comes next; `gap`: seconds that are missing in front of it.
  private func play(slices: Int, behind gap: Double? = nil) {
    work.withLock { work in
      if let gap { work.writer.markGap(seconds: gap, cause: .upstreamAway) }
      for _ in 0..<slices { work.appendSlice() }
      work.writer.publish(at: .now())
    }
  }

  // The clock that goes on while the machine is suspended: that it slept is to be noticed.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func sleep(nanoseconds: Int64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var left = time
    // After a signal it sleeps what is left.
    while clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &left) == EINTR { time = left }
  }
}
