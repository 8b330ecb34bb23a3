import Wire

/// Where a page of a collection ends: its last member, and what says where that stood if it is taken out.
public struct MemberMark: Hashable, Sendable {
  enum Stand: Hashable {
    /// In a list.
    case place(Double)
    /// What a rule has found there, and in front of it.
    case tracks([TrackKey])
  }

  /// Tracks that are remembered, for the case that some are gone.
  private static let tracksMax = 20

  var member: Int64
  /// nil: a member that has to be there.
  var stand: Stand?

  init(member: Int64, _ stand: Stand? = nil) { (self.member, self.stand) = (member, stand) }

  /// - Parameter tracks: all up to the end of the page.
  init(member: Int64, behind tracks: ArraySlice<TrackKey>) {
    self.init(member: member, .tracks(Array(tracks.suffix(Self.tracksMax))))
  }

  /// Reads what `text` writes, or a member's number alone; nil of anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let member = Int(parts[0], in: 0...Int.max) else { return nil }
    self.init(member: Int64(member))
    guard parts.count == 2 else { return }
    let keys = parts[1].split(separator: ".", maxSplits: Self.tracksMax).map { TrackKey($0) }
    if !keys.isEmpty, keys.count <= Self.tracksMax, !keys.contains(nil) {
      stand = .tracks(keys.compactMap(\.self))
    } else if let bits = UInt64(parts[1], radix: 16), Double(bitPattern: bits).isFinite {
      stand = .place(Double(bitPattern: bits))
    } else {
      return nil
    }
  }

  public var text: String {
    switch stand {
    case nil: "\(member)"
    case .place(let place)?: "\(member)-" + String(place.bitPattern, radix: 16)
    case .tracks(let keys)?: "\(member)-" + keys.map(\.description).joined(separator: ".")
    }
  }
}
