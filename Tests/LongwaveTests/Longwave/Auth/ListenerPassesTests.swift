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
    let token = passes.make(for: anna)
    #expect(passes.credentials(of: token + "0") == nil && passes.credentials(of: "") == nil)
    for _ in 0..<3 {
      wait(ListenerPasses.seconds - 1)
      #expect(passes.credentials(of: token)?.user == "anna")
    }
    wait(ListenerPasses.seconds + 1)
    #expect(passes.credentials(of: token) == nil)
  }

  @Test func `of more passes than there may be, the oldest end`() {
    let passes = ListenerPasses()
    let tokens = (0..<5000).map { _ in passes.make(for: anna) }
    #expect(passes.credentials(of: tokens[0]) == nil)
    #expect(passes.credentials(of: tokens[4999])?.field == "Basic YW5uYTpzZWNyZXQ=")
    #expect(tokens.count { passes.credentials(of: $0) != nil } == 4096)
  }
}
