import Glibc
import Timeshift

/// The live programme that a `FakeUpstream` sends: numbered packets, each on air at its time.
///
/// Packet n is on air n packet lengths after `start`, so that all connections, of one or several upstreams that share
/// the programme, get the same stream and a newcomer gets what has just been.
public struct FakeProgramme: Sendable {
  /// A title and the packet it begins with.
  public struct TitleChange: Sendable {
    public var packet: Int
    /// As sent between the quotes of `StreamTitle='...';`: any charset.
    public var text: [UInt8]

    public init(packet: Int, _ text: String) {
      self.packet = packet
      self.text = Array(text.utf8)
    }

    public init(packet: Int, bytes: [UInt8]) {
      self.packet = packet
      text = bytes
    }
  }

  public var packet: @Sendable (Int) -> [UInt8]
  /// Real seconds from one packet to the next.
  public var interval: Double
  public var titles: [TitleChange]
  /// When packet 0 is on air.
  public var start: MonotonicTime

  /// A programme of `packet(n)` of `samples` at `sampleRate`, `speed` times as fast as real time. It has been on air
  /// for `before` seconds of programme.
  public init(
    samples: Int = 1152, sampleRate: Int = 44_100, speed: Double = 1, before: Double = 0,
    titles: [TitleChange] = [], packet: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.packet = packet
    self.titles = titles
    interval = Double(samples) / Double(sampleRate) / speed
    let now = MonotonicTime.now().nanoseconds
    start = MonotonicTime(nanoseconds: now - Int64(before / speed * 1e9))
    self.speed = speed
  }

  /// `NumberedFrames`.
  public static func numbered(
    speed: Double = 1, before: Double = 0, titles: [TitleChange] = []
  ) -> FakeProgramme {
    FakeProgramme(speed: speed, before: before, titles: titles) { NumberedFrames.frame(UInt64($0)) }
  }

  let speed: Double

  /// How many packets are on air by now: the number of the next one.
  public var packetsOnAir: Int {
    let passed = Double(MonotonicTime.now().nanoseconds - start.nanoseconds) / 1e9
    return max(0, Int(passed / interval) + 1)
  }

  /// The packet that a burst of `seconds` (of programme) begins with.
  public func first(burst seconds: Double) -> Int {
    max(0, packetsOnAir - Int((seconds / (interval * speed)).rounded()))
  }

  /// Real seconds until packet n is on air; negative when it is.
  func wait(for n: Int) -> Double {
    Double(start.nanoseconds - MonotonicTime.now().nanoseconds) / 1e9 + Double(n) * interval
  }

  func title(at n: Int) -> [UInt8]? {
    titles.last { $0.packet <= n }?.text
  }
}
