import Foundation
import Glibc
import Logging
import Reactor
import Server
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import LongwaveAPI

/// One file on a disk that does not answer while it is held.
private final class HangingFile: Sendable {
  private let held = Mutex<String?>(nil)
  /// The only name under which it is held; nil for all.
  private let heldName = Mutex<String?>(nil)
  /// The names under which threads wait for it.
  private let names = Mutex<[String]>([])
  private let passed = Mutex<Set<String>>([])

  /// Whether somebody has looked at a file that was not held.
  func hasPassed(_ path: String) -> Bool { passed.withLock { $0.contains(path) } }

  /// How many threads wait for it.
  var waiting: Int { names.withLock(\.count) }

  /// How many threads wait for it under a name. What runs in the background looks at some files too, under others.
  func waiting(as name: String) -> Int { names.withLock { $0.count { $0 == name } } }

  func hold(_ path: String?, as name: String? = nil) {
    heldName.withLock { $0 = name }
    held.withLock { $0 = path }
  }

  func pass(_ name: String, _ path: String) {
    guard held.withLock({ $0 }) == path, [nil, name].contains(heldName.withLock { $0 }) else {
      passed.withLock { _ = $0.insert(path) }
      return
    }
    names.withLock { $0.append(name) }
    while held.withLock({ $0 }) == path { usleep(1000) }
    names.withLock { names in
      if let place = names.firstIndex(of: name) { names.remove(at: place) }
    }
  }
}

/// Files that a configuration and commands name, on a disk that hangs.
@Suite struct HangingFileTests {
  private let data = TemporaryDirectory()
  private let folder = TemporaryDirectory()
  private let file = HangingFile()

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func relay(patience: Double = 2) async throws -> Relay {
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    options.paths = NamedPaths(patience: patience) { [file] in file.pass($0, $1) }
    let name = path("c.yml")
    options.reloadConfiguration = { () throws(ConfigurationError) in
      try Configuration.load(file: name, environment: [:])
    }
    let configuration = try Configuration.load(file: name, environment: [:])
    return try await Relay(configuration: configuration, options: options)
  }

  /// Nobody listens on the discard port.
  private func station(_ id: String) -> StationDefinition {
    StationDefinition(id: id, upstream: ["http://127.0.0.1:9/\(id)"])
  }

  private func isDone(_ work: @escaping @Sendable () async throws -> Void) async -> Bool {
    await isDoneWhileHanging(thaw: { file.hold(nil) }, work)
  }

  private func areOthersServed(_ relay: Relay, besides name: String) async -> Bool {
    await isDone {
      _ = await relay.stationSnapshots()
      _ = await relay.figures()
      _ = await relay.listenerSnapshots()
      let address = try #require(AddressRange("203.0.113.9"))
      _ = try await relay.ban(.range(address))
      _ = try await relay.add(station(name))
      _ = try await relay.change(name, by: ["name": "Another"])
      try await relay.remove(name)
    }
  }

  enum Place: String, CaseIterable {
    case configuration = "c.yml"
    case certificate = "certificate.pem"
    case key = "key.pem"
    case fallback = "loop.mp3"
    case authorities = "authorities.pem"
    case recordings
  }

  private func write() async throws {
    let pair = try await TestCertificate()
    for (from, to) in [(pair.certificate, Place.certificate), (pair.key, .key)] {
      try FileManager.default.copyItem(atPath: from, toPath: path(to.rawValue))
    }
    folder.write(Place.fallback.rawValue, NumberedFrames.stream(0..<100))
    folder.write(Place.authorities.rawValue, Array("none\n".utf8))
    mkdir(path("recordings"), 0o700)
    let text = """
      server: {threads: 1, tls: {certificate: "\(path("certificate.pem"))", key: "\(path("key.pem"))"}}
      recordings: {folder: "\(path("recordings"))"}
      stations:
        - id: jazz
          upstream: "http://127.0.0.1:9/jazz"
          ca-file: "\(path("authorities.pem"))"
          fallback: "file:\(path("loop.mp3"))"
          fallback-after: 1h

      """
    folder.write(Place.configuration.rawValue, Array(text.utf8))
  }

