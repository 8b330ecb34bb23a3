import Audio
import Foundation
import Glibc
import Ingest
import Longwave
import Reactor
import Store
import Threads
import Timeshift
import Wire

/// Collects the facts of the machine: opens, reads and asks. It changes only a port and a file of its own, for a
/// moment.
enum MachineProbe {
  /// - Parameters:
  ///   - silent: Folders that are not read.
  ///   - asksNames: Whether to look up the hosts of the stations' upstreams, which uses the network.
  static func facts(
    _ configuration: Configuration, data: String, silent: SilentFolders = SilentFolders(),
    asksNames: Bool
  ) -> MachineFacts {
    let isSilent = silent.hold(data)
    let running = isSilent ? nil : runningRelay(data)
    let report = ConfigurationReport.looking(
      configuration, data: data,
      openFiles: running?.openFiles ?? ConfigurationReport.openFilesLimit(), silent)
    let use = isSilent ? .unknown(SilentFolders.reason) : DataDirectory.use(of: data)
    var facts = MachineFacts()
    facts.isRunning = running != nil
    facts.isConfigured = running == nil || configuration.file != nil
    facts.files = report.files
    facts.filesLeast = OpenFiles.least(configuration.server)
    facts.listenersPossible = running?.listeners
    facts.threads = running?.threads
    facts.listenersMax = configuration.server.listenersMax
    for address in facts.isConfigured ? configuration.server.listen : [] {
      facts.ports[address.description] = port(
        address, use, isEncrypted: configuration.server.tls?.isOnly == true)
    }
    facts.diskNeeded = report.diskNeeded
    facts.diskLimit = Double(configuration.timeshift.diskLimit)
    if let folders = report.folders {
      (facts.data, facts.recordings) = (folders.data, folders.recordings)
    }
    facts.silent = silent.paths.filter { ![facts.data.path, facts.recordings.path].contains($0) }
    if !isSilent { look(into: data, use, &facts) }
    facts.recordingsNeeded = report.recordingsNeeded
    facts.recordingsWeekly = report.recordingsWeekly
    facts.recordingsLimit = Double(configuration.recordings.diskLimit)
    facts.programs = configuration.stations.compactMap { station in
      station.programProblem.map { "\(station.id): \($0)" }
    }
    facts.roots = silent.isEmpty ? configuration.rootProblems.map(\.text) : []
    facts.music = silent.isEmpty ? configuration.musicForecasts(data: data) : []
    facts.madeLimit = configuration.cache.renditions
    facts.libraries = [
      "libcurl": CurlLibrary.version, "openssl": OpenSSL.libraryVersion,
      "mpg123": Mpg123Decoder.libraryVersion, "lame": LameEncoder.libraryVersion,
      "sqlite": StationStore.libraryVersion(),
    ]
    if let version = AvDecoder.libraryVersion { facts.libraries["libavcodec"] = version }
    facts.decoderMissing = AvDecoder.refusal(of: .aac).map { "\($0.reason). \($0.advice)" }
    facts.certificates = certificates(configuration.upstream.caFile)
    facts.tls = configuration.server.tls.map(tls)
    facts.clock = clock()
    facts.backlogMax = text("/proc/sys/net/core/somaxconn").flatMap {
      Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    facts.hasIPv6 = hasIPv6(text("/proc/net/if_inet6") ?? "")
    if asksNames { facts.names = hosts(of: configuration).map(name) }
    return facts
  }

  private static func look(
    into data: String, _ use: DataDirectory.Use, _ facts: inout MachineFacts
  ) {
    if facts.data.refusal == nil { facts.data.refusal = refusalOfFiles(in: data) }
    facts.damagedDatabases = StoreRescue.damaged(in: data)
    let starts = StartWatch.ledger(in: data)
    facts.isSafe = use == .inUse && starts.safeMode != nil
    // The newest start may belong to a running relay, so it does not count as a death.
    facts.deaths = starts.safeMode?.deaths ?? max(0, starts.starts.count - (use == .free ? 0 : 1))
  }

  private static func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  // MARK: Ports

  private static func port(
    _ address: SocketAddress, _ use: DataDirectory.Use, isEncrypted: Bool
  ) -> MachineFacts.Port {
    do throws(SystemError) {
      try Socket.probe(address)
      return .free
    } catch {
      guard error.code == EADDRINUSE else { return .refused(error.reason) }
      // A relay that speaks HTTPS only, under a name that is not this address, cannot be asked.
      if isEncrypted, use == .inUse { return .ours }
      guard isRelay(address) else { return .taken }
      switch use {
      case .inUse: return .ours
      case .free: return .otherRelay
      case .unknown(let reason): return .someRelay(reason)
      }
    }
  }

  /// Whether a longwave answers at an address; its figures contain its version.
  private static func isRelay(_ address: SocketAddress) -> Bool {
    // A socket that listens on all addresses is asked on the loopback address.
    let place = address.description.replacingOccurrences(of: "0.0.0.0:", with: "127.0.0.1:")
      .replacingOccurrences(of: "[::]:", with: "[::1]:")
    let reply = try? Fetch.request(
      url: "http://\(place)/api/v1/stats", bytesMax: 1 << 20, timeout: 5)
    return reply.flatMap { JSON.parse($0.body)?["version"] } != nil
  }

  private struct RunningRelay {
    var openFiles: Int
    /// The most listeners that the relay can have.
    var listeners: Int
    var threads: ThreadFigures?
  }

  /// Returns the running relay on the folder, by its own figures; nil when none answers.
  private static func runningRelay(_ data: String) -> RunningRelay? {
    var client = AdminClient(.data(data))
    client.timeout = 5
    guard let reply = try? client.send("GET", "/api/v1/stats", nil), reply.status == 200,
      let stats = JSON.parse(reply.body),
      case .integer(let limit)? = stats["process"]?["openFilesMax"],
      case .integer(let listeners)? = stats["listeners"]?["max"]
    else { return nil }
    return RunningRelay(
      openFiles: Int(clamping: limit), listeners: Int(clamping: listeners),
      threads: ThreadFigures(stats))
  }

  // MARK: Disk

  /// Returns why a folder cannot be written; nil if it can. A file is made there, written and deleted. If the folder is
  /// missing, the check is whether it could be made.
  private static func refusal(_ path: String, existing: String) -> MachineFacts.Refusal? {
    guard let code = path == existing ? writing(in: path) : making(in: existing) else { return nil }
    return MachineFacts.Refusal(
      path: path, reason: String(cString: strerror(code)),
      advice: DiskAdvice.of(code, at: existing))
  }

  private static func making(in folder: String) -> Int32? {
    faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? nil : errno
  }

  /// Returns the `errno` value of a failed write; nil after success.
  private static func writing(in folder: String) -> Int32? {
    let path = "\(folder)/.longwave-doctor-\(getpid())"
    unlink(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return errno }
    defer {
      close(file)
      unlink(path)
    }
    // A name may still fit on a disk that has no room for a block.
    let block = [UInt8](repeating: 1, count: 4096)
    let count = write(file, block, block.count)
    if count < 0 { return errno }
    if count < block.count { return ENOSPC }
    return fsync(file) == 0 ? nil : errno
  }

  /// Returns the first file or folder that the relay must open for writing but may not; nil if there is none.
  private static func refusalOfFiles(in data: String) -> MachineFacts.Refusal? {
    for name in ["lock", "longwave.db", "longwave.db-wal", "longwave.db-shm", "stations"] {
      let path = "\(data)/\(name)"
      guard let code = DiskAdvice.refusal(path) else { continue }
      return MachineFacts.Refusal(
        path: path, reason: String(cString: strerror(code)), advice: DiskAdvice.of(code, at: path))
    }
    return nil
  }

  /// - Parameter used: The folders whose own files count as used.
  static func folder(_ path: String, used: [String]) -> MachineFacts.Folder {
    var folder = MachineFacts.Folder(path: path)
    var existing = path
    // A name that can never be made is told by its own error, not by what holds it.
    while access(existing, F_OK) != 0, errno != ELOOP, errno != ENAMETOOLONG, existing != "/" {
      existing = (existing as NSString).deletingLastPathComponent
    }
    folder.refusal = refusal(path, existing: existing)
    var status = stat()
    folder.isOpenToOthers = stat(path, &status) == 0 && status.st_mode & 0o007 != 0
    var volume = statvfs()
    if statvfs(existing, &volume) == 0 {
      folder.bytesFree = UInt64(volume.f_bavail) * UInt64(volume.f_frsize)
      folder.filesFree = volume.f_files > 0 ? UInt64(volume.f_favail) : nil
      folder.volume = UInt64(volume.f_fsid)
    }
    folder.isVolatile = ["tmpfs", "ramfs"].contains(fileSystem(of: existing))
    folder.bytesUsed = used.reduce(0) { $0.saturatingAdd(FolderSize.bytes(in: $1)) }
    return folder
  }

  /// Returns the data folder; the logs of its stations count as used.
  static func data(_ path: String) -> MachineFacts.Folder {
    let logs = path + "/stations"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: logs)) ?? []
    return folder(path, used: names.map { "\(logs)/\($0)" })
  }

  /// Returns the folder of recordings. A relay makes only its last part, because nothing may be recorded beside a disk
  /// that is not mounted.
  static func recordings(_ path: String, data: String) -> MachineFacts.Folder {
    var folder = Self.folder(path, used: [path])
    let parent = (path as NSString).deletingLastPathComponent
    // A relay makes the data folder together with all its parents.
    if parent != data, access(parent, F_OK) != 0, errno == ENOENT {
      folder.refusal = MachineFacts.Refusal(
        path: path, reason: String(cString: strerror(ENOENT)),
        advice: "make \(parent) or mount its disk")
    }
    return folder
  }

  /// Returns the kind of the innermost mount that contains a path. Lines have device, place, kind, options (proc(5)).
  private static func fileSystem(of path: String) -> String {
    let mounts = (text("/proc/self/mounts") ?? "").split(separator: "\n").map {
      $0.split(separator: " ")
    }
    let holding = mounts.filter { fields in
      guard fields.count > 2 else { return false }
      return fields[1] == "/" || path == fields[1] || path.hasPrefix(fields[1] + "/")
    }
    // A later mount on the same place hides the earlier one.
    let innermost = holding.enumerated().max {
      ($0.element[1].count, $0.offset) < ($1.element[1].count, $1.offset)
    }
    return innermost.map { String($0.element[2]) } ?? ""
  }

  private static func certificates(_ own: String?) -> MachineFacts.Certificates {
    guard let place = own ?? CurlLibrary.certificateFile ?? CurlLibrary.certificateFolder else {
      return MachineFacts.Certificates()
    }
    var certificates = MachineFacts.Certificates(place: place)
    if !RegularFile.isOther(place), let text = text(place) {
      certificates.count = PEMText.certificates(in: text)
    } else if let names = try? FileManager.default.contentsOfDirectory(atPath: place) {
      certificates.count = names.count
    }
    return certificates
  }

  private static func tls(_ settings: TLSSettings) -> MachineFacts.TLS {
    // The kernel's TLS module is present where the kernel lists it among the layers that can sit on TCP.
    let layers = text("/proc/sys/net/ipv4/tcp_available_ulp") ?? ""
    return MachineFacts.TLS(
      certificates: (try? settings.context(tickets: TLSTicketKeys()))?.certificates ?? [],
      asksKernel: settings.asksKernel,
      hasKernel: layers.split(whereSeparator: \.isWhitespace).contains("tls"))
  }

  // MARK: Kernel

  private static func clock() -> MachineFacts.Clock {
    // systemd-timesyncd(8) makes the file when it has first set the clock right; other programs leave no such sign.
    let folder = "/run/systemd/timesync"
    let isSynchronised = access(folder + "/synchronized", F_OK) == 0
    return MachineFacts.Clock(
      now: Date().timeIntervalSince1970,
      isSynchronised: access(folder, F_OK) == 0 ? isSynchronised : nil)
  }

  /// Whether a line has a global address. Lines have address, index, prefix length, scope (00 is global), flags and
  /// name; proc(5).
  private static func hasIPv6(_ table: String) -> Bool {
    table.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[3] == "00"
    }
  }

  // MARK: Names

  private static func hosts(of configuration: Configuration) -> [String] {
    let urls = configuration.stations.flatMap(\.upstream).filter { $0 != PushSource.url }
    return Set(urls.map { WebURL.parts(of: $0).host }).subtracting([""]).sorted()
  }

  private static func name(_ host: String) -> MachineFacts.Name {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
      return MachineFacts.Name(host: host, problem: String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(text.count)
      let result = getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST)
      if result == 0 {
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        addresses.append(String(decoding: bytes, as: UTF8.self))
      }
      next = entry.pointee.ai_next
    }
    return MachineFacts.Name(host: host, addresses: addresses)
  }
}
