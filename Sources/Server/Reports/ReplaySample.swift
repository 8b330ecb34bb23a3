import Timeshift
import Wire

/// Where in the past listeners are at one moment: by station, and by minute of the log's media time.
public struct ReplaySample: Sendable {
  /// Listeners in one minute of a log.
  public struct Minute: Hashable, Sendable {
    public var listeners: Int
    public var people: FewPeople

    public init(listeners: Int = 0, people: FewPeople = FewPeople()) {
      self.listeners = listeners
      self.people = people
    }

    mutating func count(_ person: UInt32) {
      listeners = listeners.saturatingAdd(1)
      people.note(person)
    }

    public mutating func add(_ other: Minute) {
      listeners = listeners.saturatingAdd(other.listeners)
      people.note(other.people)
    }
  }

  /// Nearer to live is live: listeners' bursts differ by more.
  public static let behindMin = 60.0
  /// Length of a minute, in media seconds.
  public static let seconds: Int64 = 60

  /// By station and number of the minute: the media seconds of its beginning, by 60.
  public private(set) var stations: [String: [Int64: Minute]] = [:]

  public init() {}

  /// Returns the number of the minute that has this moment.
  public static func minute(of media: MediaTime) -> Int64 {
    Int64(bounded: (media.seconds / Double(seconds)).rounded(.down))
  }

  public mutating func add(_ minutes: [Int64: Minute], of station: String) {
    guard !minutes.isEmpty else { return }
    stations[station, default: [:]].merge(minutes) { before, more in
      var sum = before
      sum.add(more)
      return sum
    }
  }

  public mutating func add(_ other: ReplaySample) {
    for (station, minutes) in other.stations { add(minutes, of: station) }
  }
}

/// Whether three different clients were there: enough to know that something is not about one or two of them.
///
/// They are numbers that are made anew at each start of the process, forgotten as soon as there are three.
public struct FewPeople: Hashable, Sendable {
  public private(set) var areEnough = false
  // 0 stands for nobody. Fields in place of an array, so that nothing is allocated.
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  public init() {}

  public mutating func note(_ person: UInt32) {
    guard !areEnough, person != 0, person != first, person != second else { return }
    if first == 0 {
      first = person
    } else if second == 0 {
      second = person
    } else {
      (areEnough, first, second) = (true, 0, 0)
    }
  }

  mutating func note(_ others: FewPeople) {
    if others.areEnough { self = others }
    for person in [others.first, others.second] { note(person) }
  }
}
