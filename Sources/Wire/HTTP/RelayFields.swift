/// Names of the fields by which one relay tells another where its stream stands in its log.
public enum RelayField {
  /// Of an answer: the id of the log that the audio is in.
  public static let log = "Longwave-Log"
  /// Of an answer: the position in that log of the first byte of audio.
  public static let position = "Longwave-Position"
  /// Of an answer to a relay: gaps in what follows.
  public static let gaps = "Longwave-Gaps"
  /// Of an answer to a relay: the seconds missing between what it has and the first byte.
  public static let lost = "Longwave-Lost"
  /// Of a request: the log that the relay asks for. Of an answer to a relay: all logs that the audio may come through.
  public static let via = "Longwave-Via"
  /// Of a request: what the relay that asks has already.
  public static let resume = "Longwave-Resume"
}

/// A place in a log: the position at which a packet begins.
public struct RelayPlace: Hashable, Sendable {
  /// Positions are below this number, so that sums of a few cannot overflow.
  public static let positionsEnd: UInt64 = 1 << 62

  public var log: LogID
  public var position: UInt64

  public init(log: LogID, position: UInt64) {
    (self.log, self.position) = (log, position)
  }

  /// Reads a place from the two fields of an answer; nil where either is missing or wrong.
  public init?(log: String?, position: String?) {
    guard let log = log.flatMap({ LogID($0) }), let position = position.flatMap(Self.position)
    else { return nil }
    self.init(log: log, position: position)
  }

  /// Reads a position; nil for anything but a number below 2^62.
  static func position(_ text: some StringProtocol) -> UInt64? {
    guard text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return UInt64(text).flatMap { $0 < positionsEnd ? $0 : nil }
  }

  /// The place `bytes` of audio further on; nil beyond all positions.
  public func advanced(by bytes: UInt64) -> RelayPlace? {
    guard bytes < Self.positionsEnd, position &+ bytes < Self.positionsEnd else { return nil }
    return RelayPlace(log: log, position: position &+ bytes)
  }
}

/// The part of another relay's log that this relay has; a request with it asks for the audio that follows.
///
/// Written as `ID FIRST-END`. The audio from `FIRST` up to `END`, exclusive, is asked for again: it shows whether both
/// mean the same.
public struct RelayResume: Hashable, Sendable {
  public var log: LogID
  public var known: Range<UInt64>

  public init(log: LogID, known: Range<UInt64>) {
    (self.log, self.known) = (log, known)
  }

  public init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let log = LogID(parts[0]) else { return nil }
    let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = RelayPlace.position(ends[0]),
      let end = RelayPlace.position(ends[1]), first <= end
    else { return nil }
    self.init(log: log, known: first..<end)
  }

  public var text: String { "\(log) \(known.lowerBound)-\(known.upperBound)" }
}

/// A gap in another relay's log, in front of the packet at `position`.
public struct RelayGap: Hashable, Sendable {
  /// The most gaps in one field.
  public static let countMax = 8

  public var position: UInt64
  /// Seconds of the programme that are missing.
  public var seconds: Double

  public init(position: UInt64, seconds: Double) {
    (self.position, self.seconds) = (position, seconds)
  }

  /// Reads `POSITION=SECONDS, POSITION=SECONDS`, in ascending order; what is wrong is left out.
  public static func read(_ text: String) -> [RelayGap] {
    var gaps: [RelayGap] = []
    for item in text.split(separator: ",").prefix(countMax) {
      let sides = item.drop { $0 == " " }.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let position = RelayPlace.position(sides[0]),
        let seconds = seconds(sides[1]), gaps.last.map({ $0.position < position }) ?? true
      else { continue }
      gaps.append(RelayGap(position: position, seconds: seconds))
    }
    return gaps
  }

  /// Reads seconds such as `1.250`, up to ten years.
  public static func seconds(_ text: some StringProtocol) -> Double? {
    guard text.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }),
      let seconds = Double(text), Bounds.durations.contains(seconds)
    else { return nil }
    return seconds
  }
}
