import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// A burst may reach back behind what the log has lost before: it joins the log where that ends all the same.
@Suite struct EarlierGapTests {
  typealias Connection = AppenderModel.Connection

  @Test(arguments: [1.0, 5, 20], [false, true])
  func `a burst that is older than the last gap joins behind it`(between: Double, restarts: Bool) {
    let model = AppenderModel()
    model.play(Connection(burst: 0, lasts: 60))
    model.wait(8)
    model.play(Connection(burst: 0, lasts: between))
    model.wait(2)
    if restarts { model.restart() }
    model.play(Connection(burst: 40, burstTakes: 0.2, lasts: 20))
    #expect(model.gaps.count == 1, "only what was lost before is told")
    let heard = model.heard
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 }, "nothing is heard again")
  }
}
