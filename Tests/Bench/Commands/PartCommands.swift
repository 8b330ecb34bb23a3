import ArgumentParser
import Foundation
import Reactor

// A comparison runs its parts in processes of their own, so that each has its own CPU time. A part writes lines to
// standard output, and ends when its standard input ends.

/// Runs the paced upstream, and prints its port.
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

/// Runs the bare limit, and prints its port.
struct LimitPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-limit", abstract: "The bare fan-out loop.", shouldDisplay: false)

  @Option var upstreamPort: UInt16
  @Option var tick: Int?
  @Flag var icy = false
  /// The folder of certificate.pem and key.pem; nil without TLS.
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

/// Runs the load generator. After "connect" it prints "ready" when all listeners have their first byte. "begin" and
/// "end" bound the window; after "end" it prints the window's figures as JSON.
struct LoadPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-load", abstract: "The load generator.", shouldDisplay: false)

  /// The `LoadGenerator.Plan` as JSON.
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

/// Writes standard output at once, also where that is a file or a pipe.
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
