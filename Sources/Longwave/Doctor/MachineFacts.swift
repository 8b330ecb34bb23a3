import Reactor

/// What a machine is like, as far as it matters to a relay. `MachineProbe` finds it out, `Diagnosis` judges it.
struct MachineFacts: Hashable, Sendable {
  enum Port: Hashable, Sendable {
    case free
    /// By a longwave: the one that uses the data folder, or another.
    case ours, otherRelay
    /// By a longwave; why it cannot be told whether it is the one that uses the data folder.
    case someRelay(String)
    case taken
    /// It cannot be opened at all: no such address here, or not allowed.
    case refused(String)
  }

  struct Folder: Hashable, Sendable {
    var path = ""
    /// Why nothing can be written there; nil: it can.
    var refusal: Refusal?
    /// Its disk does not answer: nothing more is known of it.
    var isSilent = false
    /// By users who are not the owner; false where there is no folder yet.
    var isOpenToOthers = false
    /// In memory: gone after a restart of the machine.
    var isVolatile = false
    /// Of the disk it is on, or would be on.
    var bytesFree: UInt64 = 0
    /// By windows, or recordings, that are there already.
    var bytesUsed: UInt64 = 0
    /// Which disk it is on.
    var volume: UInt64 = 0

    static func silent(_ path: String) -> Folder {
      Folder(
        path: path,
        refusal: Refusal(path: path, reason: SilentFolders.reason, advice: SilentFolders.advice),
        isSilent: true)
    }
  }

  struct Refusal: Hashable, Sendable {
    /// The file or folder it is about.
    var path: String
    var reason: String
    var advice: String
  }

  struct Clock: Hashable, Sendable {
    /// Seconds since 1970.
    var now = 0.0
    /// By NTP; nil: nobody says.
    var isSynchronised: Bool?
  }

  struct Certificates: Hashable, Sendable {
    /// nil: libcurl was built without a place to look.
    var place: String?
    var count = 0
  }

  /// What the relay is to speak TLS with.
  struct TLS: Hashable, Sendable {
    var certificate: TLSCertificate?
    /// Whether the kernel is asked to encrypt, and whether it can.
    var asksKernel = false
    var hasKernel = false
  }

  struct Name: Hashable, Sendable {
    var host: String
    var addresses: [String] = []
    /// Why there are none.
    var problem: String?
  }

  /// Of the relay that runs on the data folder, else of the limit a process may raise itself to.
  var files = FileBudget(openFiles: 0)
  var isRunning = false
  /// With fewer open files it does not start.
  var filesLeast = 0
  /// As the relay that runs says itself: it knows stations that are not in the configuration. nil: none answers.
  var listenersPossible: Int?
  /// Of the configuration.
  var listenersMax = 0
  var ports: [String: Port] = [:]
  var data = Folder()
  /// Those that do not answer, besides these.
  var silent: [String] = []
  /// Databases that were damaged and lie set aside in the data folder.
  var damagedDatabases: [String] = []
  /// How often the relay died in a row within a minute of its start, and whether it runs with less for it.
  var deaths = 0
  var isSafe = false
  /// What the windows of the configuration's stations need, and the most they may.
  var diskNeeded = 0.0
  var diskLimit = 0.0
  var recordings = Folder()
  /// What recordings by schedule need, what comes every week and is kept for ever, and the most there may be.
  var recordingsNeeded = 0.0
  var recordingsWeekly = 0.0
  var recordingsLimit = 0.0
  /// Each with its version; nil where it does not answer.
  var libraries: [String: String?] = [:]
  var certificates = Certificates()
  /// nil: the relay is not to speak TLS.
  var tls: TLS?
  var clock = Clock()
  /// Connections that may wait to be accepted (net.core.somaxconn).
  var backlogMax: Int?
  /// Whether it has an IPv6 address that others can reach.
  var hasIPv6 = false
  /// nil: not asked for.
  var names: [Name]?
}
