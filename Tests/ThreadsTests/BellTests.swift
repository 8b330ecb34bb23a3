import TestSupport
import Testing
import Threads

struct BellTests {
  @Test func `a bell wakes all that listen, each as often as it waits`() {
    let bell = Bell()
    let listening = [Flag(), Flag()]
    let woken = sumInThreads(
      2,
      { number in
        let signal = Signal()
        bell.listen(signal)
        listening[number].set()
        signal.wait(milliseconds: -1)
        bell.forget(signal)
        return 1
      }
    ) {
      while !listening.allSatisfy(\.isSet) {}
      bell.ring()
    }
    #expect(woken == 2)
  }

  @Test func `a bell that rings between a look and the wait is not missed`() {
    let bell = Bell()
    let signal = Signal()
    bell.listen(signal)
    bell.ring()
    signal.wait(milliseconds: -1)
    bell.forget(signal)
    bell.ring()
  }
}