  @Test(arguments: Place.allCases)
  func `a reload that hangs keeps nobody waiting, and says which file does not answer`(
    _ place: Place
  ) async throws {
    try await write()
    let relay = try await relay()
    try await relay.start()
    // A start looks at fallbacks in the background, on a thread of its own.
    try await eventually("the fallback is looked at") { file.hasPassed(path("loop.mp3")) }
    file.hold(path(place.rawValue))
    defer { file.hold(nil) }
    let first = Task { try await relay.reload() }
    let name = path(Place.configuration.rawValue)
    try await eventually("it waits for the disk") { file.waiting(as: name) > 0 }
    #expect(await areOthersServed(relay, besides: "other"))
    let second = Task { try await relay.reload() }
    for task in [first, second] {
      let error = await #expect(throws: RelayError.self) { _ = try await task.value }
      let told = error.map { APIError($0) }
      #expect(told?.status == 503 && told?.code == "disk-silent")
      #expect(told?.message.hasPrefix(path(place.rawValue) + ": its disk has not") == true)
    }
    #expect(file.waiting(as: name) == 1, "both wait on one thread")
    file.hold(nil)
    try await eventually("it is read again") { (try? await relay.reload()) != nil }
    await relay.stop()
  }

  @Test func `a look at a configuration keeps no reload waiting`() async throws {
    try await write()
    let relay = try await relay(patience: 1)
    try await relay.start()
    let name = Reload.lookTurn(path("c.yml"))
    file.hold(path("c.yml"), as: name)
    defer { file.hold(nil) }
    let looks = (0..<2).map { _ in Task { try await relay.configurationChanges() } }
    try await eventually("it waits for the disk") { file.waiting(as: name) > 0 }
    _ = try await relay.reload()
    for look in looks {
      let error = await #expect(throws: RelayError.self) { _ = try await look.value }
      #expect(error.map { APIError($0) }?.message.hasPrefix(path("c.yml") + ": its disk") == true)
    }
    file.hold(nil)
    try await eventually("it is looked at") { (try? await relay.configurationChanges()) != nil }
    await relay.stop()
  }

  @Test func `a station that names what hangs is refused in time, and others are changed`()
    async throws
  {
    folder.write("c.yml", Array("stations: []\n".utf8))
    folder.write("loop.mp3", NumberedFrames.stream(0..<100))
    mkdir(path("shows"), 0o700)
    let relay = try await relay()
    try await relay.start()
    _ = try await relay.add(station("jazz"))
    defer { file.hold(nil) }
    for (name, field) in [("shows", "files"), ("loop.mp3", "fallback")] {
      file.hold(path(name))
      let value = field == "files" ? path(name) : "file:" + path(name)
      var tasks = (0..<3).map { number in
        Task {
          var added = StationDefinition(id: "n\(number)", upstream: ["http://127.0.0.1:9/n"])
          if field == "files" { added.source = .files(value, throttleBypass: nil) }
          if field == "fallback" { added.fallback = .file(path(name)) }
          _ = try await relay.add(added)
        }
      }
      if field == "fallback" {
        tasks.append(Task { _ = try await relay.change("jazz", by: ["fallback": .string(value)]) })
      }
      try await eventually("it waits for the disk") { file.waiting > 0 }
      #expect(await areOthersServed(relay, besides: "other"))
      for task in tasks {
        let error = await #expect(throws: RelayError.self) { try await task.value }
        let told = error.map { APIError($0) }
        #expect(told?.status == 503 && told?.message.contains(path(name) + ": its disk") == true)
      }
      file.hold(nil)
      try await eventually("nobody waits") { file.waiting == 0 }
    }
    _ = try await relay.change("jazz", by: ["fallback": .string("file:" + path("loop.mp3"))])
    await relay.stop()
  }

  @Test func `a fallback that hangs is told of, keeps nobody waiting, and begins when it thaws`()
    async throws
  {
    folder.write("loop.mp3", NumberedFrames.stream(0..<100))
    let text = """
      stations:
        - id: jazz
          upstream: "http://127.0.0.1:9/jazz"
          fallback: "file:\(path("loop.mp3"))"
          fallback-after: 1s

      """
    folder.write("c.yml", Array(text.utf8))
    let relay = try await relay(patience: 1)
    file.hold(path("loop.mp3"))
    defer { file.hold(nil) }
    #expect(await isDone { try await relay.start() })
    try await eventually("it waits for the disk") { file.waiting > 0 }
    #expect(await areOthersServed(relay, besides: "other"))
    try await eventually("it is told") {
      relay.events.ring.read(after: 0, limit: 1000).events.contains {
        $0.kind == "fallback-refused" && $0.json.contains("loop.mp3: its disk has not")
      }
    }
    #expect(await areOthersServed(relay, besides: "next"))
    #expect(file.waiting(as: path("loop.mp3")) == 1)
    file.hold(nil)
    try await eventually("it has begun") {
      try await relay.stationSnapshot("jazz").fallback == .file(path("loop.mp3"))
    }
    await relay.stop()
  }
}
