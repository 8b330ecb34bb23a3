import Timeshift

/// Notices a delivery that falls silent, or brings no audio any more.
///
/// The watch has its own timer: libcurl's low-speed limit averages, and is 6 s late.
final class SilenceWatch {
  private enum Awaited { case answer, beginning, audio }

  /// Seconds to the next look after a standstill: not all that came meanwhile is seen in the first turn.
  private static let secondLook = 1.0

  /// Called with the reason when the patience is over.
  var onSilence: ((String) -> Void)?
  private let dataTimeout: Double
  private let beginningSecondsMax: Double
  private var awaited = Awaited.answer
  private var askedAt = MonotonicTime.now()
  private var heardAt = MonotonicTime.now()
  private var packets: PacketWatch
  private var timer: LoopTimer?

  /// - Parameters:
  ///   - dataTimeout: the seconds for which nothing may come.
  ///   - beginningSecondsMax: the seconds within which what comes must be audio, or a whole playlist.
  init(dataTimeout: Double, beginningSecondsMax: Double, clock: LoopClock) {
    self.dataTimeout = dataTimeout
    self.beginningSecondsMax = beginningSecondsMax
    packets = PacketWatch(dataTimeout: dataTimeout)
    timer = LoopTimer(clock) { [unowned self] in look() }
    timer?.onStandstill = { [unowned self] in bear($0) }
  }

  /// Begins to wait for an answer.
  ///
  /// - Parameter connectTimeout: the seconds that connecting may take.
  func begin(connectTimeout: Double = 0) { timer?.set(after: connectTimeout + dataTimeout) }

  func answered() {
    heard()
    awaited = .beginning
    timer?.set(after: dataTimeout)
  }

  func heard() { heardAt = .now() }

  func audioBegins() {
    awaited = .audio
    packets.resume(at: .now())
  }

  /// Notes what a piece of `count` bytes brought, after `heard`.
  func came(bytes count: Int, hasPackets: Bool, isOgg: Bool) {
    packets.came(bytes: count, hasPackets: hasPackets, isOgg: isOgg, at: heardAt)
  }

  /// Waits for nothing until `resume`.
  func pause() { timer?.cancel() }

  func resume() {
    heard()
    packets.resume(at: heardAt)
    timer?.set(after: dataTimeout)
  }

  func end() { timer = nil }

  /// Forgives `seconds` in which the loop stood still: what came meanwhile has not been looked at.
  private func bear(_ seconds: Double) {
    heardAt = heardAt.adding(seconds)
    askedAt = askedAt.adding(seconds)
    packets.bear(seconds)
    timer?.putOff(by: seconds, least: Self.secondLook)
  }

  private func look() {
    let now = MonotonicTime.now()
    let left = dataTimeout - now.seconds(since: heardAt)
    switch awaited {
    case .answer: onSilence?("no answer")
    case .beginning where now.seconds(since: askedAt) > beginningSecondsMax:
      onSilence?("no whole playlist within \(beginningSecondsMax) s")
    case .beginning: wait(left)
    case .audio:
      let patience = packets.left(at: now)
      if left > 0.001 && patience <= 0.001 { return onSilence?(PacketWatch.reason) ?? () }
      wait(min(left, patience))
    }
  }

  /// Sets the timer again, only when it has fired and not with every piece.
  private func wait(_ seconds: Double) {
    if seconds > 0.001 { return timer?.set(after: seconds) ?? () }
    onSilence?("no data for \(dataTimeout) s")
  }
}
