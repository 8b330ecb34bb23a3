import Reactor
import Server
import Synchronization
import Testing
import Timeshift

@testable import Longwave

@Suite struct ListenerPassesTests {
  private let anna = BasicCredentials(user: "anna", password: Array("secret".utf8))

  @Test func `a pass lasts as long as it is used`() throws {
    let clock = Mutex(MonotonicTime.now())
    func wait(_ seconds: Double) { clock.withLock { $0 = $0.adding(seconds) } }
    let passes = ListenerPasses { clock.withLock { $0 } }
    let token = passes.make(for: anna, by: .unixSocket)
    #expect(passes.make(for: anna, by: .unixSocket) == token)
    #expect(passes.credentials(of: token + "0") == nil && passes.credentials(of: "") == nil)
    for _ in 0..<3 {
      wait(ListenerPasses.seconds - 1)
      #expect(passes.credentials(of: token)?.user == "anna")
    }
    wait(ListenerPasses.seconds + 1)
    #expect(passes.credentials(of: token) == nil)
  }

  @Test func `no address ends the passes of others, and of its own those that are not used end`() {
    let passes = ListenerPasses()
    let hers = passes.make(for: anna, by: .tcp(.ipv4(0x0102_0304, port: 5)))
    let many = (0..<5000).map { number in
      let used = passes.credentials(of: hers)
      #expect(used?.field == "Basic YW5uYTpzZWNyZXQ=")
      return passes.make(
        for: BasicCredentials(user: "\(number)", password: [1]),
        by: .tcp(.ipv4(0x0102_0305, port: 6)))
    }
    #expect(many.count { passes.credentials(of: $0) != nil } == ListenerPasses.addressMax)
    #expect(passes.credentials(of: many[4999])?.user == "4999")
    // Of all addresses together there is an end too.
    for number in 0..<5000 {
      _ = passes.make(
        for: BasicCredentials(user: "x\(number)", password: [1]),
        by: .tcp(.ipv4(0x0200_0000 + UInt32(number) << 8, port: 6)))
      _ = passes.credentials(of: hers)
    }
    #expect(passes.credentials(of: hers) != nil && passes.credentials(of: many[4999]) == nil)
  }

  @Test func `only texts of a pass's form are taken for one`() {
    #expect(SecretText.isForm(ListenerPasses().make(for: anna, by: .unixSocket)))
    for other in ["", "0123456789abcdef0123456789abcde", "0123456789ABCDEF0123456789ABCDEF"] {
      #expect(!SecretText.isForm(other))
    }
  }
}
