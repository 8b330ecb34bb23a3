import Foundation
import Glibc
import Reactor
import TestSupport

/// The relay under attack: the real program, on data of its own, ended and started again at will.
final class AttackedRelay {
  /// Few, so that a crowd can meet the bound; the stations leave some 500 of them to listeners.
  static let openFilesMax = 1400
  /// Of the next process.
  var openFiles = openFilesMax

  private let program: String
  let setup: Setup
  private(set) var data: TemporaryDirectory
  private var process: ChildProcess?
  /// Listeners that are there whenever something is tried, one with a session.
  private var company: [Connection] = []
  let addresses: RelayAddresses

  init(_ program: String, _ setup: Setup) throws {
    (self.program, self.setup) = (program, setup)
    data = TemporaryDirectory()
    addresses = RelayAddresses(
      tcp: SocketAddress("127.0.0.1:\(setup.port)")!,
      shoutcast: SocketAddress("127.0.0.1:\(setup.shoutcastPort)")!,
      unix: .unix(data.path + "/longwave.sock"), tls: try TLSContext(trusting: nil))
  }

  var id: pid_t { process?.id ?? 0 }

  /// How it ended, nil while it runs.
  var end: Int32? { process?.status() }

  var log: String { process?.log ?? "" }

  /// False: it ends by itself, or says nothing for a minute.
  func start(explaining: Bool = false) -> Bool {
    company = []
    let backtrace =
      explaining ? "enable=yes,color=no,interactive=no,threads=crashed,limit=24" : "enable=no"
    process = try? ChildProcess(
      ["sh", "-c", "ulimit -n \(openFiles); exec \"$@\"", "sh", program, "serve"]
        + ["--config", setup.configurationPath, "--data", data.path],
      environment: ChildProcess.plainEnvironment + ["SWIFT_BACKTRACE=\(backtrace)"])
    let limit = secondsNow() + 60
    while secondsNow() < limit, let process, process.status() == nil {
      if process.output.contains("\nlisten ") { return isHealthy(within: 20) && prepare() }
      usleep(5000)
    }
    return false
  }

  /// Something to change, and somebody to steer.
  private func prepare() -> Bool {
    _ = Self.administer("POST", "/api/v1/stations", setup.madeStation, addresses)
    // Stations that have no audio yet keep their listeners waiting, which is no fault.
    if let ear = try? Connection(.tcp, addresses, host: 0x010206) {
      ear.send(HostileRequest("GET", "/\(Setup.steady)").bytes, until: secondsNow() + 1)
      _ = ear.answer(until: secondsNow() + 10)
    }
    company = ["/late?session=kitchen-radio-1", "/aac"].compactMap { path in
      let connection = try? Connection(.tcp, addresses, host: 0x010206)
      connection?.send(HostileRequest("GET", path).bytes, until: secondsNow() + 1)
      return connection
    }
    return end == nil
  }

  /// Whether somebody who wants to listen is let in.
  var canBeHeard: Bool {
    guard let connection = try? Connection(.tcp, addresses, host: 0x010206) else { return false }
    connection.send(HostileRequest("GET", "/\(Setup.steady)").bytes, until: secondsNow() + 1)
    return connection.answer(until: secondsNow() + 10)?.status == 200
  }

  /// It has trapped, and says where: nothing is answered meanwhile.
  var isDying: Bool { end == nil && log.contains("rashed") }

  /// What was stored is gone.
  func forget() {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: data.path)) ?? [] {
      try? manager.removeItem(atPath: data.path + "/" + name)
    }
  }

  func stop(_ signal: Int32) {
    process?.signal(signal)
    let limit = secondsNow() + 30
    while end == nil, secondsNow() < limit { usleep(5000) }
    if end == nil { process?.signal(SIGKILL) }
    while end == nil { usleep(1000) }
  }

  func isHealthy(within seconds: Double) -> Bool {
    Self.probe(.tcp, addresses, within: seconds) != nil
  }

  /// Seconds until `/healthz` is answered; nil: it is not.
  static func probe(_ way: Attack.Way, _ addresses: RelayAddresses, within seconds: Double)
    -> Double?
  {
    let began = secondsNow()
    guard let connection = try? Connection(way, addresses, host: 0x010203) else { return nil }
    connection.send(HostileRequest("GET", "/healthz").bytes, until: began + seconds)
    return connection.answer(until: began + seconds).map { _ in secondsNow() - began }
  }

  /// Asks over the administration's socket.
  static func administer(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, _ addresses: RelayAddresses
  ) -> Connection.Answer? {
    guard let connection = try? Connection(.unix, addresses) else { return nil }
    var request = HostileRequest(method, path)
    request.body = body
    if body != nil { request.add("Content-Type", "application/json") }
    connection.send(request.bytes, until: secondsNow() + 6)
    return connection.answer(until: secondsNow() + 6)
  }

  // MARK: Figures

  var figures: Figures { Figures(of: id) }

  /// The first of our own lines in a backtrace, or what the program said last.
  var deathReason: String {
    let lines = log.split(separator: "\n").map(String.init)
    let own = lines.first { $0.contains("/Sources/") && !$0.contains(".build") }
    let crash = lines.first { $0.contains("Fatal error") || $0.contains("rashed") }
    return own.map(Self.source) ?? crash ?? lines.last ?? "a place that it does not tell"
  }

  private static func source(_ line: String) -> String {
    guard let start = line.range(of: "Sources/") else { return line }
    return String(line[start.lowerBound...])
  }
}
