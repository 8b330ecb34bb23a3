import ArgumentParser
import Foundation
import Reactor

// The parts that a comparison runs in processes of their own, so that each has its own CPU time.
// They say what is to be said on standard output, a line each, and end when standard input does.

/// The paced upstream; prints its port.
struct UpstreamPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-upstream", abstract: "The paced, stamped upstream.", shouldDisplay: false)

  @Option var bitrate = 128
  @Option var burst = 33.0

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    _ = Limits.raiseOpenFiles()
    var upstream = try PacedUpstream(bitrate: bitrate, burstSeconds: burst)
    PartOutput.say("\(upstream.port)")
    upstream.run()
  }
}

/// The bare limit; prints its port.
struct LimitPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-limit", abstract: "The bare fan-out loop.", shouldDisplay: false)

  @Option var upstreamPort: UInt16
  @Option var tick: Int?
  @Flag var icy = false
  /// Where certificate.pem and key.pem are; nil: in clear.
  @Option var tls: String?

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    _ = Limits.raiseOpenFiles()
    let context = try tls.map { folder in
      let identity = ServerIdentity(folder: folder)
      return try TLSContext(
        certificate: identity.certificate, key: identity.key, tickets: TLSTicketKeys())
    }
    var limit = try BareLimit(
      upstreamPort: upstreamPort, cadence: tick.map { .milliseconds($0) } ?? .adaptive,
      withTitles: icy, context: context)
    PartOutput.say("\(limit.port)")
    limit.run()
  }
}

/// The load generator. Told to "connect" it prints "ready" when all have their first byte; between
/// "begin" and "end" is the window, and then come its figures as JSON.
struct LoadPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-load", abstract: "The load generator.", shouldDisplay: false)

  /// `LoadGenerator.Plan` as JSON.
  @Option var plan: String

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    _ = Limits.raiseOpenFiles()
    let plan = try JSONDecoder().decode(LoadGenerator.Plan.self, from: Data(plan.utf8))
    let loop = try EventLoop(name: "load")
    loop.start()
    let load = LoadActor(loop: loop)
    while let line = readLine() {
      switch line {
      case "connect": Task { await load.start(plan) { PartOutput.say("ready") } }
      case "begin": Task { await load.beginWindow() }
      case "end": Task { PartOutput.say(json: await load.endWindow()) }
      default: throw BenchError("the load does not know \"\(line)\"")
      }
    }
  }
}

/// A part's standard output.
enum PartOutput {
  static func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written <= 0 { return }
      bytes = bytes.dropFirst(written)
    }
  }

  static func say(json value: some Encodable) {
    let encoded = try? JSONEncoder().encode(value)
    say(encoded.map { String(decoding: $0, as: UTF8.self) } ?? "{}")
  }
}
