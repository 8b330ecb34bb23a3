import Timeshift
import Wire

/// An item that a programme has played, or plays.
public struct Play: Hashable, Sendable {
  /// What tells plays apart: an item's number begins again where a station was removed and came again.
  public struct Key: Hashable, Sendable {
    public var station: String
    /// Number within the station.
    public var item: UInt64
    /// When it began, in milliseconds since 1970.
    public var at: Int64

    public init(station: String, item: UInt64, at: Int64) {
      (self.station, self.item, self.at) = (station, item, at)
    }
  }

  public var key: Key
  public var kind: TitleItem.Kind
  /// nil: another station.
  public var track: TrackKey?
  public var title: String?
  public var artist: String?
  public var album: String?
  /// Air time behind its last packet, in milliseconds since 1970.
  public var ended: Int64
  /// Seconds of it that were played.
  public var seconds: Double
  /// Whether it was played to its end; nil while it plays.
  public var isWhole: Bool?
  /// Why it was played, as `Planned.Why` writes it.
  public var why: String?
  /// How long all its listeners heard it, in milliseconds.
  public var heard: Int64 = 0
  /// The recording's number (ISO 3901), and who published it.
  public var isrc: String?
  public var label: String?

  public init(
    _ key: Key, kind: TitleItem.Kind, ended: Int64, seconds: Double, isWhole: Bool? = nil
  ) {
    (self.key, self.kind, self.ended) = (key, kind, ended)
    (self.seconds, self.isWhole) = (seconds, isWhole)
  }

  public var at: WallTime { WallTime(milliseconds: key.at) }

  /// Seconds that all listeners heard of it together.
  public var listenerSeconds: Int64 { (heard.saturatingAdd(500)) / 1000 }

  /// Listeners on average, to a tenth.
  public var listeners: Double {
    seconds > 0 ? (Double(heard) / 1000 / seconds * 10).rounded() / 10 : 0
  }
}

/// Which plays are wanted, the newest first.
public struct PlayQuery: Hashable, Sendable {
  /// Where a page ends, and the next one begins.
  public struct Place: Hashable, Sendable {
    /// Milliseconds since 1970.
    var at: Int64
    var row: Int64

    init(at: Int64, row: Int64) { (self.at, self.row) = (at, row) }

    /// Reads what `text` writes; nil of anything else.
    public init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let at = Int(parts[0], in: 0...Int.max),
        let row = Int(parts[1], in: 0...Int.max)
      else { return nil }
      self.init(at: Int64(at), row: Int64(row))
    }

    public var text: String { "\(at)-\(row)" }
  }

  /// The most plays of a page.
  public static let limitMax = 1000

  /// nil: of all stations.
  public var station: String?
  /// Plays that began at `from` or later.
  public var from: WallTime?
  /// Plays that began before `to`.
  public var to: WallTime?
  public var limit: Int
  /// The place that the page begins behind.
  public var after: Place?

  public init(
    station: String? = nil, from: WallTime? = nil, to: WallTime? = nil, limit: Int = 100,
    after: Place? = nil
  ) {
    (self.station, self.from, self.to) = (station, from, to)
    (self.limit, self.after) = (limit, after)
  }
}

/// A part of a list of plays.
public struct PlayPage: Hashable, Sendable {
  public var plays: [Play]
  /// nil behind the last one.
  public var next: PlayQuery.Place?

  public init(plays: [Play], next: PlayQuery.Place?) { (self.plays, self.next) = (plays, next) }
}

/// What a database of plays does not have yet.
public struct PlayChanges: Hashable, Sendable {
  /// Plays as they are known by now, whatever the database has of them.
  public var plays: [Play] = []
  /// Milliseconds that listeners heard besides.
  public var heard: [Play.Key: Int64] = [:]

  public init(plays: [Play] = [], heard: [Play.Key: Int64] = [:]) {
    (self.plays, self.heard) = (plays, heard)
  }

  public var isEmpty: Bool { plays.isEmpty && heard.isEmpty }
}
