import ArgumentParser
import Foundation
import Reactor

/// Runs players of HLS. It prints "ready" when each has had its first list. "begin" and "end" bound the window; from
/// "stop" on nobody asks for more. After "end" it prints the window's figures as JSON.
struct HLSPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-hls", abstract: "Players of HLS.", shouldDisplay: false)

  /// The `HLSPlan` as JSON.
  @Option var plan: String

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    _ = Limits.raiseOpenFiles()
    let plan = try JSONDecoder().decode(HLSPlan.self, from: Data(plan.utf8))
    let loop = try EventLoop(name: "players")
    loop.start()
    let crowd = HLSCrowdActor(loop: loop)
    Task { await crowd.start(plan) { PartOutput.say("ready") } }
    while let line = readLine() {
      switch line {
      case "begin": Task { await crowd.beginWindow() }
      case "stop": Task { await crowd.stop() }
      case "end": Task { PartOutput.say(json: await crowd.endWindow()) }
      default: throw BenchError("the players do not know \"\(line)\"")
      }
    }
  }
}
