import Longwave
import TestSupport
import Testing

/// The curve of what others went back to.
extension WebScenarioTests {
  /// Draws into a canvas of its own, and says how many of its pixels have colour, by minute.
  private static func drawn(_ bytes: [UInt8], _ folder: String, ofOtherLog: Bool = false) -> String
  {
    """
    (async () => {
      const { Replayed } = await import("/\(folder)/replayed.js");
      const timeline = {
        airOf: (media) => media * 1000, mediaOf: (air) => air / 1000, oldest: { air: 0 }, log: 0,
      };
      const replayed = new Replayed(timeline, { media: 300, step: 300, data: new Uint8Array(\(bytes)) });
      timeline.log += \(ofOtherLog ? 1 : 0);
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [240, 48];
      const context = canvas.getContext("2d");
      const axis = { from: 0, to: 1_200_000, width: 240 };
      replayed.draw(context, axis, { top: 4, bar: 40 }, 1_200_000, { text: "black" });
      const high = [30, 90, 150, 210].map((x) => {
        const { data } = context.getImageData(x, 0, 1, 46);
        return data.filter((byte, index) => index % 4 === 3 && byte > 0).length;
      });
      return { high, often: [30, 90, 150, 210].map((second) => replayed.isOften(second * 5000)) };
    })()
    """
  }

  @Test func `the curve is as high as a minute was heard, and only that is called often`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page()
      let folder = try page.assetFolder()
      let told = try await page.evaluate(Self.drawn([255, 63], folder))
      let high = told["high"]?.items.compactMap(\.integer) ?? []
      #expect(high.count == 4 && high[0] < 3 && high[1] > 34 && high[3] < 3, "\(high)")
      #expect((5...20).contains(high[2]), "\(high)")
      #expect(told["often"] == [.bool(false), .bool(true), .bool(false), .bool(false)])
      let old = try await page.evaluate(Self.drawn([255, 63], folder, ofOtherLog: true))
      #expect(old["high"]?.items.allSatisfy { $0 == .integer(0) } == true, "\(old.text)")
      #expect(old["often"]?.items.allSatisfy { $0 == .bool(false) } == true, "\(old.text)")
      // Nobody went back: the page has asked, and says nothing of it.
      try await page.until("the question", Self.hasAsked)
      #expect(try page.errors() == [])
    }
  }

  private static let hasAsked =
    "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/replayed'))"
}
