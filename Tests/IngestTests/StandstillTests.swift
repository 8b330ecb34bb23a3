import Testing

@testable import Ingest

/// The relay stands still in the middle of a connection, and the upstream goes on sending.
@Suite struct StandstillTests {
  typealias Connection = AppenderModel.Connection

  @Test(arguments: [5.0, 95, 150, 600, 3600], [false, true])
  func `audio that waited in a standstill comes at once, and live is live again`(
    seconds: Double, isSleep: Bool
  ) {
    let model = AppenderModel()
    model.wait(100)
    model.play(
      Connection(burst: 8, lasts: seconds + 62, stop: (at: 60, seconds: seconds, isSleep: isSleep)))
    #expect(model.late < 0.2)
    #expect(model.faults.twice == 0 && model.faults.missing == 0 && model.gaps.isEmpty)
  }

  @Test func `audio of several standstills in a row comes at once`() {
    let model = AppenderModel()
    model.wait(100)
    model.play(Connection(burst: 60, lasts: 10))
    for _ in 0..<5 {
      model.play(Connection(burst: 60, lasts: 130, stop: (at: 10, seconds: 110, isSleep: false)))
      #expect(model.late < 0.2)
    }
    #expect(model.faults.twice == 0 && model.faults.missing == 0 && model.gaps.isEmpty)
  }
}
