import Longwave
import Reactor
import Threads

/// The facts of a machine that matter to a relay. `MachineProbe` collects them, `Diagnosis` judges them.
struct MachineFacts: Hashable, Sendable {
  enum Port: Hashable, Sendable {
    case free
    /// Served by the longwave that uses the data folder, or by another longwave.
    case ours, otherRelay
    /// Served by a longwave, with the reason why it is unknown whether it uses the data folder.
    case someRelay(String)
    case taken
    /// The port cannot be opened at all: the address is not on this machine, or opening is not allowed.
    case refused(String)
  }

  struct Folder: Hashable, Sendable {
    var path = ""
    /// The reason why the folder cannot be written; nil when it can.
    var refusal: Refusal?
    /// Whether the folder's disk does not answer; nothing more is then known of the folder.
    var isSilent = false
    /// Whether users other than the owner may use the folder; false where there is no folder yet.
    var isOpenToOthers = false
    /// Whether the folder is in memory, so that a restart of the machine empties it.
    var isVolatile = false
    /// The free bytes of the disk on which the folder is, or would be.
    var bytesFree: UInt64 = 0
    /// How many files can still be made on that disk (inodes); nil where it does not tell.
    var filesFree: UInt64?
    /// The bytes that existing windows or recordings use.
    var bytesUsed: UInt64 = 0
    /// The id of the disk on which the folder is.
    var volume: UInt64 = 0

    static func silent(_ path: String) -> Folder {
      Folder(
        path: path,
        refusal: Refusal(path: path, reason: SilentFolders.reason, advice: SilentPath.advice),
        isSilent: true)
    }
  }

  struct Refusal: Hashable, Sendable {
    /// The file or folder that cannot be written.
    var path: String
    var reason: String
    var advice: String
  }

  struct Clock: Hashable, Sendable {
    /// The time in seconds since 1970.
    var now = 0.0
    /// Whether NTP keeps the clock right; nil when that is unknown.
    var isSynchronised: Bool?
  }

  struct Certificates: Hashable, Sendable {
    /// The file or folder of the certificates; nil when libcurl was built without one.
    var place: String?
    var count = 0
  }

  /// The relay's TLS settings, as found on this machine.
  struct TLS: Hashable, Sendable {
    var certificates: [TLSCertificate] = []
    /// Whether the kernel is asked to encrypt, and whether it can.
    var asksKernel = false
    var hasKernel = false
  }

  struct Name: Hashable, Sendable {
    var host: String
    var addresses: [String] = []
    /// The reason why there are no addresses; nil when there are some.
    var problem: String?
  }

  /// The budget of open files: of the relay that runs on the data folder, else of the limit to which a process may
  /// raise itself.
  var files = FileBudget(openFiles: 0)
  var isRunning = false
  /// Whether the settings are those of the relay. A relay that runs has others where no configuration is named: nothing
  /// is then judged that depends on them.
  var isConfigured = true
  /// The least number of open files with which a relay starts.
  var filesLeast = 0
  /// The listeners that the running relay says are possible, as it knows stations outside the configuration. Nil when
  /// no relay answers.
  var listenersPossible: Int?
  /// The threads of the running relay; nil when no relay answers, or when it does not report them.
  var threads: ThreadFigures?
  /// The most listeners of the configuration.
  var listenersMax = 0
  var ports: [String: Port] = [:]
  var data = Folder()
  /// Further folders that do not answer, besides `data` and `recordings`.
  var silent: [String] = []
  /// Stations whose program cannot be run, each with the reason.
  var programs: [String] = []
  /// Folders of music that cannot be looked through, each with the reason.
  var roots: [String] = []
  /// What programmes would play of their folders.
  var music: [MusicForecast] = []
  /// Bytes for tracks that are made to fit a programme.
  var madeLimit: UInt64 = .max
  /// Damaged databases that were set aside in the data folder.
  var damagedDatabases: [String] = []
  /// How often in a row the relay died within a minute of its start; `isSafe` tells whether it now runs with less.
  var deaths = 0
  var isSafe = false
  /// The bytes that the windows of the configuration's stations need; `diskLimit` is the most they may use.
  var diskNeeded = 0.0
  var diskLimit = 0.0
  var recordings = Folder()
  /// The bytes that recordings by schedule need, the bytes that every week adds for ever, and the most bytes allowed.
  var recordingsNeeded = 0.0
  var recordingsWeekly = 0.0
  var recordingsLimit = 0.0
  /// The version of each library; nil where the library does not answer.
  var libraries: [String: String?] = [:]
  /// Why no codec but MP3 is decoded, and what to do; nil where others are.
  var decoderMissing: String?
  var certificates = Certificates()
  /// The TLS settings; nil when the relay has none.
  var tls: TLS?
  var clock = Clock()
  /// The number of connections that may wait to be accepted (net.core.somaxconn).
  var backlogMax: Int?
  /// Whether the machine has an IPv6 address that others can reach.
  var hasIPv6 = false
  /// The looked-up names; nil when no look-up was requested.
  var names: [Name]?
}
