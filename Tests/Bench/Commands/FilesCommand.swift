import ArgumentParser
import Foundation
import Reactor
import TestSupport

/// Measures the memory that listeners at random places of one large file cost.
struct FilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "files",
    abstract: "Memory of many listeners at random places of one large file.",
    discussion: """
      A file of that size is made, served by a fresh server, and every byte that comes is held \
      against the file. Exit status 1: a listener got none, or other bytes than the file has.
      """)

  @Option(help: "Listeners.")
  var listeners = 100
  @Option(help: "Bytes of the file, in MiB.")
  var size = 2048
  @Option(help: "How long they listen, in seconds.")
  var seconds = 20.0
  @Option(help: "The seed of the random places.")
  var seed: UInt64 = 1
  @Option(help: "Where the file is made. Default: the folder for temporary files.")
  var folder: String?
  @Option(name: .customLong("longwave"), help: "The longwave binary. Default: beside this one.")
  var longwavePath: String?
  @ArgumentParser.Flag(help: "One JSON object instead of a table.")
  var json = false

  func validate() throws {
    guard (1...10_000).contains(listeners), (1...1_000_000).contains(size) else {
      throw ValidationError("--listeners takes 1 to 10000, --size 1 to 1000000")
    }
    guard (1...3600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 3600") }
  }

  func run() throws {
    try Leftovers.clearOnSignals()
    _ = Limits.raiseOpenFiles()
    let root = folder ?? NSTemporaryDirectory()
    let directory = (root as NSString).appendingPathComponent("longwave-files-\(getpid())")
    try FileManager.default.createDirectory(
      atPath: directory + "/shows", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/shows/large.mp3"
    try BenchFile.make(path, bytes: size << 20)
    let figures = try measure(path, directory)
    print(json ? BenchJSON.text(figures) : figures.markdown)
    if !figures.errors.isEmpty { throw ExitCode.failure }
  }

  private func measure(_ path: String, _ directory: String) throws -> FileFigures {
    let port = freePort()
    let configuration = directory + "/longwave.yml"
    let yaml = """
      server: {listen: "127.0.0.1:\(port)", data: \(directory)/data}
      stations:
        - {id: shows, files: \(directory)/shows}

      """
    try yaml.write(toFile: configuration, atomically: false, encoding: .utf8)
    let server = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + [
        Executables.longwave(longwavePath), "serve", "--config", configuration,
      ], log: directory + "/log")
    var load = try FileLoad(path: path, port: port, seed: seed)
    // A request by time makes the server index the file before the other listeners come.
    try load.waitUntilServing(seconds: 120)
    sleep(2)
    let idle = Memory(of: server.id)
    try load.connect(listeners)
    load.read(for: seconds / 2)
    let middle = Memory(of: server.id)
    load.read(for: seconds / 2)
    let loaded = Memory(of: server.id)
    let figures = FileFigures(
      fileBytes: size << 20, listeners: listeners, seconds: seconds, idle: idle, middle: middle,
      loaded: loaded, bytes: load.bytes, errors: load.errors)
    server.stop()
    return figures
  }

  /// A process's proportional set size and resident set size, in KiB.
  struct Memory: Codable {
    var pssKiB: UInt64
    var rssKiB: UInt64

    init(of process: pid_t) {
      pssKiB = ProcessFigures.pssKiB(of: process) ?? 0
      let status = Proc.text("/proc/\(process)/status") ?? ""
      rssKiB = Proc.value("VmRSS:", in: status) ?? 0
    }
  }
}

/// The result of `FilesCommand`.
struct FileFigures: Codable {
  var machine = Report.Machine()
  var fileBytes: Int
  var listeners: Int
  var seconds: Double
  var idle: FilesCommand.Memory
  var middle: FilesCommand.Memory
  var loaded: FilesCommand.Memory
  /// The bytes that were received and compared with the file.
  var bytes: Int
  var errors: [String]

  var markdown: String {
    func mebibytes(_ kibibytes: UInt64) -> String {
      String(format: "%.1f", Double(kibibytes) / 1024)
    }
    return """
      **\(listeners) listeners at random places of a file of \(fileBytes >> 20) MiB, \(Int(seconds)) s** - \
      \(machine.processor), \(machine.cores) cores, Linux \(machine.kernel), loopback

      | | Pss MiB | Rss MiB |
      | --- | --- | --- |
      | idle, the index made | \(mebibytes(idle.pssKiB)) | \(mebibytes(idle.rssKiB)) |
      | half-way | \(mebibytes(middle.pssKiB)) | \(mebibytes(middle.rssKiB)) |
      | at the end | \(mebibytes(loaded.pssKiB)) | \(mebibytes(loaded.rssKiB)) |

      \(bytes >> 20) MiB received, each byte the file's; errors: \
      \(errors.isEmpty ? "none" : errors.joined(separator: ", "))
      """
  }
}
