import Glibc
import Synchronization
import Threads
import Timeshift
import Wire

/// A radio station in a thread: composes without end and encodes at 128 kbit/s in 44.1 kHz stereo.
///
/// Appends packets and titles to a log at the pace of playing. The thread is called `studio`.
public final class Studio: Sendable {
  private static let sampleRate = 44_100
  private static let bitrate = 128
  /// Seconds of programme kept ahead in the log: enough for a first listener's burst.
  private static let lead = 5.0
  /// Seconds of programme in a slice.
  private static let slice = 0.1

  private enum State {
    case new
    case starting
    case running(SystemThread)
    case stopped
  }

  private struct Work {
    var encoder: StudioEncoder
    let feed: Feed

    /// Makes programme as far as the log has room. If the studio is late, the missed time becomes a gap.
    mutating func fill() {
      let behind = feed.behind(at: .now())
      if behind > 0 { feed.markGap(seconds: behind, cause: .upstreamAway) }
      repeat { appendSlice(at: .now()) } while feed.pause(at: .now()) == nil
      feed.publish(at: .now())
    }

    private mutating func appendSlice(at now: Moment) {
      let slice: StudioEncoder.Slice
      do {
        slice = try encoder.slice(samples: Int(Double(Studio.sampleRate) * Studio.slice))
      } catch {
        preconditionFailure("LAME encodes any samples: \(error)")
      }
      for piece in slice.pieces {
        switch piece {
        case .title(let title): feed.markTitle(title)
        case .packet(let packet):
          feed.append(
            slice.bytes.span.extracting(packet.range), samples: packet.samples,
            format: packet.format, at: now)
        }
      }
    }
  }

  private let work: Mutex<Work>
  private let state = Mutex(State.new)
  private let isStopping = Atomic<Bool>(false)

  /// Sets up the encoder; nothing sounds before `start()`.
  ///
  /// - Parameter seed: each seed makes another programme.
  public init(writer: sending LogWriter, seed: UInt64) {
    do {
      let encoder = try StudioEncoder(
        seed: seed, sampleRate: Self.sampleRate, bitrate: Self.bitrate)
      work = Mutex(
        Work(encoder: encoder, feed: Feed(writer, lead: Self.lead, piece: Self.slice)))
    } catch {
      preconditionFailure("MP3 has 128 kbit/s at 44.1 kHz, and there was memory: \(error)")
    }
  }

  /// Puts five seconds of programme into the log and begins to play in real time. Called once.
  ///
  /// - Returns: false if the system gives no thread.
  public func start() -> Bool {
    state.withLock { state in
      guard case .new = state else {
        preconditionFailure("A studio starts once: make another for another programme.")
      }
      state = .starting
    }
    work.withLock { $0.fill() }
    guard let thread = SystemThread("studio", { [self] in run() }) else { return false }
    let isStopped = state.withLock { state in
      if case .stopped = state { return true }
      state = .running(thread)
      return false
    }
    // A `stop()` during the start found no thread to wait for.
    if isStopped { thread.join() }
    return true
  }

  /// Ends the programme. Returns when the thread has ended, after a tenth of a second at most.
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
    while !isStopping.load(ordering: .relaxed) {
      let pause = work.withLock { work -> Double? in
        let pause = work.feed.pause(at: .now())
        if pause == nil { work.fill() }
        return pause
      }
      if let pause { Self.sleep(nanoseconds: Int64(nanosecondsIn: min(pause, Self.slice))) }
    }
  }

  private static func sleep(nanoseconds: Int64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var left = time
    // A sleep that a signal interrupted goes on for the time left.
    while clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &left) == EINTR { time = left }
  }
}
