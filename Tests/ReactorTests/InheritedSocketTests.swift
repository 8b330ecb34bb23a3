import Testing

@testable import Reactor

/// Descriptors that a service manager leaves, by what its environment says.
@Suite struct InheritedSocketTests {
  private func listed(_ environment: [String: String]) throws -> [String] {
    try InheritedSocket.descriptors(in: environment, process: 7).map { "\($0.fd) \($0.name)" }
  }

  @Test func `descriptors begin at 3, and have names as far as there are any`() throws {
    func own(_ more: [String: String]) -> [String: String] {
      more.merging(["LISTEN_PID": "7"]) { $1 }
    }
    #expect(try listed(own(["LISTEN_FDS": "1"])) == ["3 "])
    #expect(
      try listed(own(["LISTEN_FDS": "3", "LISTEN_FDNAMES": "longwave.socket:shoutcast"]))
        == ["3 longwave.socket", "4 shoutcast", "5 "])
    #expect(try listed(own(["LISTEN_FDS": "0"])).isEmpty)
    #expect(try listed(own([:])).isEmpty)
  }

  @Test func `sockets that were passed to another process are left alone`() throws {
    #expect(try listed(["LISTEN_FDS": "2", "LISTEN_PID": "8"]).isEmpty)
    #expect(try listed(["LISTEN_FDS": "2"]).isEmpty)
    #expect(try listed(["LISTEN_FDS": "x", "LISTEN_PID": "8"]).isEmpty)
    #expect(!InheritedSocket.isMeant(by: ["LISTEN_FDS": "2", "LISTEN_PID": "8"], process: 7))
    #expect(!InheritedSocket.isMeant(by: ["LISTEN_PID": "7"], process: 7))
    #expect(InheritedSocket.isMeant(by: ["LISTEN_FDS": "2", "LISTEN_PID": "7"], process: 7))
  }

  @Test(arguments: ["", "-1", "x", "1025", "99999999999999999999", "1.5"])
  func `a number of sockets that cannot be is refused`(count: String) {
    #expect(throws: InheritedSocket.Failure.self) {
      try listed(["LISTEN_FDS": count, "LISTEN_PID": "7"])
    }
  }
}
