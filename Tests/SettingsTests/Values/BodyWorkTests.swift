import TestSupport
import Testing

@testable import Settings

/// The work on a request's body grows as its bytes do.
@Suite(.serialized) struct BodyWorkTests {
  /// 16 is quadratic.
  private static let growthMax = 10.0
  private static let bytes = 8 * 1024

  @Test(arguments: [64, 20, 10])
  func `JSON that gets deeper as it gets longer takes no more time for that`(_ bytesEach: Int) {
    let (short, long) = (Self.bytes / 4, Self.bytes)
    let growth = ThreadTime.growth(
      from: HostileShapes.deepJSON(bytes: short, depth: short / bytesEach),
      to: HostileShapes.deepJSON(bytes: long, depth: min(500, long / bytesEach))
    ) { _ = JSON.parse($0) }
    #expect(growth < Self.growthMax)
  }

  @Test func `a JSON body four times as long takes some four times as long to read`() {
    let shapes = zip(HostileShapes.all(bytes: Self.bytes), HostileShapes.all(bytes: 4 * Self.bytes))
    for (short, long) in shapes {
      let growth = ThreadTime.growth(from: short.bytes, to: long.bytes) { _ = JSON.parse($0) }
      #expect(growth < Self.growthMax, "\(short.name.debugDescription), × \(growth)")
    }
  }
}
