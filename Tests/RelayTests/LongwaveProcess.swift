import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport

/// The program itself, running a server on data of its own.
struct LongwaveProcess {
  let process: ChildProcess
  let address: SocketAddress

  /// Starts a server and waits until it says where it listens.
  /// - Parameters:
  ///   - openFiles: the limit it gets; nil: that of the tests.
  ///   - environment: further variables, which go before those of the tests.
  ///   - port: where an earlier one listened; nil: of the system's choice.
  init(
    _ arguments: [String], data: String, openFiles: Int? = nil, port: UInt16? = nil,
    environment: [String] = []
  ) async throws {
    let limited = openFiles.map { ["sh", "-c", "ulimit -n \($0); exec \"$0\" \"$@\""] } ?? []
    let process = try ChildProcess(
      limited + [Binary.longwave] + arguments + [
        "--data", data, "--listen", "127.0.0.1:\(port ?? 0)",
      ], environment: environment + ChildProcess.plainEnvironment)
    self.process = process
    address = try await eventually("a server that listens", within: 60) {
      if let status = process.status() {
        throw TimeIsUp(description: "longwave ended with \(status): \(process.log)")
      }
      return Self.address(in: process.output)
    }
  }

  var api: RelayAPI { RelayAPI(address: address) }

  /// The processes that it has started, which have not ended and been waited for.
  var children: [pid_t] {
    get throws {
      let tasks = "/proc/\(process.id)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
        let text = try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
      }
    }
  }

  func kill() async throws {
    process.signal(SIGKILL)
    _ = try await process.end()
  }

  /// Runs another command of the program against this data.
  static func command(
    _ arguments: [String], data: String? = nil, within seconds: Double = 60
  ) async throws -> ChildProcess.Result {
    try await ChildProcess.run(
      [Binary.longwave] + arguments + (data.map { ["--data", $0] } ?? []), within: seconds)
  }

  /// `listen  http://127.0.0.1:40123/jazz`, whole lines only.
  private static func address(in output: String) -> SocketAddress? {
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      guard let match = line.wholeMatch(of: /listen +https?:\/\/([0-9.:]+)\/.*/) else { continue }
      return SocketAddress(String(match.1))
    }
    return nil
  }
}

extension ChildProcess.Result {
  var json: JSON { JSON.parse(outputBytes) ?? .null }

  /// Standard error without its line end; nil unless it is one line.
  var complaint: String? {
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.count == 2 && lines[1].isEmpty ? String(lines[0]) : nil
  }
}
