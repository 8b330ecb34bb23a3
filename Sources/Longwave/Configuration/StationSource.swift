import Ingest
import Reactor

/// Where a station's audio comes from.
public enum StationSource: Hashable, Sendable {
  /// URLs that are pulled into a log of the station's own, at least one; a later URL is used when those before it fail.
  case upstream([String])
  /// A program of this machine whose standard output is pulled into a log of the station's own. Only the configuration
  /// file can name one.
  case command(ProgramCall)
  /// A sound input of this machine, whose samples are encoded into a log of the station's own. Only the configuration
  /// file can name one.
  case soundInput(SoundInput)
  /// Another station's log, heard `delay` seconds later. Nothing is pulled or stored for the copy.
  case copy(of: String, delay: Double)
  /// Another station's audio, encoded anew into a log of its own.
  case rendition(of: String)
  /// A folder or one file, served on demand; there is no log. `throttleBypass` is the seconds of a file that are sent
  /// as fast as they are read by the client; nil for the default.
  case files(String, throttleBypass: Double?)

  /// Whether both are pulled, copies, or files. A station never changes from one kind to another.
  func isOfKind(of other: StationSource) -> Bool {
    switch (self, other) {
    case (.copy, .copy), (.files, .files), (.rendition, .rendition): true
    case (.upstream, _), (.command, _), (.soundInput, _): other.isPulled
    case (.copy, _), (.rendition, _), (.files, _): false
    }
  }

  /// Whether an ingest worker pulls it.
  var isPulled: Bool {
    switch self {
    case .upstream, .command, .soundInput: true
    case .copy, .rendition, .files: false
    }
  }

  /// Whether a station can change from one to the other with the log that it has.
  func hasLog(of other: StationSource) -> Bool {
    if case .copy(let id, _) = self, case .copy(let otherID, _) = other { return id == otherID }
    return isOfKind(of: other)
  }
}
