import ArgumentParser
import Glibc
import Reactor

/// Walks through a folder, and prints how many files there are, and the CPU seconds of it.
struct WalkPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-walk", abstract: "The bare walk through a folder.", shouldDisplay: false)

  @Option var folder: String

  func run() throws {
    let before = Self.cpu()
    var walk = BareWalk()
    try walk.walk(folder)
    PartOutput.say("\(walk.files) \(Self.cpu() - before)")
  }

  private static func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// Listens to a server and throws away what comes. It prints a line at the first byte.
struct ListenPart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "part-listen", abstract: "One listener.", shouldDisplay: false)

  @Option var port: UInt16
  @Option var path: String

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let fd = try Socket.connect(to: Loopback.address(port: port))
    let request = "GET \(path) HTTP/1.1\r\nHost: bench\r\n\r\n"
    _ = request.withCString { write(fd, $0, strlen($0)) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var hasHeard = false
    while true {
      var waiting = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: fd, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waiting, 2, -1) > 0 else { continue }
      if waiting[0].revents != 0 { return }
      let count = read(fd, &buffer, buffer.count)
      if count < 0 && errno == EAGAIN { continue }
      guard count > 0 else { throw BenchError("the server has hung up") }
      if !hasHeard { PartOutput.say("heard") }
      hasHeard = true
    }
  }
}
