/// What fills a station.
public enum StationSource: Hashable, Sendable {
  /// URLs that are pulled into a log of its own, at least one; later ones are for when those before them fail.
  case upstream([String])
  /// Another station's log, heard `delay` seconds later. Nothing is pulled or stored for it.
  case copy(of: String, delay: Double)
  /// A folder, or one file, served on demand; `throttleBypass`: seconds of a file that are sent as fast as they are
  /// taken, nil: as usual. There is no log.
  case files(String, throttleBypass: Double?)

  /// Whether both are upstreams, copies, or files. A station never changes from one to another.
  func isOfKind(of other: StationSource) -> Bool {
    switch (self, other) {
    case (.upstream, .upstream), (.copy, .copy), (.files, .files): true
    case (.upstream, _), (.copy, _), (.files, _): false
    }
  }

  /// Whether a station can go from one to the other with the log that it has.
  func hasLog(of other: StationSource) -> Bool {
    if case .copy(let id, _) = self, case .copy(let otherID, _) = other { return id == otherID }
    return isOfKind(of: other)
  }
}
