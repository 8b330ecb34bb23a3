import Reactor
import Server
import Timeshift
import Wire

/// Shares out the files that a process may have open. Files that nothing else needs are for connections, one each;
/// listeners get a few less.
package struct FileBudget: Hashable, Sendable {
  /// The process's limit on open files.
  package var openFiles: Int
  private var stations: Int
  /// Segments of all stations' windows together.
  private var segments: Int
  /// Whether there are stations that serve files on demand.
  private var media: Bool

  /// - Parameters:
  ///   - windows: seconds of each window, of the stations that have a log of their own.
  ///   - hasMedia: whether there are stations of files on demand.
  package init(openFiles: Int, windows: [Double] = [], hasMedia: Bool = false) {
    self.openFiles = openFiles
    media = hasMedia
    stations = windows.count
    let seconds = LogConfiguration().segment.seconds
    segments = windows.reduce(0) { $0 + Int(bounded: ($1 / seconds).rounded(.up)) }
  }

  /// Files for libraries, databases, listening sockets, administration, and connections that ask something and go.
  private static let rest = 300
  /// The part of `rest` for connections that ask something over the network.
  private static let passing = 150
  /// Files of one station: its upstream's socket, both files of the segment that is written, a recording.
  private static let perStation = 4
  private static let segmentsMost = 2048

  /// Returns how many segments listeners in the past may have open, of all stations: some 8 KiB of memory each.
  ///
  /// A day has 1,440 segments. Listeners spread over more segments than may be open wait for each other.
  package static func segmentsMax(openFiles: Int) -> Int {
    min(segmentsMost, max(openFiles / 10, min(256, openFiles / 4)))
  }

  /// Files that a relay has open without listeners, a few more, and the spare ones; the stations' files come on top.
  private static let least = 56 + SpareDescriptors.count

  /// Returns how many files a relay needs to run at all. Each loop has two of its own, and a socket for each address.
  package static func least(loops: Int, addresses: Int) -> Int {
    least.saturatingAdd(loops.saturatingMultiply(2 + addresses))
  }

  /// Files that are kept for everything but listeners.
  var reserved: Int {
    fixed + min(segments, Self.segmentsMax(openFiles: openFiles))
      + (media ? FileSource.openMax(ofOpenFiles: openFiles) : 0)
  }

  private var fixed: Int { Self.rest + Self.perStation * stations }

  /// Listeners that the limit allows. With few files, an eighth of them is for listeners all the same: the reserve is
  /// seldom needed in full.
  package var listenersPossible: Int { max(1, openFiles - reserved, openFiles / 8) }

  /// Connections over the network that the limit allows, listeners included. They are more than listeners, so that
  /// requests are always answered.
  package var connectionsPossible: Int {
    max(1, openFiles - reserved + Self.passing, openFiles / 4)
  }

  /// Returns the limit on open files that so many listeners need.
  package func needed(listeners: Int) -> Int {
    let files = listeners + fixed + min(segments, Self.segmentsMost)
    return media ? files + max(16, files / 7 + 1) : files
  }
}
