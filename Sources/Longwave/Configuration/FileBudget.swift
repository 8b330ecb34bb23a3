import Reactor
import Server
import Timeshift
import Wire

/// How the files that a process may have open are shared out: what nothing else needs is for connections, one each, and
/// for listeners a little less than that.
struct FileBudget: Hashable, Sendable {
  /// The limit of the process.
  var openFiles: Int
  private var stations: Int
  /// Of the stations' windows, all together.
  private var segments: Int
  /// Of files on demand.
  private var media: Bool

  /// - Parameters:
  ///   - windows: seconds, of the stations that have a log of their own.
  ///   - hasMedia: whether there are stations of files on demand.
  init(openFiles: Int, windows: [Double] = [], hasMedia: Bool = false) {
    self.openFiles = openFiles
    media = hasMedia
    stations = windows.count
    let seconds = LogConfiguration().segment.seconds
    segments = windows.reduce(0) { $0 + Int(bounded: ($1 / seconds).rounded(.up)) }
  }

  /// Libraries, databases, sockets that are listened on, the administration, and whoever asks something and goes.
  private static let rest = 300
  /// Of these, for who asks something over the network.
  private static let passing = 150
  /// An upstream's socket, both files of the segment that is written, a recording.
  private static let perStation = 4
  private static let segmentsMost = 2048

  /// Segments that listeners in the past may have open, of all stations: some 8 KiB of memory each.
  ///
  /// A day is 1,440, and listeners who are spread over more of them than are open wait for each other.
  static func segmentsMax(openFiles: Int) -> Int {
    min(segmentsMost, max(openFiles / 10, min(256, openFiles / 4)))
  }

  /// What a relay has open when nobody listens, and a few files more, and those that stay free; its stations come to that.
  private static let least = 56 + SpareDescriptors.count

  /// With fewer a relay does not run. Each loop has two of its own, and a socket for each address.
  static func least(loops: Int, addresses: Int) -> Int {
    least.saturatingAdd(loops.saturatingMultiply(2 + addresses))
  }

  /// What is kept for others than listeners.
  var reserved: Int {
    fixed + min(segments, Self.segmentsMax(openFiles: openFiles))
      + (media ? FileSource.openMax(ofOpenFiles: openFiles) : 0)
  }

  private var fixed: Int { Self.rest + Self.perStation * stations }

  /// Where there are few files, an eighth all the same: the rest is seldom needed in full.
  var listenersPossible: Int { max(1, openFiles - reserved, openFiles / 8) }

  /// Over the network, listeners among them. So that there is always an answer for those who do not listen, they are
  /// more.
  var connectionsPossible: Int { max(1, openFiles - reserved + Self.passing, openFiles / 4) }

  /// The limit at which so many listeners are possible.
  func needed(listeners: Int) -> Int {
    let files = listeners + fixed + min(segments, Self.segmentsMost)
    return media ? files + max(16, files / 7 + 1) : files
  }
}
