import Synchronization
import Testing

@testable import Threads

@Suite struct SignalTests {
  @Test func `a signal that was raised before is not waited for, however often it was raised`() {
    let signal = Signal()
    signal.raise()
    signal.raise()
    signal.wait(milliseconds: -1)
    signal.wait(milliseconds: 1)
  }

  @Test func `two threads that wake each other never miss a signal`() async {
    let (ping, pong) = (Signal(), Signal())
    let lanes = Lanes<Int>("signals", count: 1)
    let rounds = 20_000
    // A wait may end early: only what is counted says whose turn it is.
    let turn = Turn()
    _ = lanes.submit {
      for round in 0..<rounds {
        while turn.value.load(ordering: .acquiring) != 2 * round + 1 { ping.wait(milliseconds: -1) }
        turn.value.store(2 * round + 2, ordering: .releasing)
        pong.raise()
      }
    }
    let other = Lanes<Int>("signals", count: 1)
    _ = other.submit {
      for round in 0..<rounds {
        turn.value.store(2 * round + 1, ordering: .releasing)
        ping.raise()
        while turn.value.load(ordering: .acquiring) != 2 * round + 2 { pong.wait(milliseconds: -1) }
      }
    }
    await lanes.idle()
    await other.idle()
    #expect(turn.value.load(ordering: .acquiring) == 2 * rounds)
  }

  private final class Turn: Sendable {
    let value = Atomic(0)
  }
}
