import Glibc
import Synchronization
import Threads
import Timeshift
import Wire

/// A radio station in a thread: composes without end, encodes at 128 kbit/s in 44.1 kHz stereo, and
/// appends packets and titles to a log as fast as they are heard.
///
/// It is the log's one writer from `start()` until `stop()` has returned. The thread is called
/// `studio`.
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

  private let log: PacketLog
  private let desk: Mutex<StudioDesk>
  private let state = Mutex(State.new)
  private let isStopping = Atomic<Bool>(false)

  /// Sets up the desk; nothing sounds before `start()`.
  ///
  /// - Parameter seed: another seed is another programme.
  public init(log: PacketLog, seed: UInt64) {
    self.log = log
    do {
      desk = Mutex(
        try StudioDesk(seed: seed, sampleRate: Self.sampleRate, bitrate: Self.bitrate))
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
    for _ in 0..<Self.slicesAhead { appendSlice() }
    log.publish(at: .now())
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
      if let seconds = pace.advance(at: Self.now()) {
        log.markGap(seconds: seconds, cause: .upstreamAway)
      }
      appendSlice()
      log.publish(at: .now())
    }
  }

  private func appendSlice() {
    let slice = desk.withLock { desk in
      do {
        // 100 ms.
        return try desk.slice(samples: Self.sampleRate / 10)
      } catch {
        preconditionFailure("LAME encodes any samples: \(error)")
      }
    }
    for piece in slice.pieces {
      switch piece {
      case .title(let title): log.markTitle(title)
      case .packet(let packet):
        log.append(
          slice.bytes.span.extracting(packet.range), samples: packet.samples,
          format: packet.format)
      }
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
