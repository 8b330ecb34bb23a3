import Foundation
import Glibc
import Synchronization
import TestSupport

/// A sound card for a program that plays by ALSA, as its default device: it takes 48,000 samples a second, and hears them.
///
/// Written by the program, in whose `HOME` it is; read by a thread of its own, which ends with `end()`.
final class SoundCard: Sendable {
  /// What was heard at one moment.
  struct Moment {
    /// Seconds of the monotonic clock.
    var at: Double
    /// Seconds of sound so far.
    var count: Double
    /// The place in the minute of the tone; nil for silence and the beginning of a round.
    var place: Double?
  }

  private struct State {
    var isOver = false
    var frames = 0
    /// The left channel's.
    var newest: [Float] = []
    var moments: [Moment] = []
  }

  private static let sampleRate = 48_000
  /// Two channels of 16 bits.
  private static let frameBytes = 4
  private static let shortest = 2048, momentFrames = 1920, momentsMax = 30_000
  /// Bytes: a tenth of a second, so that what the program has written is heard soon. F_SETPIPE_SZ is not imported.
  private static let (setPipeSize, pipeBytes): (Int32, Int32) = (1031, 16_384)

  private let pipe: Int32
  private let state = Mutex(State())

  /// - Parameter home: the program's `HOME`.
  init(in home: TemporaryDirectory) {
    let path = home.file("sound")
    precondition(mkfifo(path, 0o600) == 0, "a pipe can be made in \(home.path)")
    // Open for both, so that it has no end when the program closes it.
    pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    precondition(pipe >= 0, "a pipe can be opened in \(home.path)")
    _ = fcntl(pipe, Self.setPipeSize, Self.pipeBytes)
    home.write(
      ".asoundrc",
      Array(
        """
        pcm.heard { type file; slave.pcm "null"; file "\(path)"; format "raw" }
        pcm.!default { type plug; slave { pcm "heard"; format S16_LE; rate \(Self.sampleRate); channels 2 } }
        ctl.!default { type null }

        """.utf8))
    Thread.detachNewThread { self.hear() }
  }

  func end() { state.withLock { $0.isOver = true } }

  /// What was heard since a time of the monotonic clock.
  func moments(since at: Double = 0) -> [Moment] {
    state.withLock { $0.moments.filter { $0.at >= at } }
  }

  /// The place that is heard, once three moments in a row agree that it is sound and goes on.
  func place(within seconds: Double = 60) async throws -> Moment {
    let begin = secondsNow()
    return try await eventually("sound at the card", within: seconds) {
      let seen = moments(since: begin).suffix(3)
      guard seen.count == 3, let first = seen.first, let last = seen.last,
        let from = first.place, let to = last.place
      else { return nil }
      let passed = last.count - first.count
      return abs(PitchStation.distance(to, from: from) - passed) < 0.05 ? last : nil
    }
  }

  private func hear() {
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    var due = secondsNow()
    while !state.withLock({ $0.isOver }) {
      usleep(10_000)
      let now = secondsNow()
      let wanted = min(piece.count, Int((now - due) * Double(Self.sampleRate)) * Self.frameBytes)
      guard wanted > 0 else { continue }
      let count = read(pipe, &piece, wanted)
      // Where nothing plays, or not as fast, time that is gone is not made up for.
      due = count == wanted ? due + Double(count / Self.frameBytes) / Double(Self.sampleRate) : now
      if count > 0 { note(piece[..<count], at: now) }
    }
    close(pipe)
  }

  private func note(_ bytes: ArraySlice<UInt8>, at now: Double) {
    let samples = stride(from: 0, to: bytes.count - 1, by: Self.frameBytes).map {
      Float(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)) / 32_768
    }
    let newest = state.withLock { state -> [Float]? in
      state.frames += samples.count
      state.newest.append(contentsOf: samples)
      state.newest.removeFirst(max(0, state.newest.count - Self.shortest))
      let heard = Int((state.moments.last?.count ?? 0) * Double(Self.sampleRate))
      return state.frames - heard >= Self.momentFrames ? state.newest : nil
    }
    guard let newest else { return }
    let place = PitchStation.place(heard: newest, sampleRate: Double(Self.sampleRate))
    state.withLock { state in
      let count = Double(state.frames) / Double(Self.sampleRate)
      state.moments.append(Moment(at: now, count: count, place: place))
      if state.moments.count > Self.momentsMax { state.moments.removeFirst(1000) }
    }
  }
}
