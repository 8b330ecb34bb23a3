import Ingest
import Programmes
import Reactor

/// Where a station's audio comes from. `StationKind` has the consequences of each.
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
  /// Music that the relay has, played by rules into a log of the station's own.
  case programme(Programme)
  /// A folder or one file, served on demand; there is no log. `throttleBypass` is the seconds of a file that are sent
  /// as fast as they are read by the client; nil for the default.
  case files(String, throttleBypass: Double?)
}
