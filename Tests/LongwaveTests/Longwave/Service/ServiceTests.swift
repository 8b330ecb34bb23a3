import Foundation
import Logging
import Reactor
import TestSupport
import Testing
import Timeshift

@testable import Longwave

@Suite struct ServiceTests {
  @Test func `notices are lines as systemd reads them`() {
    let notices: [(ServiceManager.Notice, [String])] = [
      (.ready, ["READY=1"]),
      (
        .reloading(since: .init(nanoseconds: 1_234_567)), ["RELOADING=1", "MONOTONIC_USEC=1234"]
      ),
      (.stopping, ["STOPPING=1"]), (.alive, ["WATCHDOG=1"]),
      (.status("2 stations\nREADY=1"), ["STATUS=2 stations READY=1"]),
      (.starting(seconds: 60), ["EXTEND_TIMEOUT_USEC=60000000"]),
    ]
    for (notice, lines) in notices { #expect(notice.lines == lines) }
  }

  @Test func `a manager is one that says where it takes notices`() {
    #expect(ServiceManager([:]) == nil)
    let long = "/" + String(repeating: "x", count: 107)
    for address in ["", "@", "/", "relative", "vsock:2:1", long] {
      #expect(ServiceManager(["NOTIFY_SOCKET": address]) == nil, "\(address)")
    }
    #expect(ServiceManager(["NOTIFY_SOCKET": "@name"])?.watchdogSeconds == nil)
  }

  @Test(arguments: [
    ("30000000", nil, 30.0), ("30000000", "7", 30), ("30000000", "8", nil), ("0", nil, nil),
    ("-5", nil, nil), ("99999999999999999999", nil, nil), ("x", nil, nil),
  ])
  func `a watchdog is ours unless it is of another process`(
    microseconds: String, process: String?, seconds: Double?
  ) {
    var environment = ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": microseconds]
    environment["WATCHDOG_PID"] = process
    #expect(ServiceManager(environment, process: 7)?.watchdogSeconds == seconds)
  }

  @Test(arguments: [("1", 0.1), ("400000", 0.2), ("60000000", 10), ("0", 10)])
  func `a watchdog is fed in time, and never without a pause`(
    microseconds: String, pause: Double
  ) throws {
    let manager = ServiceManager(["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": microseconds])
    #expect(ServiceReports(manager: try #require(manager)).pause == pause)
  }

  // MARK: Lines of the log

  private let message = LogMessage(
    text: "jazz: failed:\n\u{1B}[31m \"x\"", level: .warning, time: Sample.time, station: "jazz",
    event: "failed")

  @Test func `a message is an object with what is known of it`() throws {
    let object = try #require(JSON.parse(Array(message.json.utf8)))
    #expect(message.json.hasSuffix("}\n") && message.json.split(separator: "\n").count == 1)
    #expect(object["level"] == "warning" && object["station"] == "jazz")
    #expect(object["message"] == "jazz: failed: \u{FFFD}[31m \"x\"")
    let bare = LogMessage(text: "x", level: .info, time: Sample.time)
    #expect(JSON.parse(Array(bare.json.utf8))?["station"] == nil)
  }

  @Test func `the journal gets fields, one a line`() {
    #expect(
      message.fields
        == "MESSAGE=jazz: failed: \u{FFFD}[31m \"x\"\nPRIORITY=4\nSYSLOG_IDENTIFIER=longwave\n"
        + "STATION=jazz\nEVENT=failed\n")
  }

  @Test func `standard error is the journal where its device and inode are the journal's`() throws {
    let folder = TemporaryDirectory()
    let file = open(folder.path + "/x", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    defer { close(file) }
    var status = stat()
    #expect(fstat(file, &status) == 0)
    let stream = "\(status.st_dev):\(status.st_ino)"
    func form(_ stream: String?) -> LogMessage.Form {
      LogMessage.form(.json, stream: stream, of: file, journal: "/journal")
    }
    #expect(form(stream) == .journal("/journal"))
    for other in [nil, "", "1:2", stream + "0"] { #expect(form(other) == .json) }
  }

  @Test func `a datagram to nobody, or to what is no address, is an error`() throws {
    let folder = TemporaryDirectory()
    #expect(LocalDatagram.send([1], to: folder.path + "/nobody") == ENOENT)
    #expect(LocalDatagram.send([1], to: "relative") == EINVAL)
  }
}
